"""An answer with its reason, and the words for them: on screen and for the customer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum

from item_visibility.client.call_records import CallRecord
from item_visibility.errors import ItemVisibilityError
from item_visibility.lists.gs1_and_markets import (
    market_hint,
    market_name,
    split_item_id,
)
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.use_cases.check.question import Question
from item_visibility.use_cases.check.question_words import Language
from item_visibility.use_cases.find_by_name import title_of

When = Callable[[datetime], str]
COLUMNS = ("Recipient", "Item", "Market", "Answer", "Why", "Read")
_MARKET = {Language.ENGLISH: "target market", Language.GERMAN: "Zielmarkt"}
_LOCALES = {Language.ENGLISH: "en", Language.GERMAN: "de"}


class _Words(Enum):
    """Members have words for the screen, and for the customer in two languages."""

    def __init__(
        self,
        on_screen: str,
        english: str = "We are looking into it.",
        german: str = "Wir gehen der Sache nach.",
    ) -> None:
        self.on_screen = on_screen
        self.for_customer = {Language.ENGLISH: english, Language.GERMAN: german}


class AnswerKind(_Words):
    """The kind of answer.

    YES and NO are only given if the list of the item could be read.
    """

    YES = (
        "Yes, {name} can see {title} (read {read}).",
        (
            "{who} can see {what} of {supplier} (as of {read})."
            " We cannot see whether {name} subscribed or received the data."
        ),
        (
            "{who} sieht {what} von {supplier} (Stand {read})."
            " Wir können nicht sehen, ob {name} die Daten abonniert oder erhalten hat."
        ),
    )
    NO = (
        "No, {name} cannot see {title}; {others} can (read {read}).",
        "{who} cannot see {what} of {supplier} (as of {read}).",
        "{who} sieht {what} von {supplier} nicht (Stand {read}).",
    )
    REMOVED_HERE = (
        (
            "{name} was removed from {title} here ({at}); "
            "the service still shows the old list."
        ),
        "The visibility of {what} for {who} is being withdrawn (as of {read}).",
        "Die Freigabe von {what} für {who} wird gerade zurückgenommen (Stand {read}).",
    )
    NOT_KNOWN = (
        "Not known: {not_known}.",
        "We cannot say yet whether {who} can see {what}.",
        "Wir können noch nicht sagen, ob {who} {what} sieht.",
    )


class ReasonKind(_Words):
    """The possible reasons, in the order in which they are checked."""

    NOT_READ = ""
    UNDER_WAY = (
        "{work} of {person} will add {name} and has not ended yet.",
        "It is being made visible. Please look again in a few minutes.",
        (
            "Der Artikel wird gerade freigegeben. "
            "Bitte sehen Sie in einigen Minuten wieder nach."
        ),
    )
    ALL_REMOVED = (
        "{person} removed all recipients ({at}).",
        "The supplier withdrew the item on {at}.",
        "Der Lieferant hat den Artikel am {at} zurückgezogen.",
    )
    ADD_FAILED = (
        "{person} tried to add {name} ({at}, outcome: {outcome}), "
        "but the service does not list {name}."
    )
    REMOVED = (
        "{person} removed {name} ({at}).",
        "It was withdrawn from {name} on {at}.",
        "Die Freigabe für {name} wurde am {at} zurückgenommen.",
    )
    REMOVED_ELSEWHERE = (
        "{name} was removed elsewhere, not in this dashboard "
        "(between {since} and {at})."
    )
    NEAR_RECIPIENT = "The list has a similar number: {near}."
    OTHER_ITEM = (
        "{name} can see a similar item: {near}.",
        "{name} can see the item {other}.",
        "{name} sieht den Artikel {other}.",
    )
    UNKNOWN_ID = (
        "We have no {near_kind} with the number {number}.",
        "We do not know the number {number}. Please check it.",
        "Die Nummer {number} kennen wir nicht. Bitte prüfen Sie sie.",
    )
    NEVER_ADDED = (
        "{name} was never added here.",
        "The supplier has not made it visible to {name}.",
        "Der Lieferant hat den Artikel für {name} nicht freigegeben.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """A reason for an answer. Fields that do not apply to its kind are empty.

    Attributes:
        values: the texts and times for the placeholders in the words of its kind.
        why: the reason that was entered for the change.
        message: why something failed, or what is wrong with an id.
        key: the key of the save that removed all recipients, or of the job that is
            under way.
        near: similar items, or similar recipients, that may be meant instead.
    """

    kind: ReasonKind
    values: Mapping[str, object] = field(default_factory=dict)
    why: str = ""
    message: str = ""
    key: str = ""
    near: tuple[NameRow, ...] = ()
    near_kind: Kind = Kind.ITEM


@dataclass(frozen=True, slots=True)
class Read:
    """The result of reading an item: its list or an error, and the requests sent."""

    at: datetime
    listed: frozenset[str] | None = None
    error: ItemVisibilityError | None = None
    exchanges: tuple[CallRecord, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The answer to one question.

    `rows` are the ids of the question with their names, as far as they are known.
    `reason` says why the answer is not YES. It is None if the question was not clear.
    """

    question: Question
    kind: AnswerKind
    read: Read
    rows: Mapping[Kind, NameRow]
    reason: Reason | None = None


