"""The commands that serve until a signal ends them."""

import json
import signal
import urllib.parse
import urllib.request
from pathlib import Path

import pytest

from item_visibility import __version__
from tests.cli.programs import Outside, open_web_socket, run_program, status_of
from tests.support.ports import free_port

pytestmark = pytest.mark.contract


def test_a_demo_runs_whatever_is_configured_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    """Status 0, no orphan, nothing on the terminal but where it opens; its records are its own.

    It looks up no name and calls no other machine.
    """
    port = free_port()
    outside = Outside(tmp_path)
    environ = outside.environ | {"ITEM_VISIBILITY_BASE_URL": "nonsense"}
    with run_program("demo", "--port", str(port), "--no-browser", data_home=tmp_path, **environ) as program:
        answer = program.wait_for(f"http://127.0.0.1:{port}/readyz")
        numbers = program.wait_for(f"http://127.0.0.1:{port}/metrics")
        from_elsewhere = status_of(port, proxy_says="203.0.113.7")
        ended = program.end_with(signal.SIGINT)

    assert answer == f"ready {__version__}\n"
    assert 'item_visibility_records_up{environment="Demo"} 1.0\n' in numbers
    assert f'item_visibility_build_info{{version="{__version__}"}} 1.0\n' in numbers
    assert from_elsewhere == 403
    assert (ended.status, ended.has_orphan) == (0, False)
    assert ended.output.strip() == f"The demo opens on http://127.0.0.1:{port} (Ctrl-C ends it)."
    assert outside.asked() == set()
    assert {path.name for path in (tmp_path / "item-visibility").glob("*.sqlite")} == {
        "demo-records.sqlite",
        "demo-service.sqlite",
    }


def test_a_dashboard_for_others_asks_nobody_and_ends_with_a_deployments_signal(tmp_path: Path) -> None:
    port = free_port()
    outside = Outside(tmp_path)
    options = ("--host", "0.0.0.0", "--port", str(port), "--no-browser")
    origins = (
        f"http://localhost:{port}",
        "http://localhost:3000",
        "http://0.0.0.0:3000",
        "https://evil.example",
    )
    ours = {"ITEM_VISIBILITY_OPEN": "yes-everyone-may-write", "ITEM_VISIBILITY_DEMO": "true"}
    environ = outside.environ | ours
    with run_program("dashboard", *options, data_home=tmp_path, **environ) as program:
        program.wait_for(f"http://127.0.0.1:{port}/readyz")
        answers = [open_web_socket(port, origin=origin) for origin in origins]
        numbers = status_of(port, proxy_says="203.0.113.7", path="/metrics")
        ended = program.end_with(signal.SIGTERM)

    assert (answers, numbers) == ([101, 403, 403, 403], 403)
    assert outside.asked() == set()
    assert (ended.status, ended.has_orphan) == (0, False)
    assert f" INFO item_visibility.bootstrap.log_lines: Version {__version__} starts." in ended.output
    assert f"The dashboard (Demo) opens on http://localhost:{port} (Ctrl-C ends it)." in ended.output
    assert "There is no sign-in: everyone who can reach it can read and change visibilities." in ended.output


def test_every_line_is_json_when_json_is_asked_for(tmp_path: Path) -> None:
    port = free_port()
    ours = {"ITEM_VISIBILITY_LOG": "json", "ITEM_VISIBILITY_DEMO": "true"}
    with run_program("dashboard", "--port", str(port), "--no-browser", data_home=tmp_path, **ours) as program:
        program.wait_for(f"http://127.0.0.1:{port}/readyz")
        ended = program.end_with(signal.SIGTERM)

    messages = [json.loads(line)["message"] for line in ended.output.splitlines()]
    assert messages[0].startswith("The dashboard (Demo) opens on ")
    assert messages[1] == f"Version {__version__} starts."


def test_a_sample_service_gives_tokens_to_the_demo_client(tmp_path: Path) -> None:
    host, place, port = "::1", "[::1]", free_port()
    form = {"grant_type": "client_credentials", "client_id": "demo", "client_secret": "demo"}
    address = f"http://{place}:{port}/auth/realms/platform-api/protocol/openid-connect/token"
    with run_program(
        "service", "--host", host, "--port", str(port), "--sample", data_home=tmp_path
    ) as program:
        health = json.loads(program.wait_for(f"http://{place}:{port}/readyz"))
        with urllib.request.urlopen(address, urllib.parse.urlencode(form).encode(), timeout=60) as answer:
            token = json.load(answer)["access_token"]
        ended = program.end_with(signal.SIGTERM)

    assert token
    assert health == {"status": "ok", "version": __version__}
    assert (ended.status, ended.has_orphan) == (0, False)
    assert "Traceback" not in ended.output
    assert (tmp_path / "item-visibility" / "sample-service.sqlite").exists()
