"""The command asks the very same again, byte for byte, through any shell."""

import os
import shutil
import subprocess

import pytest

from item_visibility.api.client import VisibilityClient
from item_visibility.api.identifiers import ItemKey, refusal
from item_visibility.api.requests import add_visibility, get_visibilities
from item_visibility.evidence.curl_line import curl_line
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET, FaultService
from tests.support.hostile_ids import HOSTILE_IDS
from tests.support.thorough import sample

SENT = [one for one in HOSTILE_IDS if refusal(one, name="item") is None]
ORIGIN = "https://api.example.com"
SHOW = 'curl() { printf "%s\\n" "$@"; }\n'
"""A shell's function in place of the program: it writes each of its arguments in a line."""


def run(script: str, **environ: str) -> str:
    """The output of a shell that runs the script."""
    done = subprocess.run(
        ["/bin/sh", "-c", script],
        capture_output=True,
        env=dict(os.environ) | environ,
        check=True,
        timeout=120,
    )
    return done.stdout.decode()


def test_any_id_reaches_the_program_as_it_was_sent() -> None:
    """338 of them, in one script. The token is the shell's."""
    urls = [get_visibilities(f"{ORIGIN}/v1", ItemKey(one, one)).url for one in SENT]
    lines = [curl_line("getVisibilities", "GET", url) for url in urls]
    arguments = run(SHOW + "\n".join(lines), TOKEN="abc d").splitlines()
    assert [one for one in arguments if one.startswith("https:")] == urls
    assert arguments.count("Authorization: Bearer abc d") == len(urls)


def test_a_base_address_with_signs_of_the_shell_is_quoted() -> None:
    """Some addresses hold them."""
    url = f"{ORIGIN}/a'b$TOKEN&c/v1/itemvisibilities/S/I"
    assert run(SHOW + curl_line("getVisibilities", "GET", url)).splitlines()[-1] == url


@pytest.mark.parametrize("operation", ["addVisibility", "setVisibilities"])
def test_a_command_that_changes_something_does_nothing_when_it_is_pasted(operation: str) -> None:
    """Take the sign away to run it."""
    line = curl_line(operation, "PUT", ORIGIN)
    assert run(SHOW + line) == ""
    assert "-X\nPUT\n" in run(SHOW + line.removeprefix("# "))


def test_a_list_is_sent_from_a_file() -> None:
    """The list itself is in the pack."""
    line = curl_line("setVisibilities", "PUT", ORIGIN)
    assert "-H 'Content-Type: application/json' --data-binary @list.json" in line


@pytest.mark.contract
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_the_service_is_asked_about_the_very_item() -> None:
    """By the real program, in every position of the path."""
    ids = sample(SENT, 10)
    with FaultService() as service:
        with VisibilityClient(service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET) as client:
            client.request_token()
        (token,) = service.tokens.issued
        requests = [add_visibility(service.base_url, ItemKey(one, one), one) for one in ids]
        lines = [curl_line("addVisibility", "PUT", request.url) for request in requests]
        answers = run("\n".join(line.removeprefix("# ") for line in lines), TOKEN=token)
        assert [service.recipients_of(one, one) for one in ids] == [frozenset([one]) for one in ids]
    assert answers.count("HTTP/1.1 204") == len(ids)
