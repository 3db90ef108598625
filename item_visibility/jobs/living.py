"""Which processes are alive, as seen from this one."""

import os
import secrets
import socket
import sys
from collections.abc import Callable, Mapping
from typing import Protocol

DEAD_AFTER_S = 30.0
"""A process on another machine that shows nothing for so long counts as dead."""


class Presence(Protocol):
    """Keeps which processes work on jobs. Every method raises RecordsError when it cannot."""

    def show(self, worker: str, *, beat: int) -> None:
        """Keep that this process is alive: a number that is another one each time."""

    def beats(self) -> dict[str, int]:
        """The number that each process showed last."""

    def leave(self, worker: str) -> None:
        """Forget a process that has ended."""


class Living:
    """Those whose number moved not long ago, by this process's own clock: clocks need not agree."""

    def __init__(self, *, clock: Callable[[], float], dead_after_s: float) -> None:
        self._clock = clock
        self._dead_after_s = dead_after_s
        self._seen: dict[str, tuple[int, float]] = {}

    def among(self, beats: Mapping[str, int], *, me: str) -> frozenset[str]:
        """The names of those alive; this process is `me`."""
        now_s = self._clock()
        self._seen = {
            worker: self._seen[worker] if self._beat(worker) == beat else (beat, now_s)
            for worker, beat in beats.items()
        }
        return frozenset(
            worker
            for worker, (_, since_s) in self._seen.items()
            if now_s - since_s < self._dead_after_s and not is_gone(worker, me=me)
        )

    def _beat(self, worker: str) -> int | None:
        return self._seen[worker][0] if worker in self._seen else None


def name_of_this_process() -> str:
    """A name that no other process has, nor this one after a restart."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"


def is_gone(worker: str, *, me: str) -> bool:
    """True when the process of this name ran on this machine, and does not any more.

    A container that was started again has the same host and process id: what it was before is gone.
    """
    host, process_id, _ = worker.rsplit(":", 2)
    if worker == me or host != socket.gethostname() or sys.platform == "win32":
        return False
    if int(process_id) == os.getpid():
        return True
    try:
        os.kill(int(process_id), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
