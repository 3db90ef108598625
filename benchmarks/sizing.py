"""What does one process of the dashboard need: to start, and for each window?

`python -m benchmarks.sizing` starts a dashboard on a service of its own and opens an item with 200 recipients
in 20 windows of a Chromium, one after the other; then a recipient is unticked in each, and that discarded.
It prints how long the start and the windows took, the memory without windows, with all of them and after the
ticks, and the processor time of each window and each tick (from /proc, so on Linux). Every answer is checked,
and nothing is changed.
"""

import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.edit_large_item import DRAWN, TABLE, settle, tick
from item_visibility.api.operations import GET_VISIBILITIES
from item_visibility_service.sample.load import with_check_digit
from tests.support.browser import find_browser
from tests.support.bundled_service import OperationLog, run_bundled, sqlite_url
from tests.support.dashboard import run_configured

WINDOWS, RECIPIENTS = 20, 200
TICKED = "Save: remove 1"


def main() -> None:
    """Start, open the windows, print."""
    program = find_browser()
    if program is None:
        sys.exit("There is no Chromium, Chrome or Edge here.")
    log = OperationLog()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(run_bundled(sqlite_url(folder), log))
        playwright = stack.enter_context(sync_playwright())
        began_s = time.monotonic()
        place = stack.enter_context(run_configured(folder / "home", service))
        process = Process(place.dashboard.pid)
        print(f"ready after {time.monotonic() - began_s:.1f} s; {process.memory_mb():.0f} MB without windows")
        address = place.address(place.new_item(*map(recipient, range(RECIPIENTS))))
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        windows = [opened(browser, address, process) for _ in range(WINDOWS)]
        first, *others = windows
        print(f"first window: {first.took_ms:.0f} ms to its table, {first.cpu_s:.2f} s of processor time")
        print(
            f"each other:   {statistics.median(one.took_ms for one in others):.0f} ms,"
            f" {statistics.median(one.cpu_s for one in others):.2f} s"
        )
        before_mb, ticks = process.memory_mb(), [ticked(one.page, process) for one in windows]
        print(f"each tick:    {statistics.median(ticks):.2f} s of processor time")
        print(f"{before_mb:.0f} MB with {WINDOWS} windows, {process.memory_mb():.0f} MB after a tick in each")
        browser.close()
    assert {one.operation_id for one in log.operations} == {GET_VISIBILITIES.name}


@dataclass(frozen=True, slots=True)
class Process:
    """A process, as the system sees it."""

    pid: int

    def memory_mb(self) -> float:
        """Return its resident memory."""
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) / 1024

    def cpu_s(self) -> float:
        """Return the processor time of all its threads."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Opened:
    """A window that stays open, the milliseconds to its table, and what it cost the process."""

    page: Page
    took_ms: float
    cpu_s: float


def opened(browser: Browser, address: str, process: Process) -> Opened:
    """Open the item in a window of somebody new."""
    before_s = process.cpu_s()
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.set_default_timeout(120_000)
    page.goto(address, wait_until="commit")
    took_ms = float(page.evaluate(DRAWN, TABLE))
    settle(page)
    return Opened(page, took_ms, process.cpu_s() - before_s)


def ticked(page: Page, process: Process) -> float:
    """Untick a recipient; return the processor time until the page says so. Then discard it."""
    before_s = process.cpu_s()
    tick(page)
    page.locator(".st-key-save_bar", has_text=TICKED).wait_for()
    settle(page)
    took_s = process.cpu_s() - before_s
    page.get_by_role("button", name="Discard", exact=True).click()
    page.locator(".st-key-save_bar", has_text=TICKED).wait_for(state="hidden")
    return took_s


def recipient(number: int) -> str:
    """Return the id of a recipient."""
    return with_check_digit(f"9523{number:08}")


if __name__ == "__main__":
    main()
