"""The commands, run in this process."""

import logging
import os
import runpy
import socket
import sys
import threading
import webbrowser
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility import __version__
from item_visibility.cli import commands, serve
from item_visibility_service.server import EmbeddedService
from item_visibility_service.settings import OtherIssuer, ServiceSettings
from item_visibility_service.switches import Switches
from tests.cli.conftest import run
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET
from tests.support.listening import free_port

pytestmark = pytest.mark.contract

OPEN = {"ITEM_VISIBILITY_OPEN": "yes-everyone-may-write"}


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def environ_of(service: EmbeddedService) -> dict[str, str]:
    return {
        "ITEM_VISIBILITY_BASE_URL": service.base_url,
        "ITEM_VISIBILITY_AUTH_URL": service.auth_url,
        "ITEM_VISIBILITY_CLIENT_ID": CLIENT_ID,
        "ITEM_VISIBILITY_CLIENT_SECRET": CLIENT_SECRET,
    }


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        (
            "BASE_URL",
            "{auth_url}/elsewhere/v1",
            "another program seems to answer at this address",
        ),
        (
            "CLIENT_SECRET",
            "wrong",
            "Our side: the token endpoint refuses our client id or secret.",
        ),
    ],
)
def test_the_doctor_names_what_is_wrong(
    service: EmbeddedService, variable: str, value: str, words: str
) -> None:
    wrong = {f"ITEM_VISIBILITY_{variable}": value.format(auth_url=service.auth_url)}
    result = run("doctor", environ=environ_of(service) | wrong)
    assert result.exit_code == 1
    assert words in result.output


def test_the_doctor_repeats_why_the_service_refused_a_token(
    service: EmbeddedService,
) -> None:
    service.service.switches = Switches(token_lifetime_s=0)
    result = run("doctor", environ=environ_of(service))
    assert result.output.startswith(
        "Between us and them: their service refuses the tokens"
    )
    assert "| 401 in " in result.output
    assert "The access token has expired." in result.output


def test_the_doctor_works_without_our_own_database(
    service: EmbeddedService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # as outside of tests
    nowhere = {
        "ITEM_VISIBILITY_DATABASE_URL": f"sqlite:///{tmp_path}/nowhere/records.sqlite"
    }
    result = run("doctor", environ={**environ_of(service), **nowhere})
    assert result.exit_code == 1
    assert result.output.startswith(
        "Our side: our own database cannot be used. Their service answers.\n"
    )
    assert (
        "  FAILED  Own database  The dashboard's own database could not be used: "
        in result.output
    )
    assert result.stderr == ""


def test_the_doctor_checks_the_named_environment(
    service: EmbeddedService, tmp_path: Path
) -> None:
    table = (
        "[connections.live]\n"
        f'base_url = "{service.base_url}"\n'
        f'auth_url = "{service.auth_url}"\n'
    )
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text(
        f'{table}client_id = "{CLIENT_ID}"\nclient_secret = "{CLIENT_SECRET}"\n',
        "utf-8",
    )
    result = run("doctor", "--env", "live")
    assert result.exit_code == 0
    assert result.output.startswith("Their service answers. Our side is fine.\n")
    assert "\nlive, examined at " in result.output
    assert CLIENT_SECRET not in result.output


COMMANDS = (
    "plan list.csv",
    "apply list.csv --yes",
    "export --format csv -o out.csv",
    "doctor",
    "dashboard",
)


@pytest.mark.parametrize("command", [*COMMANDS, "sign-out --all"])
def test_a_command_without_a_service_says_what_is_missing(command: str) -> None:
    Path("list.csv").write_text("supplier;item;recipient\nS;I;R\n", "utf-8")
    names = [
        f"ITEM_VISIBILITY_{name}"
        for name in ("BASE_URL", "AUTH_URL", "CLIENT_ID", "CLIENT_SECRET")
    ]
    result = run(
        *command.split(),
        environ=dict.fromkeys(names, "") | {"ITEM_VISIBILITY_DEMO": "false"},
    )
    assert result.exit_code == 1
    assert [name for name in names if name not in result.output] == []
    assert not Path("data").exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "dash.example.com"])
def test_a_dashboard_without_a_sign_in_listens_on_this_machine_only(host: str) -> None:
    result = run("dashboard", "--host", host, "--port", "8501")
    assert result.exit_code == 1
    assert result.output == (
        "Error: There is no sign-in, so the dashboard can only listen on this "
        f"machine, not on {host}.\n"
        "If everyone who can reach it may read and change visibilities, set"
        " ITEM_VISIBILITY_OPEN=yes-everyone-may-write\n"
    )


def test_a_dashboard_on_this_machine_gives_no_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serve, "_run_dashboard", Mock())
    result = run("dashboard", "--port", str(port := free_port()))
    assert (
        result.output
        == f"The dashboard (default) opens on http://127.0.0.1:{port} (Ctrl-C ends "
        "it).\n"
    )


