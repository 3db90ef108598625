"""The client: its addresses, what it sends, returns and raises, and its package."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import item_visibility
from item_visibility import (
    CallError,
    IdentifierError,
    ItemKey,
    NotAllowedError,
    NotFoundError,
    NotSentError,
    UnexpectedAnswerError,
    UnknownOutcomeError,
    VisibilityClient,
)
from item_visibility.client.addresses import check_auth_url, check_base_url, service_of
from item_visibility.client.identifiers import MAX_SEGMENT_BYTES, path_segment, refusal
from item_visibility.client.operations import (
    SET_VISIBILITIES,
    item_request,
    recipients_array,
)
from item_visibility.errors import SettingsError
from tests.support.scripted_transport import (
    NO_CONTENT,
    ScriptedTransport,
    problem,
    recipients,
    scripted_client,
    token_answer,
)
from tests.support.waiting import HandClock

ITEM = ItemKey("S/1", "I 1")
PATH = "/some/v1/itemvisibilities/S%2F1/I%201"
RESET = httpx.ReadError("reset")
REFUSED_CONNECTION = httpx.ConnectError("refused")
EVERY_WRITE: list[Callable[[VisibilityClient], None]] = [
    lambda client: client.set_visibilities(ITEM, ["r"]),
    lambda client: client.remove_visibilities(ITEM),
    lambda client: client.add_visibility(ITEM, "r"),
    lambda client: client.remove_visibility(ITEM, "r"),
]


def error_of(
    transport: ScriptedTransport, call: Callable[[VisibilityClient], object]
) -> CallError:
    with scripted_client(transport) as client, pytest.raises(CallError) as caught:
        call(client)
    return caught.value


def add(client: VisibilityClient) -> None:
    client.add_visibility(ITEM, "r")


def test_the_five_operations_go_out_as_specified() -> None:
    """Method, path and body of each. Spec: "Endpoints"."""
    transport = ScriptedTransport(recipients("r1", "r2"), NO_CONTENT)
    with scripted_client(transport) as client:
        read = client.get_visibilities(ITEM)
        client.set_visibilities(ITEM, ["b", "a", "b"])
        client.remove_visibilities(ITEM)
        client.add_visibility(ITEM, "r/1")
        client.remove_visibility(ITEM, "ä")
    assert read == frozenset({"r1", "r2"})
    assert transport.lines == [
        f"GET {PATH}",
        f"PUT {PATH}",
        f"DELETE {PATH}",
        f"PUT {PATH}/recipient/r%2F1",
        f"DELETE {PATH}/recipient/%C3%A4",
    ]
    assert [call.content for call in transport.calls] == [
        b"",
        b'["a", "b"]',
        b"",
        b"",
        b"",
    ]
    headers = transport.calls[0].headers
    assert headers["Authorization"] == "Bearer token-1-never-shown"
    assert headers["Accept"] == "application/json, application/problem+json"
    assert headers["Accept-Encoding"] == "identity"


def test_a_404_is_not_blamed_on_the_service() -> None:
    """Another program may have answered. Note N5."""
    advice = "Check the ids, and whether the address leads to the service."
    assert error_of(ScriptedTransport(httpx.Response(404)), add).advice == advice


@pytest.mark.parametrize(
    "call",
    [
        lambda client: client.get_visibilities(ItemKey("", "I")),
        lambda client: client.get_visibilities(ItemKey("S", "..")),
        lambda client: client.set_visibilities(ItemKey(".", "I"), []),
        lambda client: client.remove_visibilities(ItemKey("S", "a\0")),
        lambda client: client.add_visibility(ITEM, "."),
        lambda client: client.remove_visibility(ITEM, ".."),
        lambda client: client.remove_visibility(ITEM, ""),
    ],
)
def test_a_refused_identifier_sends_nothing(
    call: Callable[[VisibilityClient], object],
) -> None:
    """Not even a token request, so "remove one" never becomes "remove all". Note N1."""
    transport = ScriptedTransport(NO_CONTENT)
    with scripted_client(transport) as client, pytest.raises(IdentifierError):
        call(client)
    assert transport.lines == []
    assert transport.token_requests == []


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (
            problem(403),
            NotAllowedError,
            "The recipient was not added: the service answered 403.",
        ),
        (
            httpx.Response(302, headers={"Location": "https://login.example.com/"}),
            UnexpectedAnswerError,
            (
                "It is not known whether the recipient was added: "
                "the service answered 302."
            ),
        ),
    ],
)
def test_errors_that_would_repeat_are_not_retried(
    answer: httpx.Response, error: type[CallError], words: str
) -> None:
    transport = ScriptedTransport(answer)
    caught = error_of(transport, add)
    assert type(caught) is error
    assert caught.message == words
    assert caught.problem is not None
    assert caught.problem.status == answer.status_code
    assert len(transport.calls) == 1
    assert caught.problem.request_id == transport.calls[0].headers["X-Request-ID"]


@pytest.mark.parametrize(
    "failure",
    [RESET, httpx.ReadTimeout("slow"), problem(500), httpx.Response(200), problem(408)],
)
@pytest.mark.parametrize("call", EVERY_WRITE[:2])
def test_a_whole_list_is_not_repeated_after_an_unknown_outcome(
    call: Callable[[VisibilityClient], None], failure: httpx.Response | Exception
) -> None:
    """After an unknown outcome, the list may have been set or removed already.

    Note N17.
    """
    transport = ScriptedTransport(failure, NO_CONTENT)
    caught = error_of(transport, call)
    assert len(transport.calls) == 1
    assert caught.is_outcome_unknown
    assert caught.advice == "Read the list again before you repeat the change."


def test_a_404_after_a_lost_removal_has_an_unknown_outcome() -> None:
    """The first attempt may have removed the recipient. Note N5."""
    transport = ScriptedTransport(RESET, problem(404))
    caught = error_of(transport, EVERY_WRITE[3])
    assert type(caught) is NotFoundError
    assert caught.is_outcome_unknown
    assert len(transport.calls) == 2
    assert str(caught) == (
        "It is not known whether the recipient was removed: the service answered "
        "404. It said: No."
    )


@pytest.mark.parametrize(
    "transport",
    [
        ScriptedTransport(RESET, REFUSED_CONNECTION),
        ScriptedTransport(
            RESET, httpx.Response(401), token_steps=(token_answer(1), problem(500))
        ),
    ],
)
def test_the_outcome_stays_unknown_if_later_attempts_fail(
    transport: ScriptedTransport,
) -> None:
    caught = error_of(transport, add)
    assert type(caught) is UnknownOutcomeError
    assert caught.is_outcome_unknown
    assert str(caught).startswith("It is not known whether the recipient was added: ")


@pytest.mark.parametrize(
    ("failure", "error", "words"),
    [
        (
            REFUSED_CONNECTION,
            NotSentError,
            "The recipient was not added: no connection could be made.",
        ),
        (
            httpx.WriteTimeout("slow"),
            UnknownOutcomeError,
            "It is not known whether the recipient was added: no answer came in time.",
        ),
    ],
)
def test_only_a_call_without_a_connection_is_known_to_have_changed_nothing(
    failure: Exception, error: type[CallError], words: str
) -> None:
    transport = ScriptedTransport(failure)
    caught = error_of(transport, add)
    assert type(caught) is error
    assert str(caught) == words
    assert len(transport.calls) == 4
    assert caught.problem is None
    assert caught.is_outcome_unknown is (error is UnknownOutcomeError)


def test_a_read_that_fails_changed_nothing() -> None:
    caught = error_of(
        ScriptedTransport(RESET), lambda client: client.get_visibilities(ITEM)
    )
    assert type(caught) is UnknownOutcomeError
    assert not caught.is_outcome_unknown
    assert str(caught) == "The list could not be read: the connection broke."
    assert caught.advice == "Nothing was changed. Try again in a minute."


def test_a_call_gives_up_at_its_deadline() -> None:
    clock = HandClock()
    transport = ScriptedTransport(httpx.Response(503, headers={"Retry-After": "50"}))
    with (
        scripted_client(transport, clock=clock) as client,
        pytest.raises(UnknownOutcomeError),
    ):
        add(client)
    assert clock.slept == [51.0]


WITHOUT_DASHBOARD = """
import sys
missing = "streamlit pandas numpy sqlalchemy starlette item_visibility_service"
for name in missing.split():
    sys.modules[name] = None
