"""The writes of one save: one call for each recipient, read back, then retries. Notes N3, N11, N17."""

from collections.abc import Callable, Iterable

from item_visibility.api.identifiers import ItemKey, refusal
from item_visibility.api.operations import Visibilities
from item_visibility.changes.plan import ChangePlan, ChangeStep, Goal, is_met
from item_visibility.changes.saving.read_back import ListReader
from item_visibility.changes.saving.step_outcome import is_final, may_be_sent
from item_visibility.changes.saving.write_result import (
    WriteResult,
    error_of_ours,
    result_of,
    stops_others,
    try_write,
)
from item_visibility.errors import ItemVisibilityError, NotSentError
from item_visibility.timings_and_retries import READ_BACK_DELAYS_S, UNKNOWN_IN_A_ROW


def is_addressable(recipient_id: str) -> bool:
    """True when a single call can carry the id: it is neither impossible nor too long. Note N1."""
    return refusal(recipient_id, name="recipient") is None


class Writing:
    """Sends the steps of a plan, and keeps the results of each; `reader` has the list as last read."""

    def __init__(
        self,
        visibilities: Visibilities,
        plan: ChangePlan,
        *,
        sleep: Callable[[float], None],
        on_step: Callable[[int], None],
    ) -> None:
        self.visibilities = visibilities
        self.plan = plan
        self.writes: dict[ChangeStep, list[ItemVisibilityError | None]] = {step: [] for step in plan.steps}
        self.reader = ListReader(visibilities, plan.item, sleep=sleep, seen=plan.current)
        self._on_step = on_step

    @property
    def seen(self) -> frozenset[str] | None:
        """The list as read after the last write, or None when there is no such read."""
        return self.reader.seen

    def unmet(self) -> tuple[ChangeStep, ...]:
        """Return the steps that the last read shows as not met; none when there is no such read."""
        seen = self.seen
        return () if seen is None else tuple(step for step in self.writes if not is_met(step, seen))

    def note(self, steps: Iterable[ChangeStep], error: ItemVisibilityError | None) -> None:
        """Record one write for these steps, by its error."""
        for step in steps:
            self.writes[step].append(error)
        self._on_step(sum(map(bool, self.writes.values())))

    def send_singly(self) -> bool:
        """Send each open step that a read shows as missing; return True when there was one.

        The other steps are not sent once the service is clearly down.
        """
        steps = [step for step in self.unmet() if self._is_open(step)]
        unknown_in_a_row = 0
        for position, step in enumerate(steps):
            self.reader.forget()
            error = try_write(self._operation(step), self.plan.item, step.recipient_id)
            self.note([step], error)
            unknown_in_a_row = unknown_in_a_row + 1 if result_of(error) is WriteResult.UNKNOWN else 0
            if error is not None and (stops_others(error) or unknown_in_a_row == UNKNOWN_IN_A_ROW):
                not_sent = error_of_ours(NotSentError, error.message, advice=error.advice)
                self.note(steps[position + 1 :], not_sent)
                break
        return bool(steps)

    def confirm(self) -> None:
        """Read back, and resend what a read shows as missing, until all is settled or the delays run out."""
        self.reader.read()
        for delay_s in READ_BACK_DELAYS_S:
            if self._is_settled():
                return
            self.reader.wait_and_read(delay_s)
            if self.send_singly():
                self.reader.read()

    def _is_open(self, step: ChangeStep) -> bool:
        return may_be_sent(self.writes[step]) and is_addressable(step.recipient_id)

    def _is_settled(self) -> bool:
        seen = self.seen
        return seen is not None and all(is_final(step, writes, seen) for step, writes in self.writes.items())

    def _operation(self, step: ChangeStep) -> Callable[[ItemKey, str], None]:
        is_addition = step.goal is Goal.VISIBLE
        return self.visibilities.add_visibility if is_addition else self.visibilities.remove_visibility
