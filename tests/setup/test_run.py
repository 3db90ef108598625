"""How `run.py` installs and starts, and that tests reach neither the network nor a
person's folders.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_socket import SocketBlockedError, SocketConnectBlockedError

import run

PIP = """
import os, sys
from pathlib import Path
with Path("pip.log").open("a") as log:
    user = "user=" + os.environ["PIP_USER"]
    print(*sys.argv[1:], user, os.environ.get("PIP_INDEX_URL", ""), file=log)
sys.exit(os.environ.get("PIP_ANSWER"))
"""
PROGRAM = """
import os, signal, sys, time
print("in", os.getcwd(), "as", os.getpid(), "with", *sys.argv[1:], flush=True)
if "--wait" in sys.argv:
    signal.signal(signal.SIGINT, lambda *_: sys.exit(0))
    print("waiting", flush=True)
    time.sleep(60)
sys.exit(7)
"""
ECHO = "import sys; print(__spec__.name, *sys.argv[1:], flush=True)"

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project whose program and tests only print that they ran."""
    folder = tmp_path / "a project"
    files = {
        "requirements.txt": "",
        "requirements-dev.txt": "",
        "item_visibility/__main__.py": PROGRAM,
        "tests/support/browser.py": ECHO,
        "pytest/__main__.py": ECHO,
        "../elsewhere/pip/__main__.py": PIP,
    }
    folder.mkdir()
    for name, text in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    shutil.copy(run.ROOT / "run.py", folder)
    return folder


@pytest.fixture
def start(project: Path, tmp_path: Path) -> Run:
    def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        python_path = {"PYTHONPATH": str(tmp_path / "elsewhere")}
        return subprocess.run(
            [sys.executable, project / "run.py", *arguments],
            capture_output=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, **python_path, **environment},
            text=True,
            timeout=60,
        )

    return start


def calls_of_pip(project: Path) -> list[str]:
    log = project / "pip.log"
    return log.read_text().splitlines() if log.exists() else []


def test_the_first_start_installs_what_is_pinned_and_runs_the_program(
    start: Run, project: Path
) -> None:
    ended = start("demo", "--port", "8600", PIP_INDEX_URL="a mirror", PIP_USER="1")
    assert ended.returncode == 7
    assert f"in {project} as" in ended.stdout
    assert ended.stdout.endswith("with demo --port 8600\n")
    (call,) = calls_of_pip(project)
    python = project / run.PYTHON.relative_to(run.ROOT)
    assert call.startswith(f"--python {python} install")
    assert "--require-hashes --no-deps" in call
    assert f"--requirement {project / 'requirements.txt'}" in call
    assert call.endswith("user=0 a mirror")


def test_requirements_are_installed_again_only_when_they_change(
    start: Run, project: Path
) -> None:
    start("demo")
    second = start("demo")
    calls = len(calls_of_pip(project))
    (project / "requirements.txt").write_text("# changed\n")
    start("demo")
    assert calls == 1
    assert "[setup]" not in second.stdout
    assert len(calls_of_pip(project)) == 2


def test_a_failed_installation_says_what_to_do_and_is_tried_again(
    start: Run, project: Path
) -> None:
    failed = start("demo", PIP_ANSWER="no network")
    again = start("demo")
    assert "no network" in failed.stderr
    assert "Then run this again." in failed.stderr
    assert "with demo" not in failed.stdout
    assert failed.returncode == 1
    assert again.returncode == 7
    assert len(calls_of_pip(project)) == 2


def test_an_environment_that_no_longer_starts_is_made_again(
    start: Run, project: Path
) -> None:
    start("demo")
    python = project / ".venv/bin/python"
    python.unlink()
    python.write_text("#!/bin/sh\nexit 127\n")
    python.chmod(0o755)
    ended = start("demo")
    assert "creating a virtual environment" in ended.stdout
    assert ended.returncode == 7


@pytest.mark.parametrize(
    ("options", "of_pytest"),
    [
        (("-k", "a name"), "-k a name"),
        ((), "--numprocesses=auto --dist=worksteal"),
        (("--thorough",), "--numprocesses=auto --dist=worksteal --thorough"),
    ],
)
def test_the_command_test_looks_for_a_browser_and_runs_pytest(
    start: Run, project: Path, options: tuple[str, ...], of_pytest: str
) -> None:
    ended = start("test", *options)
    assert ended.stdout.splitlines()[-2:] == [
        "tests.support.browser --ensure",
        f"pytest.__main__ {of_pytest}",
    ]
    requirements = project / "requirements-dev.txt"
    assert f"--requirement {requirements}" in calls_of_pip(project)[0]


@pytest.mark.parametrize(
    ("arguments", "message", "status"),
    [
        ((), "demo        open the dashboard on the bundled service", 0),
        (("--help",), "demo        open the dashboard on the bundled service", 0),
        (
            ("demmo",),
            "There is no command 'demmo'. `python3 run.py --help` lists them.",
            2,
        ),
    ],
)
def test_an_unknown_command_lists_the_known_ones(
    start: Run, project: Path, arguments: tuple[str, ...], message: str, status: int
) -> None:
    ended = start(*arguments)
    assert message in ended.stdout + ended.stderr
    assert ended.returncode == status
    assert not (project / ".venv").exists()


def test_a_python_that_is_too_old_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 10, 4))
    with pytest.raises(SystemExit, match=r"Python 3\.11 or newer is needed"):
        run.make_environment()


@pytest.mark.skipif(
    os.name == "nt", reason="Windows cannot replace one program by another"
)
def test_ctrl_c_reaches_the_program(project: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, project / "run.py", "demo", "--wait"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "elsewhere")},
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout is not None
        *_, last_line = iter(started.stdout.readline, "waiting\n")
        started.send_signal(signal.SIGINT)
        status = started.wait(timeout=60)
    assert f"as {started.pid} with demo --wait" in last_line
    assert status == 0


@pytest.mark.filterwarnings("ignore:A test tried to use:UserWarning")
def test_a_test_without_a_marker_has_no_network() -> None:
    with pytest.raises(SocketBlockedError):
        socket.create_connection(("127.0.0.1", 9))


@pytest.mark.contract
@pytest.mark.filterwarnings("ignore:A test tried to use:UserWarning")
def test_a_marked_test_does_not_reach_other_machines() -> None:
    with socket.socket() as connection, pytest.raises(SocketConnectBlockedError):
        connection.connect(("192.0.2.1", 9))


@pytest.mark.parametrize("name", ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"])
def test_a_persons_folders_are_out_of_reach(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert Path(os.environ[name]).is_relative_to(tmp_path_factory.getbasetemp())
