"""Changes that are refused once, so that something is left to try again by hand."""

import threading
from collections.abc import Hashable
from http import HTTPStatus
from math import ceil

from item_visibility_service.http.problem_answers import ProblemError
from item_visibility_service.open_points.switches import Switches


class RefusedOnce:
    """Refuses a share of the changes, the first one among them. Sent again, each is let through.

    A client that repeats failed calls by itself does not send these again. Safe from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._refused: set[Hashable] = set()

    def refuses(self, change: Hashable, switches: Switches) -> bool:
        """True when this change is refused now."""
        share = switches.failing_share if switches.refuses_once else 0.0
        with self._lock:
            if not share or change in self._refused:
                return False
            self._count += 1
            is_due = ceil(self._count * share) > ceil((self._count - 1) * share)
            if is_due:
                self._refused.add(change)
            return is_due

    def forget(self) -> None:
        """Begin again."""
        with self._lock:
            self._count = 0
            self._refused.clear()


def refusal_once() -> ProblemError:
    """Return the answer to a change that is refused."""
    detail = "This call was chosen to be refused once. Nothing was applied: send it again."
    return ProblemError(HTTPStatus.CONFLICT, detail)
