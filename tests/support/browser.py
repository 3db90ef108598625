"""A Chromium for the tests: one of this machine, or one downloaded into the project
folder.

`python -m tests.support.browser` prints the browser that the tests use. With
`--ensure`, it downloads a browser if there is none. It changes nothing outside the
project folder, with one exception: when root runs it on Debian, it installs Debian's
packages.
"""

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path

import playwright

CACHE = Path(__file__).resolve().parents[2] / ".cache" / "browser"
UNPACKED = CACHE / "root"
COMMANDS = (
    # Renders the same pages without a window, with a tenth less work.
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "microsoft-edge",
    "msedge",
)
PLAYWRIGHT_PROGRAMS = (
    "chromium_headless_shell-*/*/*headless*shell*",
    "chromium-*/*/chrome",
    "chromium-*/*/chrome.exe",
    "chromium-*/*/*.app/Contents/MacOS/*",
)
DEBIAN_BROWSER = ("chromium-headless-shell", "fonts-liberation")
DEBIAN_DRIVER = ("libatomic1",)


def find_browser() -> Path | None:
    """Return the first Chromium, Chrome or Edge that starts, on the PATH or downloaded
    earlier, or None.
    """
    return next((program for program in _candidates() if _starts(program)), None)


def browser_environment() -> dict[str, str]:
    if not UNPACKED.is_dir():
        return {}
    places = (
        "usr/lib/*-linux-gnu",
        "lib/*-linux-gnu",
        "usr/lib/*-linux-gnu/pulseaudio",
    )
    libraries: list[str] = []
    for place in places:
        libraries += [str(folder) for folder in UNPACKED.glob(place)]
    inherited = os.environ.get("LD_LIBRARY_PATH")
    if inherited:
        libraries.append(inherited)
    return {
        "LD_LIBRARY_PATH": os.pathsep.join(libraries),
        "FONTCONFIG_FILE": str(CACHE / "fonts.conf"),
    }


def playwright_folder() -> Path:
    folder = os.environ.get("PLAYWRIGHT_BROWSERS_PATH")
    if folder:
        return Path(folder)
    folders = {
        "darwin": Path.home() / "Library/Caches",
        "win32": Path.home() / "AppData/Local",
    }
    return folders.get(sys.platform, Path.home() / ".cache") / "ms-playwright"


def ensure_browser() -> Path | None:
    """Return a browser that starts, downloading one if needed, or None if none is
    available.
    """
    if not _starts(_driver()):
        _say("Playwright needs a library of the system")
        _fetch_from_debian(DEBIAN_DRIVER)
    return find_browser() or _fetch_browser()


def _fetch_browser() -> Path | None:
    if _is_debian():
        _fetch_from_debian(DEBIAN_BROWSER)
        browser = find_browser()
        if browser is not None:
            return browser
    _fetch_from_playwright()
    return find_browser()


def _candidates() -> Iterator[Path]:
    for name in COMMANDS:
        program = shutil.which(name)
        if program:
            yield Path(program)
    yield from (
        UNPACKED / "usr/lib/chromium" / name
        for name in ("chromium-headless-shell", "chromium")
    )
    for pattern in PLAYWRIGHT_PROGRAMS:
        yield from sorted(playwright_folder().glob(pattern), reverse=True)


def _starts(program: Path) -> bool:
    """Return True if the browser starts.

    Checked on Linux only: elsewhere, browsers are installed whole.
    """
    if not (program.is_file() and os.access(program, os.X_OK)):
        return False
    if platform.system() != "Linux":
        return True
    environment = {**os.environ, **browser_environment()}
    answer = subprocess.run(
        [program, "--version"],
        capture_output=True,
        check=False,
        env=environment,
        timeout=60,
    )
    return answer.returncode == 0


def _driver() -> Path:
    folder = Path(playwright.__file__).parent / "driver"
    return folder / ("node.exe" if sys.platform == "win32" else "node")


