"""The certificates that the other side has shown."""

import ssl
from datetime import UTC, datetime
from unittest.mock import MagicMock, create_autospec

import pytest

from item_visibility.api.http.certificates import Certificate, SeenCertificates, read_certificate
from tests.support.waiting import HandClock

ENDS = "Nov 22 12:00:00 2027 GMT"
TOLD = {
    "subject": ((("commonName", "api.example.com"),),),
    "issuer": ((("countryName", "DE"),), (("organizationName", "Our CA"),), (("commonName", "Our CA R1"),)),
    "notAfter": ENDS,
    "subjectAltName": (("DNS", "a"), ("DNS", "b"), ("DNS", "c"), ("DNS", "d")),
}
ENDS_AT = datetime(2027, 11, 22, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("told", "certificate"),
    [
        (TOLD, Certificate("h", ("a", "b", "c"), "Our CA, Our CA R1", ENDS_AT)),
        (
            {**TOLD, "subjectAltName": ()},
            Certificate("h", ("api.example.com",), "Our CA, Our CA R1", ENDS_AT),
        ),
        ({"notAfter": ENDS}, Certificate("h", (), "", ENDS_AT)),
    ],
)
def test_a_certificate_is_read(told: dict[str, object], certificate: Certificate) -> None:
    """Its names, who vouches for it, and its end."""
    assert read_certificate("h", told) == certificate


def stream_of(told: dict[str, object]) -> MagicMock:
    """A stream of the HTTP library, secured with this certificate."""
    secured = create_autospec(ssl.SSLObject, instance=True)
    secured.getpeercert.return_value = told
    stream = MagicMock()
    stream.get_extra_info.return_value = secured
    return stream


def test_a_host_s_certificate_is_looked_at_once_a_minute() -> None:
    """A renewed one is seen then."""
    clock = HandClock()
    seen = SeenCertificates(clock)
    renewed = {**TOLD, "notAfter": "Nov 22 12:00:00 2028 GMT"}
    years = []
    for told, after_s in ((TOLD, 0), (renewed, 59), (renewed, 1)):
        clock.move(after_s)
        seen.look("h", stream_of(told))
        years.append([one.valid_until.year for one in seen.all()])
    assert years == [[2027], [2027], [2028]]


@pytest.mark.parametrize("stream", [None, MagicMock(get_extra_info=lambda _name: None), stream_of({})])
def test_a_stream_without_a_certificate_shows_none(stream: object) -> None:
    """As that of a test, or of a transport of another kind."""
    seen = SeenCertificates(HandClock())
    seen.look("h", stream)
    assert seen.all() == ()
