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
from item_visibility.storage.directory import Kind
from item_visibility.storage.name_search import NameRow
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
            "{name} was removed from {title} here ({at}); the service still shows the "
            "old list."
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
            "Der Artikel wird gerade freigegeben. Bitte sehen Sie in einigen Minuten "
            "wieder nach."
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

    Attributes: values: the texts and times for the placeholders in the words of its
        kind. why: the reason that was entered for the change. message: why something
        failed, or what is wrong with an id. key: the key of the save that removed all
        recipients, or of the job that is under way. near: similar items, or similar
        recipients, that may be meant instead.
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
    `reason` says why the answer is not YES. `reason` is None if the question was not
    clear.
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
    said = [reason.kind.on_screen.format_map(values)]
    if reason.kind is ReasonKind.UNKNOWN_ID and reason.near:
        said.append(f"Did you mean {values['near']}?")
    if reason.message:
        said.append(f"{reason.message.removesuffix('.')}.")
    if reason.kind is ReasonKind.NOT_READ and "since" in values:
        said.append(
            "At the last read ({since}), {name} {could} see the item.".format_map(
                values
            )
        )
    if reason.why:
        said.append(f"Reason: {reason.why}")
    return " ".join(filter(None, said))


def customer_words(answer: Answer, language: Language) -> str:
    """Return the text to send to the customer.

    It names no colleague and no other recipient.
    """

    def when(moment: datetime) -> str:
        at = moment.astimezone(UTC)
        day = (
            f"{at:%d.%m.%Y}" if language is Language.GERMAN else f"{at.day} {at:%B %Y}"
        )
        return f"{day}, {at:%H:%M} UTC"

    values = _values(answer, when, language)
    said = [answer.kind.for_customer[language]]
    if answer.reason and answer.kind is not AnswerKind.REMOVED_HERE:
        is_hidden = answer.reason.kind is ReasonKind.OTHER_ITEM and not values["other"]
        kind = ReasonKind.UNKNOWN_ID if is_hidden else answer.reason.kind
        said.append(kind.for_customer[language])
    return " ".join(said).format_map(values)


def table_row(answer: Answer) -> tuple[str, ...]:
    """Return the answer as a row of the table.

    An id in doubt is given as it was typed.
    """
    address, item = answer.question.address, answer.rows[Kind.ITEM]
    values = _values(answer, in_utc)
    why = reason_words(answer, when=in_utc)
    return (
        values["who"] or address.get("recipient", ""),
        _named(item, item.name or item.id) or address.get("item", ""),
        market_hint(item.id),
        answer.kind.name.replace("_", " ").capitalize(),
        why or (values["not_known"] if answer.kind is AnswerKind.NOT_KNOWN else ""),
        "" if answer.read.listed is None else values["read"],
    )


def _values(
    answer: Answer, when: When, language: Language = Language.ENGLISH
) -> dict[str, str]:
    """Return the values of the placeholders in the words of an answer."""
    supplier, item, recipient = (answer.rows[kind] for kind in Kind)
    reason, name = answer.reason, recipient.name or recipient.id
    near = reason.near if reason else ()
    similar = [one for one in near if one.ids[0] == supplier.id]
    values: dict[str, object] = {
        "name": name,
        "who": _named(recipient, name),
        "title": title_of(item),
        "what": _item(item, language),
        "supplier": supplier.name or supplier.id or "?",
        "read": answer.read.at,
        "others": "others" if answer.read.listed else "nobody",
        "not_known": _not_known(answer),
        "near": ", ".join(_similar(one, supplier.id) for one in near),
        "near_kind": reason.near_kind if reason else "",
        "other": _item(NameRow(similar[0].ids), language) if similar else "",
        "number": item.id,
    }
    values |= reason.values if reason else {}
    return {
        name: when(one) if isinstance(one, datetime) else str(one)
        for name, one in values.items()
    }


def _not_known(answer: Answer) -> str:
    question = answer.question
    missing = [kind for kind in (Kind.ITEM, Kind.RECIPIENT) if kind not in question.ids]
    if question.doubts:
        kinds = " and which ".join(doubt.kind for doubt in question.doubts)
        return f"choose which {kinds} is meant"
    if answer.read.error is not None:
        return "the list could not be read"
    if missing:
        return f"the question names no {' and no '.join(missing)}"
    return "the number of the item or of the recipient may be wrong"


def _similar(row: NameRow, supplier: str) -> str:
    """Return a similar item or recipient in words.

    An item of another supplier is named with its supplier.
    """
    is_elsewhere = len(row.ids) > 1 and row.ids[0] != supplier
    return _named(
        row, f"{title_of(row)} of {row.ids[0]}" if is_elsewhere else title_of(row)
    )


def _named(row: NameRow, words: str) -> str:
    """Return the words. If the row has a name, the words lack the id, so add it."""
    return f"{words} ({row.id})" if row.name else words


def _item(row: NameRow, language: Language) -> str:
    """Format an item: `Oat biscuits (09521000010017:276, target market Germany)`."""
    parts = split_item_id(row.id)
    market = market_name(parts.market, _LOCALES[language]) if parts else ""
    number = f"{row.id}, {_MARKET[language]} {market}" if market else row.id
    return f"{row.name} ({number})" if row.name else number