from item_visibility import ItemKey, VisibilityClient
addresses = ("https://api.example.com/v1", "https://login.example.com")
client = VisibilityClient(*addresses, "id", "secret")
client.close()
print(ItemKey("S", "I"))
"""
TYPED_USE = """
from item_visibility import ItemKey, VisibilityClient

def read(client: VisibilityClient) -> frozenset[str] | None:
    return client.get_visibilities(ItemKey("S", "I"))

read(3)  # type: ignore[arg-type]
"""
ROOT = Path(item_visibility.__file__).parents[1]


def test_the_client_works_without_the_dashboard() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", WITHOUT_DASHBOARD],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "ItemKey(supplier='S', supplier_item_id='I')\n"
    assert done.stderr == ""


def test_the_client_has_types_for_its_users(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(TYPED_USE)
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-incremental",
        "--cache-dir",
        "cache",
        "use.py",
    ]
    environ = {"MYPYPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert done.stdout == "Success: no issues found in 1 source file\n"
    assert (ROOT / "item_visibility" / "py.typed").is_file()


def test_a_list_is_sent_sorted_without_duplicates() -> None:
    body = recipients_array(["b", "ä", "b", "..", "", "\ud800", "a\n"])
    assert body == rb'["", "..", "a\n", "b", "\u00e4", "\ud800"]'
    request = item_request(
        SET_VISIBILITIES, "https://api.example.com/v1", ItemKey("S", "I"), body
    )
    assert ("Content-Type", "application/json") in request.headers
    assert "00e4" not in repr(request)


@pytest.mark.parametrize("recipients", ["abc", [1], [None], ["a", b"b"]])
def test_a_list_must_contain_only_texts(recipients: list[str]) -> None:
    with pytest.raises(IdentifierError):
        recipients_array(recipients)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "The recipient is empty."),
        (
            ".",
            (
                "The recipient “.” cannot be sent: it has a special meaning in web "
                "addresses."
            ),
        ),
        (
            "..",
            (
                "The recipient “..” cannot be sent: it has a special meaning in web "
                "addresses."
            ),
        ),
        (
            "ab\tc",
            (
                "The recipient contains a tab (U+0009) at position 3, which cannot be "
                "sent."
            ),
        ),
        (
            "\0" * 3_000,
            "The recipient contains NUL (U+0000) at position 1, which cannot be sent.",
        ),
        (
            "\x85",
            (
                "The recipient contains a control character (U+0085) at position 1, "
                "which cannot be sent."
            ),
        ),
        (
            "a\ud800",
            (
                "The recipient contains half a character (U+D800) at position 2, which "
                "cannot be sent."
            ),
        ),
        (
            "é" * 334,
            (
                "The recipient is too long: it has 2004 bytes when sent, and the limit "
                "is 2000."
            ),
        ),
        (None, "The recipient is not a text."),
        *(
            (value, None)
            for value in ("...", " ", "a/b", "%2e%2e", "x/recipient/y", "ä", "😀")
        ),
        ("a" * MAX_SEGMENT_BYTES, None),
    ],
)
def test_only_an_identifier_that_no_path_can_carry_is_refused(
    value: object, words: str | None
) -> None:
    assert refusal(value, name="recipient") == words


@given(
    st.text(
        st.characters(codec="utf-8", exclude_categories=["Cc"]),
        min_size=1,
        max_size=200,
    )
)
def test_a_segment_decodes_to_the_identifier(value: str) -> None:
    segments = (
        [path_segment(value, name="item")]
        if refusal(value, name="item") is None
        else []
    )
    assert all(
        unquote(segment, errors="strict") == value and "/" not in segment
        for segment in segments
    )


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("https://api.example.com/v1/", "https://api.example.com/v1"),
        (
            "https://api.example.com:8443/some/where/v1",
            "https://api.example.com:8443/some/where/v1",
        ),
        ("https://10.0.0.7/v1", "https://10.0.0.7/v1"),
        ("https://[2001:db8::1]/v1", "https://[2001:db8::1]/v1"),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
    ],
)
def test_a_safe_base_address_loses_its_last_slash_only(text: str, address: str) -> None:
    assert check_base_url(text) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        *(
            (text, "is not a valid web address")
            for text in (
                "",
                "api.example.com/v1",
                "ftp://api.example.com/v1",
                "https://api.example.com:port/v1",
                "https://[::1/v1",
                "https:///v1",
                "https://a..b/v1",
                f"https://{'a' * 64}.com/v1",
                "https://api.example.com/ /v1",
                "https://api.example.com/v1\n",
                "https://äpi.example.com/v1",
                "https://user:word@api.example.com/v1",
                "https://@api.example.com/v1",
                "https://api.example.com/v1?x=1",
                "https://api.example.com/v1?",
                "https://api.example.com/v1#",
                "https://api.example.com//v1",
                "https://api.example.com/../v1",
                "https://api.example.com/./v1",
                "https://api.example.com/a|b/v1",
            )
        ),
        ("http://api.example.com/v1", "is not secure"),
        ("http://127.0.0.1.example.com/v1", "is not secure"),
        ("http://10.0.0.7/v1", "is not secure"),
        ("https://api.example.com", "does not end in /v1"),
        ("https://api.example.com/v1beta", "does not end in /v1"),
        ("https://api.example.com/v11", "does not end in /v1"),
        ("https://api.example.com/xv1", "does not end in /v1"),
    ],
)
def test_an_unsafe_base_address_is_refused_with_advice(text: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words) as caught:
        check_base_url(text)
    assert caught.value.advice


@pytest.mark.parametrize(
    ("text", "service"),
    [
        ("https://api.example.com/v1", "https://api.example.com/v1"),
        ("HTTPS://Api.Example.COM:443/v1", "https://api.example.com/v1"),
        ("http://localhost:80/v1", "http://localhost/v1"),
        ("https://api.example.com:8443/v1", "https://api.example.com:8443/v1"),
        ("https://[2001:DB8::1]:443/v1", "https://[2001:db8::1]/v1"),
        ("https://api.example.com/Some/v1", "https://api.example.com/Some/v1"),
    ],
)
def test_an_address_written_in_two_ways_is_one_service(text: str, service: str) -> None:
    assert service_of(text) == service


def test_an_auth_address_needs_no_version() -> None:
    assert check_auth_url("https://login.example.com/") == "https://login.example.com"


@pytest.mark.parametrize(
    "path", ["/auth", "/auth/", "/auth/realms/platform-api", "/x/realms/y"]
)
def test_an_auth_address_with_a_path_is_refused(path: str) -> None:
    """The client adds the path itself, so no token could be requested.

    Spec: "Authentication".
    """
    with pytest.raises(SettingsError, match="already contains /auth or /realms"):
        check_auth_url(f"https://login.example.com{path}")


def test_a_message_never_repeats_the_address() -> None:
    with pytest.raises(SettingsError) as caught:
        check_auth_url("https://user:never-shown@login.example.com")
    assert (
        "never-shown"
        not in f"{caught.value.message}{caught.value.advice}{caught.value!r}"
    )
