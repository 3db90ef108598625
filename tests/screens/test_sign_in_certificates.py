"""Which certificates are trusted when people sign in."""

import ssl
from pathlib import Path

import httpx
import pytest

from components.session import trusted_in_sign_in
from tests.support.own_authority import write_certificates

OURS = "SSL_CERT_FILE"


def test_the_configured_authority_is_trusted_besides_those_of_the_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "system").mkdir()
    of_system, _ = write_certificates(tmp_path / "system")
    named, _ = write_certificates(tmp_path)
    environ = {OURS: "as it was"}
    with trusted_in_sign_in(environ, system_file=str(of_system), ca_file=named):
        monkeypatch.setenv(OURS, environ[OURS])
        trusted = httpx.create_ssl_context().get_ca_certs(binary_form=True)
    written = [
        ssl.PEM_cert_to_DER_cert(file.read_text("utf-8")) for file in (of_system, named)
    ]
    assert trusted == written
    assert environ == {OURS: "as it was"}


@pytest.mark.parametrize(
    ("system_file", "within"), [("", {}), ("all.crt", {OURS: "all.crt"})]
)
def test_without_a_configured_file_the_file_of_the_system_is_used(
    system_file: str, within: dict[str, str]
) -> None:
    environ: dict[str, str] = {}
    with trusted_in_sign_in(environ, system_file=system_file, ca_file=None):
        assert environ == within
    assert environ == {}
