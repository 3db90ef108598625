"""One call: its attempts, its waits, and its final value or error. Note N17."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from item_visibility import timings_and_retries
from item_visibility.api.answers import Answer, Failure, Success, read_answer
from item_visibility.api.observing import CallRecord, EndObserver, Exchange, Observer, tell
from item_visibility.api.requests import Request
from item_visibility.api.retry import RetryBudget, wait_s
from item_visibility.api.token.bearer import BearerAuth
from item_visibility.api.wording import Attempts, call_error, token_lost_error
from item_visibility.errors import TokenError


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Sends requests, and retries them when that is safe and useful. Thread-safe.

    `clock` and `sleep` count seconds; `chance` gives a number in 0..1.
    """

    auth: BearerAuth
    on_call: Observer
    on_end: EndObserver
    clock: Callable[[], float]
    now: Callable[[], datetime]
    sleep: Callable[[float], None]
    chance: Callable[[], float]
    budget: RetryBudget = field(default_factory=RetryBudget)

    def run(self, request: Request) -> frozenset[str] | None:
        """Return the result. Raise CallError, or TokenError when nothing can have been applied."""
        started_s = self.clock()
        attempts = Attempts()
        spent = 0
        sent: list[CallRecord] = []
        success = None
        try:
            while True:
                outcome = self._attempt(request, attempts.count + 1, sent)
                if isinstance(outcome, Success):
                    self.budget.succeed(spent)
                    success = outcome
                    return success.recipients
                if isinstance(outcome, TokenError):
                    raise token_lost_error(request, outcome, attempts) if attempts.may_be_applied else outcome
                may_be_applied = outcome.meaning.may_be_applied and not request.operation.is_read
                attempts = attempts.and_one(may_be_applied=may_be_applied)
                pause_s = self._pause_s(request, outcome, attempts, started_s)
                cost = 0 if pause_s is None else self.budget.spend(outcome)
                if pause_s is None or not cost:
                    raise call_error(request, outcome, attempts)
                spent += cost
                self.sleep(pause_s)
        finally:
            self.on_end(request, sent, success)

    def _attempt(
        self, request: Request, attempt: int, sent: list[CallRecord]
    ) -> Success | Failure | TokenError:
        """Make one attempt, and add a record of each request that was sent for it."""

        def tell_of_renewal(answer: Answer) -> None:
            exchange = Exchange(
                request=request, answer=answer, attempt=attempt, is_renewed=True, ended_at=self.now()
            )
            sent.append(tell(self.on_call, exchange))

        try:
            answer = self.auth.send(request, on_renewal=tell_of_renewal)
        except TokenError as error:
            return error
        meaning = answer if isinstance(answer, Failure) else read_answer(request.operation, answer)
        exchange = Exchange(
            request=request, answer=answer, meaning=meaning, attempt=attempt, ended_at=self.now()
        )
        sent.append(tell(self.on_call, exchange))
        return meaning

    def _pause_s(
        self, request: Request, failure: Failure, attempts: Attempts, started_s: float
    ) -> float | None:
        """Return the seconds to wait before another attempt, or None when there must be none. Note N17."""
        if attempts.may_be_applied and not request.operation.may_repeat:
            return None
        pause_s = wait_s(failure, attempt=attempts.count, chance=self.chance(), now=self.now())
        if pause_s is None or self.clock() - started_s + pause_s > timings_and_retries.LAST_ATTEMPT_WITHIN_S:
            return None
        return pause_s
