"""The commands that run until a signal ends them, in processes of their own."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from item_visibility import __version__
from tests.support.listening import free_port
from tests.support.program import Program

pytestmark = pytest.mark.contract

RECORD_OF_ADDRESSES = """
import os, sys

CALLS = {"socket.connect", "socket.sendto"}
ASKED = CALLS | {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}

def record(event, arguments):
    if event in ASKED:
        address = arguments[1] if event in CALLS else arguments
        host = address[0] if isinstance(address, tuple) else "a socket of this machine"
        with open(os.environ["ADDRESSES_ASKED"], "a") as kept:
            kept.write(f"{host}\\n")

sys.addaudithook(record)
"""
OF_THIS_MACHINE = {"127.0.0.1", "::1", "localhost", "None", "a socket of this machine"}


@contextmanager
def serving(
    *arguments: str, at: str, folder: Path, signs_off: signal.Signals = signal.SIGTERM, **environ: str
) -> Iterator[None]:
    """Run this command until a signal, such as that of Ctrl-C, ends its process group with status 0.

    Check that it looks up no name, calls no other machine and leaves no process. `folder` has data and log.
    """
    (folder / "sitecustomize.py").write_text(RECORD_OF_ADDRESSES, "utf-8")
    (folder / "addresses").touch()
    variables = {name: value for name, value in os.environ.items() if name.startswith("COVERAGE_")}
    variables |= {"PYTHONPATH": str(folder), "ADDRESSES_ASKED": str(folder / "addresses")}
    program = Program(
        [sys.executable, "-m", "item_visibility", *arguments],
        log=folder / "log",
        ready_url=f"{at}/readyz",
        variables=variables | {"XDG_DATA_HOME": str(folder), **environ},
    )
    try:
        program.start()
        yield
        os.killpg(program.pid, signs_off)
        assert program.ended() == 0
        with pytest.raises(ProcessLookupError):
            os.killpg(program.pid, 0)
    finally:
        program.kill()
    assert set((folder / "addresses").read_text("utf-8").split("\n")) <= OF_THIS_MACHINE | {""}


def get(url: str, **headers: str) -> httpx.Response:
    return httpx.get(url, headers=headers, trust_env=False)


def open_web_socket(at: str, *, origin: str) -> int:
    """Open a web socket as a browser does, and return the status of the answer."""
    headers = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Origin": origin,
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Version": "13",
    }
    with httpx.stream("GET", f"{at}/_stcore/stream", headers=headers, trust_env=False) as answer:
        return answer.status_code


def test_a_demo_ignores_the_configuration_and_stops_on_ctrl_c(tmp_path: Path) -> None:
    port = free_port()
    at, wrong = f"http://127.0.0.1:{port}", {"ITEM_VISIBILITY_BASE_URL": "nonsense"}
    options = ("demo", "--port", str(port), "--no-browser")
    with serving(*options, at=at, folder=tmp_path, signs_off=signal.SIGINT, **wrong):
        assert get(f"{at}/readyz").text == f"ready {__version__}\n"
        assert 'item_visibility_records_up{environment="Demo"} 1.0\n' in get(f"{at}/metrics").text
        assert get(at, **{"X-Forwarded-For": "203.0.113.7"}).status_code == 403
    assert (tmp_path / "log").read_text("utf-8").strip() == f"The demo opens on {at} (Ctrl-C ends it)."
    assert {path.name for path in (tmp_path / "item-visibility").glob("*.sqlite")} == {
        "demo-records.sqlite",
        "demo-service.sqlite",
    }


def test_a_dashboard_for_others_opens_no_browser_and_stops_on_sigterm(tmp_path: Path) -> None:
    port = free_port()
    at = f"http://127.0.0.1:{port}"
    options = ("dashboard", "--host", "0.0.0.0", "--port", str(port), "--no-browser")
    ours = {"ITEM_VISIBILITY_OPEN": "yes-everyone-may-write", "ITEM_VISIBILITY_DEMO": "true"}
    ours["ITEM_VISIBILITY_LOG"] = "json"
    origins = (at, "http://localhost:3000", "http://0.0.0.0:3000", "https://evil.example")
    with serving(*options, at=at, folder=tmp_path, **ours):
        assert [open_web_socket(at, origin=one) for one in origins] == [101, 403, 403, 403]
        assert get(f"{at}/metrics", **{"X-Forwarded-For": "203.0.113.7"}).status_code == 403
    lines = (tmp_path / "log").read_text("utf-8").splitlines()
    assert [json.loads(line)["message"] for line in lines][:3] == [
        f"The dashboard (Demo) opens on http://localhost:{port} (Ctrl-C ends it).",
        "There is no sign-in: everyone who can reach it can read and change visibilities.",
        f"Version {__version__} starts.",
    ]


def test_a_sample_service_gives_tokens_to_the_demo_client(tmp_path: Path) -> None:
    port = free_port()
    at = f"http://[::1]:{port}"
    form = {"grant_type": "client_credentials", "client_id": "demo", "client_secret": "demo"}
    token = f"{at}/auth/realms/platform-api/protocol/openid-connect/token"
    options = ("service", "--host", "::1", "--port", str(port), "--sample")
    with serving(*options, at=at, folder=tmp_path, ITEM_VISIBILITY_LOG="json"):
        assert get(f"{at}/readyz").json() == {"status": "ok", "version": __version__}
        assert httpx.post(token, data=form, trust_env=False).json()["access_token"]
    levels = {json.loads(line)["level"] for line in (tmp_path / "log").read_text("utf-8").splitlines()}
    assert levels == {"INFO"}
    assert (tmp_path / "item-visibility" / "sample-service.sqlite").exists()
