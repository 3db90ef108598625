"""The sections of a pack in words, in one order for the ticket's text and for the page."""

from collections.abc import Iterator
from dataclasses import dataclass

from item_visibility.changes.in_words import many
from item_visibility.evidence.pack import Change, Named, Pack, PastChange, RequestAndAnswer
from item_visibility.evidence.shown_texts import (
    called,
    exact_utc,
    full_utc,
    said,
    shown,
    shown_or_empty,
)

HOW_TO_CHECK = "Check it with: item-visibility evidence verify FILE"
_TO_ASK_AGAIN = "To ask again; $TOKEN is an access token, and a line that changes something begins with #"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, and its lines; `is_code` is true for commands."""

    heading: str
    lines: tuple[str, ...]
    is_code: bool = False


def head_of(pack: Pack) -> tuple[tuple[str, str], ...]:
    """Return the labels and values that say what it is about."""
    return (
        ("Supplier", called(pack.supplier)),
        ("Item", called(pack.item)),
        *((("Recipient", called(pack.recipient)),) if pack.recipient else ()),
        ("Service", f"{shown(pack.service)} (environment {shown(pack.environment)})"),
        *((("Link", pack.link),) if pack.link else ()),
        ("Made", f"{full_utc(pack.made_at)} by {shown(pack.made_by)}, {pack.program}"),
    )


def sections_of(pack: Pack, *, limit: int) -> Iterator[Section]:
    """Yield the sections that have something to say, each with at most `limit` lines of a kind."""
    facts = (f"{fact.label}: {shown(fact.text)}" for fact in pack.facts if fact.text)
    yield Section("How it is known", (shown(pack.verification), *facts))
    if pack.changes:
        yield Section("What was asked for", _limited([_change(one) for one in pack.changes], limit))
    yield Section("The list", tuple(_list(pack, limit)))
    yield Section("Asked and answered, times in UTC", tuple(_exchanges(pack, limit)))
    if pack.history:
        yield Section(
            "History of this pair, newest first" if pack.recipient else "History, newest first",
            _limited([_past(one) for one in pack.history], limit),
        )
    if pack.curls:
        yield Section(_TO_ASK_AGAIN, _limited(list(pack.curls), limit), is_code=True)


def _limited(lines: list[str], limit: int) -> tuple[str, ...]:
    more = len(lines) - limit
    return (*lines[:limit], *((f"… and {more:,} more in the JSON file",) if more > 0 else ()))


def _change(change: Change) -> str:
    ended = f"{change.change} {called(change.recipient)}: {change.outcome}, {many(change.calls, 'call')}"
    status = f"status {change.problem.status}" if change.problem else ""
    why = " · ".join(filter(None, (status, said(change.problem), shown_or_empty(change.message))))
    return f"{ended} · {why}" if why else ended


def _list(pack: Pack, limit: int) -> Iterator[str]:
    if pack.before is None and pack.after is None:
        yield "Not known: it was not read."
    elif pack.before is None:
        yield f"{_count(pack.after)} can see the item, as it was read."
        names = {one.id: one.name for one in pack.names}
        listed = sorted(pack.after or (), key=lambda one: (not names.get(one), names.get(one, ""), one))
        yield from _limited([called(Named(one, names.get(one, ""))) for one in listed], limit)
    else:
        yield f"{_count(pack.before)} before, {_count(pack.after)} after"
        yield from _limited([*_signed("+", pack.added), *_signed("-", pack.removed)], limit)


def _count(recipients: tuple[str, ...] | None) -> str:
    return "not known" if recipients is None else many(len(recipients), "recipient")


def _signed(sign: str, who: tuple[Named, ...]) -> list[str]:
    return [f"{sign} {called(one)}" for one in who]


def _exchanges(pack: Pack, limit: int) -> Iterator[str]:
    if pack.not_on_record:
        yield pack.not_on_record
    yield from _limited([_exchange(one) for one in pack.exchanges], limit)
    if pack.skipped:
        yield f"… {many(pack.skipped, 'request')} more were made; their record was not kept"


def _exchange(asked: RequestAndAnswer) -> str:
    answer = "unanswered" if asked.status is None else str(asked.status)
    attempt = f", attempt {asked.attempt}" if asked.attempt > 1 else ""
    line = (
        f"{exact_utc(asked.at)} {asked.method} {asked.path} → {answer}, {asked.took_ms:,} ms{attempt},"
        f" request {asked.request_id or 'without id'}"
    )
    why = " · ".join(filter(None, (shown_or_empty(asked.failure), said(asked.problem))))
    return f"{line} · {why}" if why else line


def _past(past: PastChange) -> str:
    why = f" · {shown(past.reason)}" if past.reason else ""
    return f"{full_utc(past.at)} {shown(past.what)}{_by(past)} · {past.outcome}{why}"


def _by(past: PastChange) -> str:
    return f" by {shown(past.by)}" if past.by else ""
