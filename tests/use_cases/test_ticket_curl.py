"""The cURL commands of a ticket send the same requests again, byte for byte, through any shell."""

import os
import shutil
import subprocess

import pytest

from item_visibility.client.call_records import CallRecord
from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    SET_VISIBILITIES,
    Request,
    item_request,
    recipient_request,
)
from item_visibility.use_cases import ticket
from item_visibility.use_cases.ticket import curl_commands
from tests.support.fake_visibilities import START
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET, FaultService
from tests.support.hostile_ids import HOSTILE_IDS
from tests.support.thorough import sample

SENT = [one for one in HOSTILE_IDS if refusal(one, name="item") is None]
ORIGIN = "https://api.example.com"
SET = item_request(SET_VISIBILITIES, ORIGIN, ItemKey("S", "I"), b'["R"]')
SHOW = 'curl() { printf "%s\\n" "$@"; }\n'
"""A shell's function in place of the program: it writes each of its arguments in a line."""


def run(script: str, **environ: str) -> str:
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        capture_output=True,
        env=dict(os.environ) | environ,
        check=True,
        timeout=120,
    )
    return done.stdout.decode()


def commands(*requests: Request) -> str:
    calls = [
        CallRecord(one.operation.name, 200, method=one.operation.method, path=one.path, sent_at=START)
        for one in requests
    ]
    return curl_commands(calls, base_url=requests[0].url.partition("/itemvisibilities")[0])


@pytest.fixture(autouse=True)
def many_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticket, "_MOST_LINES", len(SENT))


def test_any_id_reaches_the_program_as_it_was_sent() -> None:
    base_url = f"{ORIGIN}/a'b$TOKEN&c/v1"
    requests = [item_request(GET_VISIBILITIES, base_url, ItemKey(one, one)) for one in SENT]
    arguments = run(SHOW + commands(*requests), TOKEN="abc d").splitlines()
    assert [one for one in arguments if one.startswith("https:")] == [one.url for one in requests]
    assert arguments.count("Authorization: Bearer abc d") == len(requests)


@pytest.mark.parametrize(
    "request_",
    [recipient_request(ADD_VISIBILITY, ORIGIN, ItemKey("S", "I"), "R"), SET],
)
def test_a_command_that_changes_something_does_nothing_when_it_is_pasted(request_: Request) -> None:
    line = commands(request_)
    assert run(SHOW + line) == ""
    assert "-X\nPUT\n" in run(SHOW + line.removeprefix("# "))
    assert ("--data-binary @list.json" in line) is (request_ is SET)


def test_each_request_is_named_once_and_a_request_for_a_token_never() -> None:
    read = CallRecord("getVisibilities", 200, method="GET", path="/v1/itemvisibilities/S/I", sent_at=START)
    token = CallRecord("requestToken", 200, method="POST", path="/token", sent_at=START)
    assert len(curl_commands([token, read, read], base_url=ORIGIN).splitlines()) == 1


@pytest.mark.contract
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_the_service_is_asked_about_the_very_item() -> None:
    ids = sample(SENT, 10)
    with FaultService() as service:
        with VisibilityClient(service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET) as client:
            client.request_token()
        (token,) = service.tokens.issued
        requests = [
            recipient_request(ADD_VISIBILITY, service.base_url, ItemKey(one, one), one) for one in ids
        ]
        lines = commands(*requests).splitlines()
        answers = run("\n".join(line.removeprefix("# ") for line in lines), TOKEN=token)
        assert [service.recipients_of(one, one) for one in ids] == [frozenset([one]) for one in ids]
    assert answers.count("HTTP/1.1 204") == len(ids)
