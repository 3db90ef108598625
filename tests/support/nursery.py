"""Processes that are killed in the middle of what they do, started quickly.

A module that is run as a program calls `fork_for_each_line(work)`; a test opens it with `open_nursery`, and
has a process made, and killed a moment after it told that it is at work.
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
    """A process that starts others at once, because it has imported everything."""

    def __init__(self, process: Popen[str]) -> None:
        self._process = process
        self._living: set[int] = set()

    def kill_at_work(self, *line: object, after_s: float) -> None:
        """Have a process that works as the line says; kill it this long after it said that it does."""
        process_id = self.begin(*line)
        time.sleep(after_s)
        self.kill(process_id)

    def begin(self, *line: object) -> int:
        """Have a process that works as the line says; its id, once it said that it does."""
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
        """Kill it, and return when it is dead."""
        assert self._process.stdout is not None
        self._living.discard(process_id)
        os.kill(process_id, signal.SIGKILL)
        assert self._process.stdout.readline() == f"{-signal.SIGKILL}\n"

    def kill_all(self) -> None:
        """Kill what a test that failed left at work; the one that started it could not end otherwise."""
        for process_id in tuple(self._living):
            self.kill(process_id)


@contextmanager
def open_nursery(module: str) -> Iterator[Nursery]:
    """The module, run as a program until the block ends."""
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
    """Fork a process that works for each line that comes in, and tell how it ended; one after the other."""
    for line in sys.stdin:
        process_id = os.fork()
        if process_id == 0:
            work(*line.split())
            signal.pause()
        _, status = os.waitpid(process_id, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)  # noqa: T201  (the test waits for it)


def tell_that_it_works() -> None:
    """Say, as one of those processes, who is to be killed."""
    print(WORKS, os.getpid(), flush=True)  # noqa: T201  (the test waits for it)


def wait_until_quiet(service: FaultService) -> None:
    """Return when the service is done with who left it: a request may still be on its way in."""
    ends_at = time.monotonic() + _QUIET_WITHIN_S
    while service._server._connections:  # noqa: SLF001  (nobody else asks)
        assert time.monotonic() < ends_at, "the service still talks to somebody who left"
        time.sleep(0.002)
