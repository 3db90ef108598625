"""The texts of an answer: the sentence and the reason on screen, and the text to send to the customer."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from item_visibility.lists.gs1_and_markets import market_hint, market_name, split_item_id
from item_visibility.lists.writer import write_xlsx
from item_visibility.saving.outcome import Outcome
from item_visibility.use_cases.check.answer import Answer, AnswerKind, ReasonKind
from item_visibility.use_cases.check.question_words import Language

When = Callable[[datetime], str]
_K = ReasonKind
_ATTEMPTS: dict[Outcome | None, str] = {
    Outcome.DONE: "{person} added {who} ({at}), but the service does not list {who}.",
    Outcome.REFUSED: "{person} tried to add {who} ({at}), but the service refused this.",
    Outcome.NOT_SENT: "{person} wanted to add {who} ({at}), but the change was not sent.",
    Outcome.UNKNOWN: "{person} tried to add {who} ({at}). It is not known whether this worked.",
}
_REASONS = {
    _K.NOT_READ: "{message}",
    _K.UNDER_WAY: "{job} {person} will add {who} and has not ended yet.",
    _K.ALL_REMOVED: "{person} removed all recipients ({at}).",
    _K.REMOVED: "{person} removed {who} ({at}).",
    _K.REMOVED_ELSEWHERE: "{who} was removed elsewhere, not from this dashboard ({since} to {at}).",
    _K.NEAR_RECIPIENT: "The list has a similar number: {near}.",
    _K.OTHER_ITEM: "{who} can see a similar item: {near}.",
    _K.UNKNOWN_ID: "We have no {what}.",
    _K.NEVER_ADDED: "{who} was never added here.",
}
_WHY = {
    Language.ENGLISH: {
        _K.NOT_READ: "The service did not answer us. We will try again.",
        _K.UNDER_WAY: "It is being made visible. Please look again in a few minutes.",
        _K.ALL_REMOVED: "The supplier withdrew the item on {day}.",
        _K.ADD_FAILED: "It is not visible to {name} yet. We are looking into it.",
        _K.REMOVED: "It was withdrawn from {name} on {day}.",
        _K.REMOVED_ELSEWHERE: "It was withdrawn from {name}. We are looking into it.",
        _K.NEAR_RECIPIENT: "The number of {name} is recorded differently. We are looking into it.",
        _K.OTHER_ITEM: "{name} can see the item {other}.",
        _K.UNKNOWN_ID: "We do not know the number {number}. Please check it.",
        _K.NEVER_ADDED: "The supplier has not made it visible to {name}.",
    },
    Language.GERMAN: {
        _K.NOT_READ: "Der Dienst hat uns nicht geantwortet. Wir versuchen es wieder.",
        _K.UNDER_WAY: "Der Artikel wird gerade freigegeben. Bitte sehen Sie in einigen Minuten wieder nach.",
        _K.ALL_REMOVED: "Der Lieferant hat den Artikel am {day} zurückgezogen.",
        _K.ADD_FAILED: "Der Artikel ist für {name} noch nicht sichtbar. Wir gehen der Sache nach.",
        _K.REMOVED: "Die Freigabe für {name} wurde am {day} zurückgenommen.",
        _K.REMOVED_ELSEWHERE: "Die Freigabe für {name} wurde zurückgenommen. Wir gehen der Sache nach.",
        _K.NEAR_RECIPIENT: "Die Nummer von {name} ist anders erfasst. Wir gehen der Sache nach.",
        _K.OTHER_ITEM: "{name} sieht den Artikel {other}.",
        _K.UNKNOWN_ID: "Die Nummer {number} kennen wir nicht. Bitte prüfen Sie sie.",
        _K.NEVER_ADDED: "Der Lieferant hat den Artikel für {name} nicht freigegeben.",
    },
}
_MARKET = {Language.ENGLISH: "target market", Language.GERMAN: "Zielmarkt"}
_LOCALES = {Language.ENGLISH: "en", Language.GERMAN: "de"}
_SO = {
    Language.ENGLISH: {
        AnswerKind.YES: "{who} can see {what} of {supplier} (as of {time}). "
        "We cannot see whether {name} subscribed or received the data.",
        AnswerKind.NO: "{who} cannot see {what} of {supplier} (as of {time}).",
        AnswerKind.PENDING: "The visibility of {what} for {who} is being withdrawn (as of {time}).",
        AnswerKind.NOT_KNOWN: "We cannot say yet whether {who} can see {what}.",
    },
    Language.GERMAN: {
        AnswerKind.YES: "{who} sieht {what} von {supplier} (Stand {time}). "
        "Ob {name} die Daten abonniert oder erhalten hat, können wir nicht sehen.",
        AnswerKind.NO: "{who} sieht {what} von {supplier} nicht (Stand {time}).",
        AnswerKind.PENDING: "Die Freigabe von {what} für {who} wird gerade zurückgenommen (Stand {time}).",
        AnswerKind.NOT_KNOWN: "Wir können noch nicht sagen, ob {who} {what} sieht.",
    },
}


def sentence_of(answer: Answer, *, when: When) -> str:
    """Return the answer in one sentence."""
    who, what, at = answer.recipient, answer.title, when(answer.answered_at)
    if answer.kind is AnswerKind.YES:
        return f"Yes, {who} can see {what} (read {at})."
    if answer.kind is AnswerKind.NO:
        others = "; others can" if answer.listed else "; nobody can"
        return f"No, {who} cannot see {what}{others} (read {at})."
    if answer.kind is AnswerKind.PENDING:
        at = when(answer.reason.at) if answer.reason and answer.reason.at else ""
        return f"{who} was removed from {what} here ({at}); the service still shows the old list."
    return f"Not known: {_not_known(answer)}."


def reason_words(answer: Answer, *, when: When) -> str:
    """Return the reason in words; empty when the answer has no reason."""
    reason = answer.reason
    if reason is None:
        return ""
    near = [_named(answer.names[one], one.supplier_item_id) for one in reason.items]
    near += [_named(answer.names.get(one, one), one) for one in reason.recipients]
    words = {
        "who": answer.recipient,
        "person": reason.person or "Somebody",
        "at": when(reason.at) if reason.at else "",
        "since": when(reason.since) if reason.since else "",
        "job": f"The bulk job “{reason.job}” of" if reason.job else "A save of",
        "near": ", ".join(near),
        "what": " with the number ".join(_unknown(answer)),
        "message": reason.message,
    }
    template = _ATTEMPTS[reason.outcome] if reason.kind is _K.ADD_FAILED else _REASONS[reason.kind]
    said = template.format_map(words)
    if reason.kind is _K.NOT_READ and reason.since:
        could = "could" if reason.could_see else "could not"
        said = f"{said} At the last read ({words['since']}), {answer.recipient} {could} see the item."
    if reason.kind is _K.UNKNOWN_ID and near:
        said = f"{said} Did you mean {words['near']}?"
    if reason.message and reason.kind in {_K.ADD_FAILED, _K.UNKNOWN_ID}:
        said = f"{said} {reason.message.removesuffix('.')}."
    return f"{said} Reason: {reason.why}" if reason.why else said


def customer_words(answer: Answer, language: Language) -> str:
    """Return the text to send to the customer. It names no colleague and no other recipient."""
    question, reason = answer.question, answer.reason
    items = reason.items if reason else ()
    others = [one.supplier_item_id for one in items if one.supplier == question.supplier]
    words = {
        "who": _named(answer.recipient, question.recipient_id or ""),
        "name": answer.recipient,
        "what": _item(_name_alone(answer), question.supplier_item_id or "", language),
        "supplier": answer.supplier or "?",
        "time": f"{_day(answer.answered_at, language)}, {answer.answered_at.astimezone(UTC):%H:%M} UTC",
        "day": _day(reason.at, language) if reason and reason.at else "",
        "other": _item("", others[0], language) if others else "",
        "number": _unknown(answer)[1],
    }
    so = _SO[language][answer.kind].format_map(words)
    kind = reason.kind if reason and answer.kind is not AnswerKind.PENDING else None
    kind = _K.UNKNOWN_ID if kind is _K.OTHER_ITEM and not others else kind
    why = _WHY[language][kind].format_map(words) if kind else ""
    return " ".join(filter(None, [so, why]))


COLUMNS = ("Recipient", "Item", "Market", "Answer", "Why", "Read")


def table_row(answer: Answer) -> tuple[str, ...]:
    """Return the answer as a row of the table. For an id in doubt, it has the words of the question."""
    question, own_id = answer.question, answer.question.supplier_item_id or ""
    not_known = _not_known(answer) if answer.kind is AnswerKind.NOT_KNOWN else ""
    return (
        _named(answer.recipient, question.recipient_id or "") or question.address.get("recipient", ""),
        _named(_name_alone(answer), own_id) or question.address.get("item", ""),
        market_hint(own_id),
        answer.kind.value,
        reason_words(answer, when=_in_utc) or not_known,
        _in_utc(answer.answered_at) if answer.listed is not None else "",
    )


def answers_as_xlsx(answers: Sequence[Answer]) -> bytes:
    """Return a workbook with one row per answer."""
    return write_xlsx(COLUMNS, [table_row(one) for one in answers])


def _in_utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _unknown(answer: Answer) -> tuple[str, str]:
    """Return which of the two is unknown, "recipient" or "item", and its id."""
    reason, question = answer.reason, answer.question
    if answer.listed or (reason and reason.recipients):
        return "recipient", question.recipient_id or ""
    return "item", question.supplier_item_id or ""


def _not_known(answer: Answer) -> str:
    question = answer.question
    if question.doubts:
        return f"choose which {' and which '.join(one.kind.value for one in question.doubts)} is meant"
    if answer.error is not None:
        return "the list could not be read"
    if question.missing and answer.reason is None:
        return f"the question names no {' and no '.join(one.value for one in question.missing)}"
    return "the number of the item or of the recipient may be wrong"


def _named(name: str, own_id: str) -> str:
    """Return the name with the id in brackets, or only the id if there is no name."""
    is_id = name == own_id or name.startswith((f"{own_id} · ", f"{own_id} of "))
    return name if is_id else f"{name} ({own_id})"


def _name_alone(answer: Answer) -> str:
    """Return the item's name without the market, or its number if it has no name."""
    return answer.title.removesuffix(f" · {market_hint(answer.question.supplier_item_id or '')}")


def _item(name: str, own_id: str, language: Language) -> str:
    """Format an item, such as `Oat biscuits (09521000010017:276, target market Germany)`."""
    parts = split_item_id(own_id)
    market = market_name(parts.market, _LOCALES[language]) if parts else ""
    number = f"{own_id}, {_MARKET[language]} {market}" if market else own_id
    return f"{name} ({number})" if name and name != own_id else number


def _day(moment: datetime, language: Language) -> str:
    day = moment.astimezone(UTC)
    return f"{day:%d.%m.%Y}" if language is Language.GERMAN else f"{day.day} {day:%B %Y}"
