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
    """A record of finished tests; there is one per run, in the process that reports."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began = self._told = time.monotonic()
        self._expected: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()
        self._seconds: Counter[str] = Counter()
        self._failed: set[str] = set()

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Note the tests that this process runs itself."""
        self._expect(item.nodeid for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: list[str]) -> None:
        """Note the tests that workers run; each worker finds the same ones."""
        self._expect(ids)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up the times of a test's three parts, and count it when it has ended."""
        markers = MARKERS & report.keywords.keys() or {NO_MARKER}
        for group in (folder(report.nodeid), *markers, ALL):
            self._seconds[group] += report.duration
            self._counts[group] += report.when == "teardown"
        if report.failed:
            self._failed.add(report.nodeid)
        if report.when == "teardown":
            self._tell_now_and_then()

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show the table if it was asked for, and the command that runs each folder that failed, or any."""
        if self._config.getoption("--by-folder"):
            for line in table(self._counts, self._seconds):
                terminalreporter.write_line(line)
        for one in sorted(set(map(folder, self._failed))) or ["tests/<folder>"]:
            terminalreporter.write_line(f"One folder: python3 run.py test {one}")

    def _expect(self, ids: Iterable[str]) -> None:
        if expected := Counter(map(folder, ids)):
            self._expected = expected
            self._began = self._told = time.monotonic()

    def _tell_now_and_then(self) -> None:
        now = time.monotonic()
        if now - self._told < EVERY_S:
            return
        self._told = now
        words = how_far(self._expected, self._counts, self._seconds, elapsed_s=now - self._began)
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write_line(f"\n{words}, {len(self._failed)} failed")


def how_far(
    expected: Mapping[str, int], ended: Mapping[str, int], seconds: Mapping[str, float], *, elapsed_s: float
) -> str:
    """Return the text of one line. A test that is left is taken to last as others of its folder did."""
    done = {one: ended.get(one, 0) for one in expected}
    work_s = sum(seconds.get(one, 0.0) for one in expected)
    usual_s = work_s / max(sum(done.values()), 1)
    left_s = sum(
        (count - done[one]) * (seconds[one] / done[one] if done[one] else usual_s)
        for one, count in expected.items()
    )
    counted = f"-- {sum(done.values()):,} of {sum(expected.values()):,} tests"
    return f"{counted} in {_minutes(elapsed_s)}, about {_minutes(elapsed_s * left_s / (work_s or 1))} left"


def table(counts: Mapping[str, int], seconds: Mapping[str, float]) -> list[str]:
    """Return a line for each group, the slowest first; a test with two markers is in both."""
    slowest = sorted(counts, key=lambda group: -seconds[group])
    rows = [f"{counts[group]:7,} tests {seconds[group]:8.1f} s  {group}" for group in slowest]
    return [f"{'':7} Seconds of work: workers share them", *rows]


def folder(node_id: str) -> str:
    """Return the folder of a test."""
    return Path(node_id.partition("::")[0]).parent.as_posix()


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
