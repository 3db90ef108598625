"""The past of this very pair, from the history."""

from collections.abc import Iterable, Iterator

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.outcome import Outcome
from item_visibility.saving.plan import Goal
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.search import PairStep, PairSteps
from item_visibility.use_cases.why_not.reasons import Reason, ReasonKind

_LOOKED_AT = 20
_GONE = frozenset({Outcome.DONE, Outcome.UNKNOWN})
_REMOVED = {ChangeKind.OBSERVED: ReasonKind.REMOVED_ELSEWHERE, ChangeKind.UNDO: ReasonKind.TAKEN_BACK}
_ADDED = {
    Outcome.DONE: ReasonKind.ADDED,
    Outcome.REFUSED: ReasonKind.ADD_REFUSED,
    Outcome.NOT_SENT: ReasonKind.NOT_SENT,
    Outcome.UNKNOWN: ReasonKind.ADD_UNCERTAIN,
}


def past_of_pair(item: ItemKey, recipient_id: str, *, pairs: PairSteps) -> Iterator[Reason]:
    """Yield what happened to the pair, as far back as its last removal. Raises RecordsError."""
    return _reasons(pairs.newest(item, recipient_id, limit=_LOOKED_AT))


def last_change(item: ItemKey, recipient_id: str, *, pairs: PairSteps) -> PairStep | None:
    """Return the last step that changed whether the recipient can see the item. Raises RecordsError."""
    steps = pairs.newest(item, recipient_id, limit=_LOOKED_AT)
    return next((one for one in steps if one.outcome is Outcome.DONE), None)


def _reasons(steps: Iterable[PairStep]) -> Iterator[Reason]:
    """Yield the last removal, and the attempts to add after it; the newest first."""
    for step in steps:
        if step.goal is Goal.VISIBLE:
            if step.outcome in _ADDED:
                yield _reason(step, _added(step))
            if step.ended_at is not None and step.outcome is Outcome.DONE:
                return
        elif step.outcome in _GONE:
            yield _reason(step, _REMOVED.get(step.kind, ReasonKind.REMOVED))
            return


def _added(step: PairStep) -> ReasonKind:
    return ReasonKind.ADDING if step.ended_at is None else _ADDED[step.outcome]


def _reason(step: PairStep, kind: ReasonKind) -> Reason:
    return Reason(
        kind=kind,
        at=step.started_at,
        since=step.seen_before_at,
        who=step.person,
        why=step.reason,
        origin=step.kind,
        key=step.key,
        verdict=step.verdict,
        message=step.message,
    )
