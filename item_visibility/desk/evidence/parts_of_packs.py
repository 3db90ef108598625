"""The parts of an evidence pack, from what the program knows in values of its own."""

from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlsplit

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord
from item_visibility.api.operations import GET_VISIBILITIES, REQUEST_TOKEN
from item_visibility.api.requests import get_visibilities
from item_visibility.changes.in_words import by_whom
from item_visibility.changes.outcome import StepOutcome, StepResult, Verdict
from item_visibility.changes.plan import Goal
from item_visibility.changes.request import ChangeKind
from item_visibility.errors import IdentifierError
from item_visibility.evidence.curl_line import curl_line
from item_visibility.evidence.pack import Change, Named, PastChange, RequestAndAnswer
from item_visibility.records.history.pair_steps import PairStep
from item_visibility.records.history.search import HistoryLine

_CURLS = 20
_WANTED = {Goal.VISIBLE: "add", Goal.NOT_VISIBLE: "remove"}
_DONE = {Goal.VISIBLE: "added", Goal.NOT_VISIBLE: "removed"}
_OPEN = "not known yet"


def requests_and_answers(records: Iterable[CallRecord]) -> tuple[RequestAndAnswer, ...]:
    """Return the requests."""
    return tuple(
        RequestAndAnswer(
            at=one.sent_at,
            operation=one.operation,
            method=one.method,
            path=one.path,
            status=one.status,
            failure=one.failure,
            problem=one.problem,
            attempt=one.attempt,
            took_ms=round(one.took_s * 1_000),
            request_id=one.request_id,
        )
        for one in records
    )


def named(recipient_ids: Iterable[str], names: Mapping[str, str]) -> tuple[Named, ...]:
    """Return the recipients with their names, in order of their ids."""
    return tuple(Named(one, names.get(one, "")) for one in sorted(recipient_ids))


def changes(steps: Sequence[StepResult], names: Mapping[str, str]) -> tuple[Change, ...]:
    """Return what a save was asked to change."""
    return tuple(
        Change(
            recipient=Named(one.step.recipient_id, names.get(one.step.recipient_id, "")),
            change=_WANTED[one.step.goal],
            outcome=one.outcome.value,
            calls=one.attempts,
            message=one.message,
            problem=one.problem,
        )
        for one in steps
    )


def past_of_pair(steps: Iterable[PairStep]) -> tuple[PastChange, ...]:
    """Return what was done about one recipient."""
    return tuple(
        PastChange(
            at=one.started_at,
            what=_DONE[one.goal] if one.outcome is StepOutcome.DONE else f"asked to {_WANTED[one.goal]}",
            by=by_whom(one.kind, one.person),
            outcome=_ending(one.kind, one.verdict, one.outcome.value),
            reason=one.reason,
        )
        for one in steps
    )


def past_of_item(lines: Iterable[HistoryLine]) -> tuple[PastChange, ...]:
    """Return what was done about a whole item."""
    return tuple(
        PastChange(
            at=one.started_at,
            what=f"{one.kind.value}: {one.added:,} added, {one.removed:,} removed",
            by=by_whom(one.kind, one.person),
            outcome=_ending(one.kind, one.verdict, ""),
            reason=one.reason,
        )
        for one in lines
    )


def curls(item: ItemKey, exchanges: Sequence[RequestAndAnswer], *, base_url: str) -> tuple[str, ...]:
    """Return commands that ask the same again: first the read of the item, then each change once."""
    parts = urlsplit(base_url)
    origin = f"{parts.scheme}://{parts.netloc}"
    lines = [
        curl_line(one.operation, one.method, f"{origin}{one.path}")
        for one in exchanges
        if one.operation != REQUEST_TOKEN.name
    ]
    return tuple(dict.fromkeys((*_read_of(item, base_url), *lines)))[:_CURLS]


def _read_of(item: ItemKey, base_url: str) -> tuple[str, ...]:
    """Return the command that reads the item; none when no request can name it."""
    try:
        url = get_visibilities(base_url, item).url
    except IdentifierError:
        return ()
    return (curl_line(GET_VISIBILITIES.name, GET_VISIBILITIES.method, url),)


def _ending(kind: ChangeKind, verdict: Verdict | None, outcome: str) -> str:
    how = "seen by a read" if kind is ChangeKind.OBSERVED else _OPEN if verdict is None else verdict.value
    return ", ".join(filter(None, (outcome, how)))
