#!/usr/bin/env python3
"""Install what is needed, then run a command: `python3 run.py demo`.

    demo        open the dashboard on the bundled service, with sample data
    dashboard   open the dashboard on the configured service
    service     run the bundled service alone
    doctor      check the connection, as the Connection page does
    test        run all tests on all processors; `--thorough` adds the long ones.
                Downloads a browser if there is none. With other options or a folder,
                such as `python3 run.py test tests/cli`, pytest runs in one process.

Further arguments are passed to the command: `python3 run.py demo --port 8600`.

Needs only Python 3.11 or newer with pip. The packages are installed into `.venv` in
this folder, and again when the requirements change. Nothing is installed elsewhere,
except a browser for the tests when root runs them on Debian.
"""

# An old Python must get as far as the message about its version.
from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
PACKAGES = ("item_visibility", "item_visibility_service", "components", "pages")
PROGRAMS = ("demo", "dashboard", "service", "doctor")
ON_ALL_PROCESSORS = ("--numprocesses=auto", "--dist=worksteal")
WHOLE_RUN_OPTIONS = {"--thorough"}
OLDEST_PYTHON = (3, 11)


def main(arguments: list[str]) -> int:
    """Install what the command needs, run it, and return its exit status."""
    command, *options = arguments or ["--help"]
    if command in {"-h", "--help"}:
        sys.stdout.write(f"{__doc__.strip()}\n")
        return 0
    if command not in (*PROGRAMS, "test"):
        sys.stderr.write(
            f"There is no command {command!r}. `python3 run.py --help` lists them.\n"
        )
        return 2

    os.chdir(ROOT)
    if command == "test":
        set_up("requirements-dev.txt")
        # The exit status is ignored: it prints its own messages.
        subprocess.call([PYTHON, "-m", "tests.support.browser", "--ensure"])
        is_everything = WHOLE_RUN_OPTIONS.issuperset(options)
        workers = ON_ALL_PROCESSORS if is_everything else ()
        return become([str(PYTHON), "-m", "pytest", *workers, *options])

    set_up("requirements.txt")
    return become([str(PYTHON), "-m", "item_visibility", command, *options])


def set_up(requirements: str) -> None:
    """Install the requirements into `.venv`, unless exactly these are there already."""
    wanted = ROOT / requirements
    installed = ENVIRONMENT / requirements
    if not environment_starts():
        make_environment()
    if installed.is_file() and installed.read_bytes() == wanted.read_bytes():
        return

    say(f"installing {requirements} into .venv; this can take two minutes")
    install(wanted)
    compile_bytecode()
    shutil.copyfile(wanted, installed)


def environment_starts() -> bool:
    """Return True if the Python of `.venv` starts and is new enough."""
    check = f"import sys; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    return PYTHON.is_file() and subprocess.call([PYTHON, "-c", check]) == 0


def make_environment() -> None:
    """Create an empty `.venv` without pip.

    Debian's Python may lack the module that installs pip.
    """
    if sys.version_info < OLDEST_PYTHON:
        stop(f"Python 3.11 or newer is needed; this one is {sys.version.split()[0]}.")

    say("creating a virtual environment in .venv")
    venv = [sys.executable, "-m", "venv", "--without-pip", "--clear"]
    if subprocess.call([*venv, ENVIRONMENT]):
        stop(
            "The virtual environment could not be created. See Python's message above."
        )


def install(requirements: Path) -> None:
    """Install exactly the packages in the file, with the user's pip and settings."""
    pip = [sys.executable, "-m", "pip", "--python", str(PYTHON)]
    options = [
        "--quiet",
        "--require-hashes",
        "--no-deps",
        "--no-compile",
        "--requirement",
        str(requirements),
    ]
    environment = {**os.environ, "PIP_USER": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if subprocess.call([*pip, "install", *options], env=environment):
        stop(
            "The packages could not be installed. See pip's message above.\n"
            "If pip is missing, install it (often python3-pip). "
            "If .venv is activated, run `deactivate`.\n"
            "Behind a proxy or a mirror, configure pip with "
            "PIP_INDEX_URL, PIP_CERT, HTTPS_PROXY or\n"
            "pip.conf. Then run this again."
        )


def compile_bytecode() -> None:
    """Compile the packages and the program.

    The first start then takes 0.7 s instead of 2.8 s.
    """
    folders = [str(ENVIRONMENT), *(str(ROOT / package) for package in PACKAGES)]
    # The exit status is ignored, because some packages contain files for other versions
    # of Python.
    subprocess.call([str(PYTHON), "-m", "compileall", "-qq", "-j", "0", *folders])


def become(command: list[str]) -> int:
    """Replace this process with the command, so that signals reach it."""
    sys.stdout.flush()
    if os.name != "nt":
        os.execv(command[0], command)

    # Windows sends Ctrl-C to the program too, which ends first.
    with contextlib.suppress(KeyboardInterrupt):
        return subprocess.call(command)
    return 0


def say(message: str) -> None:
    """Print a line about the installation."""
    sys.stdout.write(f"[setup] {message}\n")
    sys.stdout.flush()


def stop(message: str) -> NoReturn:
    """Exit with a message about what is missing and what to do."""
    sys.exit(f"[setup] {message}")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