def in_utc(moment: datetime) -> str:
    """Format a time in UTC, to the second."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def sentence_of(answer: Answer, *, when: When) -> str:
    """Return the answer in one sentence."""
    return answer.kind.on_screen.format_map(_values(answer, when))


def reason_words(answer: Answer, *, when: When) -> str:
    """Return the reason in words; empty when the answer has no reason."""
    reason = answer.reason
    if reason is None:
        return ""

    values = _values(answer, when)
    sentences = [reason.kind.on_screen.format_map(values)]
    if reason.kind is ReasonKind.UNKNOWN_ID and reason.near:
        sentences.append(f"Did you mean {values['near']}?")
    if reason.message:
        sentences.append(f"{reason.message.removesuffix('.')}.")
    if reason.kind is ReasonKind.NOT_READ and "since" in values:
        last_read = "At the last read ({since}), {name} {could} see the item."
        sentences.append(last_read.format_map(values))
    if reason.why:
        sentences.append(f"Reason: {reason.why}")
    return " ".join(filter(None, sentences))


def customer_words(answer: Answer, language: Language) -> str:
    """Return the text to send to the customer.

    It names no colleague and no other recipient.
    """

    def when(moment: datetime) -> str:
        utc = moment.astimezone(UTC)
        if language is Language.GERMAN:
            return f"{utc:%d.%m.%Y, %H:%M} UTC"
        return f"{utc.day} {utc:%B %Y, %H:%M} UTC"

    values = _values(answer, when, language)
    sentences = [answer.kind.for_customer[language]]
    if answer.reason and answer.kind is not AnswerKind.REMOVED_HERE:
        kind = answer.reason.kind

        # Do not name a similar item of another supplier to the customer.
        if kind is ReasonKind.OTHER_ITEM and not values["other"]:
            kind = ReasonKind.UNKNOWN_ID
        sentences.append(kind.for_customer[language])
    return " ".join(sentences).format_map(values)


def table_row(answer: Answer) -> tuple[str, ...]:
    """Return the answer as a row of the table.

    An id in doubt is given as it was typed.
    """
    address = answer.question.address
    item = answer.rows[Kind.ITEM]
    values = _values(answer, in_utc)
    why = reason_words(answer, when=in_utc)
    if not why and answer.kind is AnswerKind.NOT_KNOWN:
        why = values["not_known"]
    return (
        values["who"] or address.get("recipient", ""),
        _named(item, item.name or item.id) or address.get("item", ""),
        market_hint(item.id),
        answer.kind.name.replace("_", " ").capitalize(),
        why,
        "" if answer.read.listed is None else values["read"],
    )


def _values(
    answer: Answer, when: When, language: Language = Language.ENGLISH
) -> dict[str, str]:
    """Return the values of the placeholders in the words of an answer."""
    supplier, item, recipient = (answer.rows[kind] for kind in Kind)
    name = recipient.name or recipient.id
    values: dict[str, object] = {
        "name": name,
        "who": _named(recipient, name),
        "title": title_of(item),
        "what": _item(item, language),
        "supplier": supplier.name or supplier.id or "?",
        "read": answer.read.at,
        "others": "others" if answer.read.listed else "nobody",
        "not_known": _not_known(answer),
        "near": "",
        "near_kind": "",
        "other": "",
        "number": item.id,
    }

    if reason := answer.reason:
        near = [_similar(row, supplier.id) for row in reason.near]
        of_supplier = [row for row in reason.near if row.ids[0] == supplier.id]
        values["near"] = ", ".join(near)
        values["near_kind"] = reason.near_kind
        if of_supplier:
            values["other"] = _item(NameRow(of_supplier[0].ids), language)
        values |= reason.values

    return {
        key: when(value) if isinstance(value, datetime) else str(value)
        for key, value in values.items()
    }


def _not_known(answer: Answer) -> str:
    question = answer.question
    if question.doubts:
        kinds = " and which ".join(doubt.kind for doubt in question.doubts)
        return f"choose which {kinds} is meant"
    if answer.read.error is not None:
        return "the list could not be read"

    missing = [kind for kind in (Kind.ITEM, Kind.RECIPIENT) if kind not in question.ids]
    if missing:
        return f"the question names no {' and no '.join(missing)}"
    return "the number of the item or of the recipient may be wrong"


def _similar(row: NameRow, supplier: str) -> str:
    """Return a similar item or recipient in words.

    An item of another supplier is named with its supplier.
    """
    is_elsewhere = len(row.ids) > 1 and row.ids[0] != supplier
    of_supplier = f" of {row.ids[0]}" if is_elsewhere else ""
    return _named(row, f"{title_of(row)}{of_supplier}")


def _named(row: NameRow, words: str) -> str:
    """Return the words. If the row has a name, the words lack the id, so add it."""
    return f"{words} ({row.id})" if row.name else words


def _item(row: NameRow, language: Language) -> str:
    """Format an item: `Oat biscuits (09521000010017:276, target market Germany)`."""
    parts = split_item_id(row.id)
    market = market_name(parts.market, _LOCALES[language]) if parts else ""
    number = f"{row.id}, {_MARKET[language]} {market}" if market else row.id
    return f"{row.name} ({number})" if row.name else number
