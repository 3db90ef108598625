"""Processes that start quickly and are killed while they work.

A module that runs as a program calls `fork_for_each_line(work)`. A test opens it with
`open_nursery`, starts a process, and kills it some time after the process has reported
that it works.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import PIPE, Popen

from tests.support.fault_service import FaultService

ROOT = Path(__file__).parents[2]
WORKS = "works"
_QUIET_WITHIN_S = 60.0


class Nursery:
    """A process that starts others quickly, because it has imported everything."""

    def __init__(self, process: Popen[str]) -> None:
        self._process = process
        self._living: set[int] = set()

    def begin(self, *line: object) -> int:
        """Start a process that works on this line.

        Return its id once it has reported that it works.
        """
        self.kill_all()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{' '.join(map(str, line))}\n")
        self._process.stdin.flush()
        word, _, number = self._process.stdout.readline().partition(" ")
        assert word == WORKS, f"it ended instead, with status {word}"
        process_id = int(number)
        self._living.add(process_id)
        return process_id

    def kill(self, process_id: int) -> None:
        assert self._process.stdout is not None
        self._living.discard(process_id)
        os.kill(process_id, signal.SIGKILL)
        assert self._process.stdout.readline() == f"{-signal.SIGKILL}\n"

    def kill_all(self) -> None:
        """Kill the processes that a failed test left running, because their parent
        waits for them.
        """
        for process_id in tuple(self._living):
            self.kill(process_id)


@contextmanager
def open_nursery(module: str) -> Iterator[Nursery]:
    with Popen(
        [sys.executable, "-m", module],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=PIPE,
        stdout=PIPE,
        text=True,
    ) as process:
        nursery = Nursery(process)
        try:
            yield nursery
        finally:
            nursery.kill_all()


def fork_for_each_line(work: Callable[..., None]) -> None:
    """For each line of input, fork a process, wait for its end, and print its exit
    status.
    """
    for line in sys.stdin:
        process_id = os.fork()
        if process_id == 0:
            work(*line.split())
            signal.pause()
        _, status = os.waitpid(process_id, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  (the test waits for it)


def report_that_it_works() -> None:
    """Report that this forked process works, and its id."""
    print(WORKS, os.getpid(), flush=True)  # noqa: T201  (the test waits for it)


def wait_until_quiet(service: FaultService) -> None:
    """Wait until the service has no connections.

    A request of a killed client may still be arriving.
    """
    ends_at = time.monotonic() + _QUIET_WITHIN_S
    while not service.is_quiet:
        assert time.monotonic() < ends_at, (
            "the service still talks to somebody who left"
        )
        time.sleep(0.002)