def _is_debian() -> bool:
    """Return True on Debian.

    Other systems with apt-get, such as Ubuntu, have no browser package.
    """
    return (
        platform.system() == "Linux"
        and platform.freedesktop_os_release().get("ID") == "debian"
    )


def _fetch_from_playwright() -> None:
    _say("fetching Chromium with Playwright (about 100 MB)")
    install = ["install", "--only-shell", "chromium"]
    command = [sys.executable, "-m", "playwright", *install]
    environment = {**os.environ, **browser_environment()}
    answer = subprocess.run(
        command, capture_output=True, check=False, env=environment, timeout=900
    )
    if answer.returncode:
        _say("Playwright's download cannot be reached from this machine")


def _fetch_from_debian(packages: tuple[str, ...]) -> None:
    if not shutil.which("apt-get"):
        return
    is_done = _install(packages) if os.geteuid() == 0 else _unpack(packages)
    if not is_done:
        _say(
            f"could not fetch {' '.join(packages)} from Debian's archive; "
            "see apt-get's message above"
        )


def _install(packages: tuple[str, ...]) -> bool:
    _say(f"installing {' '.join(packages)} with apt-get")
    apt_get = [
        "apt-get",
        "-qq",
        "--yes",
        "--no-install-recommends",
        "-o",
        "Dpkg::Use-Pty=0",
    ]
    return _run([*apt_get, "update"]) and _run([*apt_get, "install", *packages])


def _unpack(packages: tuple[str, ...]) -> bool:
    """Unpack Debian packages and their dependencies into the project folder.

    Needs no root.
    """
    _say(f"unpacking {' '.join(packages)} from Debian's archive into {CACHE} (no root)")

    # Download the packages.
    for folder in ("state/lists/partial", "archives/partial", "fontconfig", "root"):
        (CACHE / folder).mkdir(parents=True, exist_ok=True)
    settings = (
        f"Dir::State={CACHE}/state",
        "Dir::State::status=/var/lib/dpkg/status",
        f"Dir::Cache={CACHE}",
        "Debug::NoLocking=1",
        "Acquire::Languages=none",
    )
    apt_get = ["apt-get", "-qq", "--yes", "--no-install-recommends"]
    for setting in settings:
        apt_get += ["-o", setting]
    if not _run([*apt_get, "update"]):
        return False
    if not _run([*apt_get, "--download-only", "install", *packages]):
        return False

    # Unpack them.
    for package in sorted((CACHE / "archives").glob("*.deb")):
        if not _run(["dpkg", "--extract", str(package), str(UNPACKED)]):
            return False
        package.unlink()

    fonts = (
        '<?xml version="1.0"?><fontconfig>'
        '<include ignore_missing="yes">/etc/fonts/fonts.conf</include>'
        f"<dir>{escape(str(UNPACKED))}/usr/share/fonts</dir>"
        f"<cachedir>{escape(str(CACHE))}/fontconfig</cachedir></fontconfig>"
    )
    (CACHE / "fonts.conf").write_text(fonts, encoding="utf-8")
    return True


def _run(command: list[str]) -> bool:
    """Run the command quietly; show its output if it fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    answer = subprocess.run(
        command,
        capture_output=True,
        check=False,
        env=environment,
        stdin=subprocess.DEVNULL,
        text=True,
    )
    if answer.returncode:
        _say(answer.stderr.strip() or answer.stdout.strip())
    return answer.returncode == 0


def _say(message: str) -> None:
    sys.stdout.write(f"[browser] {message}\n")
    sys.stdout.flush()


def main() -> int:
    """Print the browser that the tests use; return exit status 3 if there is none."""
    browser = ensure_browser() if "--ensure" in sys.argv[1:] else find_browser()
    if browser is None:
        _say(
            "none: browser tests are skipped. Install Chromium, Chrome or Edge for "
            "them."
        )
        return 3
    _say(str(browser))
    return 0


if __name__ == "__main__":
    sys.exit(main())