@pytest.mark.parametrize(
    "arguments", [("demo",), ("dashboard",), ("service", "--sample")]
)
def test_a_taken_port_is_an_error(arguments: tuple[str, ...]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        result = run(*arguments, "--port", str(port))
    assert result.exit_code == 1
    assert result.output.startswith(
        f"Error: Port {port} of 127.0.0.1 cannot be used: another program uses it, "
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--client-id", "us"),
            "Give one of --sample, --issuer, or --client-secret-file",
        ),
        (("--sample", "--issuer", "https://i"), "Give one of --sample, --issuer, or"),
        (
            ("--issuer", "http://i", "--audience", "a"),
            "address of the issuer is not secure",
        ),
        (
            ("--sample", "--database-url", "postgresql://u:hidden@h/d"),
            "Other users of this machine can read a password",
        ),
        (("--sample", "--host", "0.0.0.0"), "can only listen on 127.0.0.1"),
    ],
)
def test_a_service_says_which_options_it_needs(
    arguments: tuple[str, ...], message: str
) -> None:
    result = run("service", "--port", str(free_port()), *arguments)
    assert result.exit_code == 1
    assert message in result.output
    assert "Traceback" not in result.output


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    started: list[str] = []
    monkeypatch.setattr(sys, "argv", ["item-visibility"])
    monkeypatch.setattr(
        runpy, "run_module", lambda name, **_: started.extend([name, *sys.argv[1:]])
    )
    monkeypatch.setattr(serve, "exit_on_signals", lambda: None)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    return started


APP = Path(commands.__file__).resolve().parents[2] / "app.py"


@pytest.mark.parametrize(
    ("arguments", "address", "options"),
    [
        ("dashboard --host ::1", "http://[::1]:{}", ["address=::1"]),
        ("dashboard --host 0.0.0.0", "http://localhost:{}", ["address=0.0.0.0"]),
        ("demo --no-browser", "http://127.0.0.1:{}", ["address=127.0.0.1"]),
        (
            (
                "dashboard --no-browser --base-path /a/b-1/"
                " --allowed-host a.example --allowed-host *.b.example"
            ),
            "http://127.0.0.1:{}/a/b-1/",
            [
                "baseUrlPath=a/b-1",
                *(
                    f"allowedHosts={name}"
                    for name in ("127.0.0.1", "localhost", "a.example", "*.b.example")
                ),
            ],
        ),
    ],
)
def test_the_command_for_the_dashboard_starts_streamlit(
    monkeypatch: pytest.MonkeyPatch,
    started: list[str],
    arguments: str,
    address: str,
    options: list[str],
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(serve, "open_browser", opened.append)
    port = free_port()
    result = run(*arguments.split(), "--port", str(port), environ=OPEN)
    assert result.exit_code == 0
    assert f"opens on {address.format(port)} (Ctrl-C ends it)." in result.output
    assert started[:3] == ["streamlit", "run", str(APP)]
    wanted = {
        f"--server.port={port}",
        "--server.headless=true",
        *(f"--server.{option}" for option in options),
    }
    assert wanted <= set(started)
    assert opened == ([] if "--no-browser" in arguments else [address.format(port)])


@pytest.fixture
def run_service(monkeypatch: pytest.MonkeyPatch) -> Mock:
    run_service = Mock()
    monkeypatch.setattr(serve, "run_service", run_service)
    return run_service


@pytest.mark.parametrize(
    ("options", "ending"),
    [
        ((), "/item-visibility/service.sqlite"),
        (("--database-url", "sqlite:///other.sqlite"), "///other.sqlite"),
    ],
)
def test_a_service_serves_its_client(
    run_service: Mock, options: tuple[str, ...], ending: str
) -> None:
    Path("secret").write_text("hush\n", "utf-8")
    port = free_port()
    client = ("--client-id", "us", "--client-secret-file", "secret")
    result = run("service", "--port", str(port), *client, *options)
    assert result.exit_code == 0
    (settings,) = run_service.call_args.args
    assert settings.client_id == "us"
    assert settings.client_secret == "hush"
    assert settings.database_url.endswith(ending)
    assert run_service.call_args.kwargs == {"host": "127.0.0.1", "port": port}


def test_a_service_accepts_tokens_of_the_configured_issuer(run_service: Mock) -> None:
    Path("database").write_text("postgresql://u:hidden@h/d\n", "utf-8")
    issuer = (
        "--issuer",
        "https://login.example.com/r",
        "--audience",
        "items",
        "--client-id",
        "us",
    )
    result = run(
        "service",
        "--port",
        str(free_port()),
        "--database-url-file",
        "database",
        *issuer,
    )
    assert result.exit_code == 0
    accepted = OtherIssuer(
        url="https://login.example.com/r", audience="items", client_id="us"
    )
    (settings,) = run_service.call_args.args
    assert settings == ServiceSettings(
        "postgresql://u:hidden@h/d", issuer=accepted, version=__version__
    )


@pytest.mark.parametrize(
    ("script", "opened"),
    [([OSError(), Mock()], ["http://[::1]:8501/tools/"]), ([OSError(), OSError()], [])],
)
def test_a_browser_opens_once_the_dashboard_answers(
    monkeypatch: pytest.MonkeyPatch, script: list[Exception | Mock], opened: list[str]
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(webbrowser, "open", seen.append)
    monkeypatch.setattr(socket, "create_connection", Mock(side_effect=script))
    monkeypatch.setattr(serve, "BROWSER_WAIT_S", 0.0)
    monkeypatch.setattr(serve, "BROWSER_TRIES", 2)
    monkeypatch.setenv("DISPLAY", ":0")
    serve.open_browser("http://[::1]:8501/tools/")
    for thread in threading.enumerate():
        if thread.name == "browser":
            thread.join()
    assert seen == opened


def test_no_browser_is_opened_without_a_display(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    start = Mock()
    monkeypatch.setattr(threading, "Thread", start)
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    serve.open_browser("http://127.0.0.1:8501")
    start.assert_not_called()
