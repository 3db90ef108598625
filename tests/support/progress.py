"""A regular line with the progress of the test run and the estimated time left.

pytest's own dots show neither. The last lines name the command that runs one folder. With `--by-folder`,
a table before them shows how many tests each folder and each marker has, and how long they took.
"""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

EVERY_S = 20.0
MARKERS = frozenset({"contract", "screen", "browser", "peer"})
NO_MARKER = "no marker"
ALL = "all"


class Progress:
    """A counter of finished tests; there is one per run, in the process that reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = self._told = time.monotonic()
        self._total = 0
        self._ended: set[str] = set()
        self._failed: set[str] = set()
        self._counts: Counter[str] = Counter()
        self._seconds: Counter[str] = Counter()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Set the number of tests when this process runs them itself."""
        self._expect(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Set the number of tests when workers run them; each worker finds the same number."""
        self._expect(len(ids))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one finished test, and add up the times of its three parts."""
        groups = [*folders([report.nodeid]), *(MARKERS & report.keywords.keys() or {NO_MARKER}), ALL]
        for group in groups:
            self._seconds[group] += report.duration
            self._counts[group] += report.when == "setup"
        if report.failed:
            self._failed.add(report.nodeid)
        if report.when == "teardown":
            self._ended.add(report.nodeid)
            self._tell_now_and_then()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the table if it was asked for, and the command that runs each folder that failed, or any."""
        if self._config.getoption("--by-folder"):
            for line in table(self._counts, self._seconds):
                terminalreporter.write_line(line)
        for folder in folders(self._failed) or ["tests/<folder>"]:
            terminalreporter.write_line(f"One folder: python3 run.py test {folder}")

    def _expect(self, count: int) -> None:
        if count != self._total:
            self._total, self._began = count, time.monotonic()
            self._told = self._began

    def _tell_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._told < EVERY_S:
            return
        self._told = now
        words = how_far(done=len(self._ended), total=self._total, elapsed_s=now - self._began)
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(f"\n{words}, {len(self._failed)} failed")


def how_far(*, done: int, total: int, elapsed_s: float) -> str:
    """Return the text of one line; the time left is estimated from the share of finished tests."""
    left_s = elapsed_s * (total - done) / max(done, 1)
    return f"-- {done:,} of {total:,} tests in {_minutes(elapsed_s)}, about {_minutes(left_s)} left"


def table(counts: Mapping[str, int], seconds: Mapping[str, float]) -> list[str]:
    """Return a line for each group, the slowest first; a test with two markers is in both."""
    slowest = sorted(counts, key=lambda group: -seconds[group])
    rows = [f"{counts[group]:7,} tests {seconds[group]:8.1f} s  {group}" for group in slowest]
    return [f"{'':7} Seconds of work: workers share them", *rows]


def folders(node_ids: Iterable[str]) -> list[str]:
    """Return the folders of these tests, each once."""
    return sorted({Path(one.partition("::")[0]).parent.as_posix() for one in node_ids})


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
