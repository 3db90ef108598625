"""Switches for demos and tests: other readings of the specification, and failures."""

import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import StrEnum
from http import HTTPStatus
from math import ceil

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from item_visibility_service.store import Change, Item, Store


class Failure(StrEnum):
    """How a call fails on purpose."""

    ERROR_BEFORE = "500, and nothing was applied"
    ERROR_AFTER = "500, though the call was applied"
    BROKEN_OFF = "the answer breaks off, though the call was applied"
    UNAVAILABLE = "503 with Retry-After, and nothing was applied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Switches:
    """The behavior where the specification is silent.

    Attributes:
        put_merges: setVisibilities adds to the existing list, instead of replacing it.
            Note N3.
        empty_is_not_found: an item without recipients answers 404, instead of `[]`.
            Note N4.
        removing_missing_is_not_found: removing a missing recipient answers 404, not
            204. Note N5.
        read_lag_s: the seconds by which reads lag behind changes. Note N11.
        token_lifetime_s: the lifetime of an access token in seconds. Note N8.
        failing_share: the share of operations that fail on purpose, from 0 to 1.
        failures: the ways in which they fail, all equally likely.
        refuses_once: also refuse `failing_share` of the changes to one recipient, but
            no change twice.
    """

    put_merges: bool = False
    empty_is_not_found: bool = True
    removing_missing_is_not_found: bool = False
    read_lag_s: float = 0.0
    token_lifetime_s: int = 300
    failing_share: float = 0.0
    failures: tuple[Failure, ...] = tuple(Failure)
    refuses_once: bool = False


class Failures:
    """Lets calls fail on purpose.

    `chance` is like `random.random`. Use it in one event loop only.
    """

    def __init__(self, chance: Callable[[], float]) -> None:
        self._chance = chance
        self.reset()

    def begin(
        self, call: Hashable, switches: Switches, *, is_single_change: bool
    ) -> Failure | None:
        """Choose a failure for the call, or None.

        Raises HTTPException for a failure that changes nothing.
        """
        may_be_refused = is_single_change and switches.refuses_once
        if may_be_refused and self._is_refused(call, switches.failing_share):
            detail = (
                "This call was refused on purpose. Nothing was applied. Send it again."
            )
            raise HTTPException(HTTPStatus.CONFLICT, detail)

        if self._chance() >= switches.failing_share:
            return None

        # Raise the failures that happen before the call is applied.
        failure = switches.failures[int(self._chance() * len(switches.failures))]
        detail = "This call failed on purpose. Nothing was applied."
        if failure is Failure.ERROR_BEFORE:
            raise HTTPException(HTTPStatus.INTERNAL_SERVER_ERROR, detail)
        if failure is Failure.UNAVAILABLE:
            raise HTTPException(
                HTTPStatus.SERVICE_UNAVAILABLE, detail, headers={"Retry-After": "1"}
            )
        return failure

    def end(self, failure: Failure | None, response: Response) -> Response:
        """Return the response, or the failure that `begin` chose."""
        if failure is Failure.ERROR_AFTER:
            detail = "This call failed on purpose, but it was applied."
            raise HTTPException(HTTPStatus.INTERNAL_SERVER_ERROR, detail)
        return response if failure is None else _BrokenOffResponse()

    def reset(self) -> None:
        """Forget which changes were refused."""
        self._refusable_count = 0
        self._refused: set[Hashable] = set()

    def _is_refused(self, call: Hashable, share: float) -> bool:
        """Return True for `share` of the changes, but never twice for one change.

        The first change is included.
        """
        if not share or call in self._refused:
            return False

        refused_before = ceil(self._refusable_count * share)
        self._refusable_count += 1
        is_due = ceil(self._refusable_count * share) > refused_before
        if is_due:
            self._refused.add(call)
        return is_due


class _BrokenOffResponse(Response):
    """A response that announces one byte and sends none.

    The server then closes the connection.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        headers = [(b"content-type", b"application/json"), (b"content-length", b"1")]
        await send(
            {"type": "http.response.start", "status": HTTPStatus.OK, "headers": headers}
        )


class LaggingReads:
    """Answers reads of the store with the state of `lag_s` seconds ago.

    A read never shows an older state than an earlier read, even if the lag grows. Only
    changes made with `change` appear late. Note N11. Thread-safe.
    """

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock
        self._lock = threading.Lock()
        self._lag_s = 0.0
        self._horizon = float("-inf")
        self._recent: dict[Item, deque[tuple[float, Change]]] = {}

    def set_lag(self, lag_s: float) -> None:
        """Set the delay after which reads show a change."""
        with self._lock:
            self._move_horizon()
            self._lag_s = lag_s
            if not lag_s:
                self._recent.clear()

    def change(self, item: Item, apply: Callable[[], Change]) -> Change:
        """Apply a change to the item and remember it."""
        if not self._lag_s:
            return apply()
        with self._lock:
            change = apply()
            self._recent.setdefault(item, deque()).append((self._clock(), change))
            return change

    def recipients(self, item: Item) -> tuple[str, ...]:
        """Return the recipients of the item `lag_s` seconds ago, sorted. Note N10."""
        if not self._lag_s:
            return self._store.recipients(item)
        with self._lock:
            # Forget the changes that reads show by now.
            self._move_horizon()
            recent = self._recent.get(item, deque())
            while recent and recent[0][0] <= self._horizon:
                recent.popleft()

            # Take the later changes back, the newest one first.
            recipients = frozenset(self._store.recipients(item))
            for _, change in reversed(recent):
                recipients = (recipients - change.added) | change.removed
            return tuple(sorted(recipients))

    def _move_horizon(self) -> None:
        self._horizon = max(self._horizon, self._clock() - self._lag_s)
