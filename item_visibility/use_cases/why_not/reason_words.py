"""The words of the reasons: what is so, in one sentence each."""

from collections.abc import Callable

from item_visibility.saving.job import JobState
from item_visibility.use_cases.why_not.change_words import HOW
from item_visibility.use_cases.why_not.reasons import Reason, ReasonKind, WhyNot
from item_visibility.use_cases.why_not.telling import Telling, When, between, joined

_ELSEWHERE = "in another market"
_JOB_STATES = {
    JobState.READING: "it was not applied yet",
    JobState.PREVIEWED: "it was not applied yet",
    JobState.QUEUED: "it waits for its turn",
    JobState.RUNNING: "it is running",
    JobState.WAITING: "it waits for the service",
    JobState.PAUSED: "it is paused",
}


def reason_in_words(reason: Reason, why_not: WhyNot, *, when: When) -> str:
    """Return what is so, in one sentence."""
    return _SENTENCES[reason.kind](Telling(reason, why_not, when))


def _job(tell: Telling) -> str:
    reason = tell.reason
    state = _JOB_STATES[reason.state] if reason.state else ""
    return joined(f"The bulk job “{reason.title}” of {tell.who} is to add {tell.it}, and {state}", reason.why)


def _removed(tell: Telling) -> str:
    how = HOW.get(tell.reason.origin, "") if tell.reason.origin else ""
    return joined(f"{tell.who} removed {tell.it}{how}", *tell.event)


def _refused(tell: Telling) -> str:
    said = tell.reason.message.removesuffix(".")
    without = f"without success: {said}" if said else "and the service refused it"
    return joined(f"{tell.who} tried to add {tell.it}, {without}", *tell.event[:2])


def _elsewhere(tell: Telling) -> str:
    when = between(tell.reason.since, tell.reason.at, tell.when)
    return joined(f"{tell.it_first} was removed elsewhere, not from this dashboard", when)


def _exchanged(tell: Telling) -> str:
    also = (
        "the other way round it can see the item"
        if tell.reason.sees
        else "the other way round the item is known"
    )
    return f"{tell.exchanged} seem to be exchanged: {also}"


def _other_market(tell: Telling) -> str:
    market = f"for {tell.market}" if tell.market else _ELSEWHERE
    own = f", not for {tell.own_market}" if tell.own_market else ""
    return f"{tell.it_first} can see the item{tell.as_written} {market}{own}: {tell.title}"


def _known_market(tell: Telling) -> str:
    market = f"for {tell.market}" if tell.market else _ELSEWHERE
    own = f", not for {tell.own_market}" if tell.own_market else ""
    return f"The item is known {market}{own}: {tell.title}; {tell.there}"


def _not_read(tell: Telling) -> str:
    if tell.reason.since is None:
        return f"The service did not give the list: {tell.reason.message}"
    could = "could" if tell.reason.sees else "could not"
    return f"When the list was last read, {tell.when(tell.reason.since)}, {tell.it} {could} see the item"


_K = ReasonKind
_SENTENCES: dict[ReasonKind, Callable[[Telling], str]] = {
    _K.NOT_READ: _not_read,
    _K.CANNOT_BE_ASKED: lambda tell: tell.reason.message,
    _K.ADDING: lambda tell: joined(
        f"{tell.who} began to add {tell.it}, and how that ends is not known yet", *tell.event
    ),
    _K.MARKET_MISSING: lambda tell: tell.reason.message,
    _K.WRITTEN_OTHERWISE: lambda tell: (
        f"The list holds the number in another writing: {tell.other} can see the item; {tell.difference}"
    ),
    _K.ITEM_WRITTEN_OTHERWISE: lambda tell: (
        f"The item is known in another writing, {tell.title}: {tell.difference}; {tell.there}"
    ),
    _K.JOB: _job,
    _K.REMOVED: _removed,
    _K.TAKEN_BACK: lambda tell: joined(f"{tell.who} took the addition of {tell.it} back", *tell.event),
    _K.REMOVED_ELSEWHERE: _elsewhere,
    _K.ADD_REFUSED: _refused,
    _K.ADD_UNCERTAIN: lambda tell: joined(
        f"{tell.who} tried to add {tell.it}; whether that worked was not seen", *tell.event[:2]
    ),
    _K.NOT_SENT: lambda tell: joined(f"{tell.who} wanted to add {tell.it}; it was not sent", *tell.event[:2]),
    _K.ADDED: lambda tell: joined(
        f"{tell.who} added {tell.it}; the list that was just read does not show it", *tell.event
    ),
    _K.EXCHANGED: _exchanged,
    _K.OTHER_MARKET: _other_market,
    _K.OTHER_SUPPLIER: lambda tell: (
        f"{tell.it_first} can see this item of another supplier{tell.as_written}: {tell.supplier}"
    ),
    _K.OTHER_PACKAGE: lambda tell: (
        f"{tell.it_first} can see this item in another package{tell.as_written}: {tell.title}"
    ),
    _K.LIST_MISTYPED: lambda tell: (
        f"The list holds {tell.other}, whose check digit does not fit: compared with it, {tell.difference}"
    ),
    _K.RECIPIENT_MISTYPED: lambda tell: (
        f"Probably {tell.other} was meant, who can see the item: {tell.difference}"
    ),
    _K.SUPPLIER_MISTYPED: lambda tell: (
        f"Probably the supplier {tell.supplier} was meant: {tell.difference}; {tell.there}"
    ),
    _K.KNOWN_MARKET: _known_market,
    _K.ITEM_MISTYPED: lambda tell: f"Probably {tell.title} was meant: {tell.difference}; {tell.there}",
    _K.KNOWN_PACKAGE: lambda tell: f"The item is known in another package, {tell.title}; {tell.there}",
    _K.KNOWN_SUPPLIER: lambda tell: f"Another supplier, {tell.supplier}, has this item; {tell.there}",
    _K.SUPPLIERS_NUMBER: lambda _: "The recipient's number is that of the supplier",
    _K.ITEMS_NUMBER: lambda _: "The recipient's number is that of the item",
    _K.DAMAGED: lambda tell: f"The recipient's number seems wrong: {tell.reason.message}",
    _K.KNOWN_RECIPIENT: lambda tell: f"Perhaps {tell.other} was meant: {tell.difference}",
    _K.NO_LIST: lambda _: "The service lists no recipients at all for this item",
    _K.NOT_ADDED: lambda tell: f"An addition of {tell.it} to this item is not on record here",
    _K.UNKNOWN_RECIPIENT: lambda _: "The recipient's number is not known here, and may be misread",
    _K.UNKNOWN_ITEM: lambda tell: (
        f"The item's number seems wrong: {tell.reason.message}"
        if tell.reason.message
        else "The item is not known here, and may be misread"
    ),
}
