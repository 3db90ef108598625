"""Finding a browser on different machines."""

import sys
from pathlib import Path

import pytest

from tests.support import browser

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux programs are asked for their version"
)

STARTS = "#!/bin/sh\nexit 0\n"
LACKS_A_LIBRARY = "#!/bin/sh\nexit 127\n"


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", str(tmp_path / "playwright"))
    monkeypatch.setattr(browser, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(browser, "UNPACKED", tmp_path / "cache/root")
    return folder


def put(program: Path, text: str) -> Path:
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(text)
    program.chmod(0o755)
    return program


def test_an_installed_browser_is_found(programs: Path) -> None:
    put(programs / "google-chrome", STARTS)
    chromium = put(programs / "chromium", STARTS)
    assert browser.find_browser() == chromium
    shell = put(programs / "chromium-headless-shell", STARTS)
    assert browser.find_browser() == shell


def test_a_browser_that_does_not_start_is_passed_over(programs: Path) -> None:
    put(programs / "chromium", LACKS_A_LIBRARY)
    chrome = put(programs / "google-chrome", STARTS)
    assert browser.find_browser() == chrome


@pytest.mark.parametrize(
    "place",
    [
        f"cache/{browser.UNPACKED.name}/usr/lib/chromium/chromium-headless-shell",
        f"cache/{browser.UNPACKED.name}/usr/lib/chromium/chromium",
        "playwright/chromium_headless_shell-1/linux/headless_shell",
        "playwright/chromium-1/chrome-linux/chrome",
    ],
)
@pytest.mark.usefixtures("programs")
def test_a_browser_that_was_fetched_is_found(place: str, tmp_path: Path) -> None:
    fetched = put(tmp_path / place, STARTS)
    assert browser.find_browser() == fetched


@pytest.mark.usefixtures("programs")
def test_without_a_browser_the_message_says_what_to_install(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", ["browser"])
    status = browser.main()
    assert status == 3
    assert "Install Chromium, Chrome or Edge" in capsys.readouterr().out


@pytest.mark.usefixtures("programs")
def test_the_loader_finds_unpacked_libraries(tmp_path: Path) -> None:
    assert browser.browser_environment() == {}
    libraries = tmp_path / "cache" / browser.UNPACKED.name / "usr/lib/x86_64-linux-gnu"
    libraries.mkdir(parents=True)
    library_path = browser.browser_environment()["LD_LIBRARY_PATH"]
    assert library_path.split(":")[0] == str(libraries)
