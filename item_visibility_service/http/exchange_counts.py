"""The counts of exchanges since the start, and their durations, as Prometheus 0.0.4 reads it."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

_NAME = "item_visibilities_exchange_seconds"
_HEAD = (
    f"# HELP {_NAME} Requests answered, by method and status, until their answer began.",
    f"# TYPE {_NAME} histogram",
)


@dataclass(slots=True)
class _Times:
    """The counts of exchanges by duration."""

    buckets: list[int] = field(default_factory=lambda: [0] * (len(BOUNDS_S) + 1))
    total_s: float = 0.0


class ExchangeCounts:
    """Counts by method and status. Used by the one thread of the server, so it needs no lock."""

    def __init__(self) -> None:
        self._times: dict[tuple[str, int], _Times] = {}

    def count(self, method: str, status: int, took_s: float) -> None:
        """Count one exchange."""
        times = self._times.get((method, status))
        if times is None:
            times = self._times[method, status] = _Times()
        times.buckets[bisect_left(BOUNDS_S, took_s)] += 1
        times.total_s += took_s

    def text(self) -> str:
        """Return all numbers."""
        return "".join(f"{line}\n" for line in (*_HEAD, *self._lines()))

    def _lines(self) -> Iterator[str]:
        for (method, status), times in sorted(self._times.items()):
            labels = f'method="{method}",status="{status}"'
            *below, count = accumulate(times.buckets)
            for bound_s, so_far in zip((*BOUNDS_S, "+Inf"), (*below, count), strict=True):
                yield f'{_NAME}_bucket{{{labels},le="{bound_s}"}} {so_far}'
            yield f"{_NAME}_sum{{{labels}}} {round(times.total_s, 6)}"
            yield f"{_NAME}_count{{{labels}}} {count}"
