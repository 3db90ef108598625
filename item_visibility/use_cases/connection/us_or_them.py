"""Us or them, in one sentence: a decision table from the recent calls and the state of our side.

Each call that failed has a cause, and each cause is on their side or ours. The sentence first says where
calls fail, how many of how many, and the last one; then the state of the other side.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from http import HTTPStatus

from item_visibility import errors
from item_visibility.client.answers import ASK_OPERATOR, CLIENT_REFUSALS, NoAnswer
from item_visibility.client.call_records import CallRecord
from item_visibility.client.operations import REQUEST_TOKEN
from item_visibility.use_cases.connection.call_watch import is_failure

_SEND = "Use Copy for ticket below and send the text to whoever runs the"
_ASK_ADMINISTRATOR = "Ask whoever set this dashboard up to check"


class Cause(Enum):
    """The cause of a failed call: the words that begin the sentence, and the next step."""

    SERVICE = "Their service", f"{_SEND} service."
    TOKEN_SERVICE = "Their token endpoint", f"{_SEND} token endpoint."
    EXPIRED = "Their certificate has expired", "Ask whoever runs the service to renew it."
    OTHER_HOST = (
        "Their certificate is that of another host",
        f"{_ASK_ADMINISTRATOR} the addresses; if they are right, ask whoever runs the service.",
    )
    CREDENTIALS = (
        "Our side: the token endpoint refuses our client id or secret",
        f"{_ASK_ADMINISTRATOR} the client id, the client secret and the token address.",
    )
    NOT_LET_IN = "Our side: their service does not let our client in", ASK_OPERATOR
    TOKENS = (
        "Between us and them: their service refuses the tokens that their token endpoint gives us",
        f"{_ASK_ADMINISTRATOR} that both addresses belong together; if so, ask whoever runs the service.",
    )
    LIMIT = (
        "Between us and them: they limit how often we may ask",
        "Wait for running jobs and scans, or pause them; ask whoever runs the service for a higher limit.",
    )
    ADDRESS = (
        "Our side: something else than the service answers at the address that we have for it",
        f"{_ASK_ADMINISTRATOR} the addresses, and what stands between here and the service.",
    )
    NAME = (
        "Our side: our network does not find the name of their host",
        f"{_ASK_ADMINISTRATOR} the addresses and the network's name service (DNS).",
    )
    CONNECTION = (
        "Between us and them: no connection could be made",
        "Check our network and its firewall; if others reach the service, it is ours.",
    )
    CERTIFICATE = (
        "Our side: their certificate is not trusted here",
        f"{_ASK_ADMINISTRATOR} the file of your company's certificates (ITEM_VISIBILITY_CA_FILE).",
    )
    PROXY = (
        "Our side: our proxy does not connect to them",
        f"{_ASK_ADMINISTRATOR} the proxy, and whether it lets us reach the service.",
    )
    NONE_FREE = "Our side: all of our connections were in use", "Wait for running jobs, or pause one."

    def __init__(self, subject: str, advice: str) -> None:
        self.subject = subject
        self.advice = advice


_THEIRS = {Cause.SERVICE, Cause.TOKEN_SERVICE, Cause.EXPIRED, Cause.OTHER_HOST}
_NOT_ASKED = {Cause.CREDENTIALS, Cause.NAME, Cause.CERTIFICATE, Cause.PROXY, Cause.NONE_FREE}
"""Causes on our side after which the service was not asked at all."""

_NO_ANSWER: dict[str, Cause] = {
    NoAnswer.NAME: Cause.NAME,
    NoAnswer.CONNECTION: Cause.CONNECTION,
    NoAnswer.CERTIFICATE: Cause.CERTIFICATE,
    NoAnswer.EXPIRED: Cause.EXPIRED,
    NoAnswer.OTHER_HOST: Cause.OTHER_HOST,
    NoAnswer.PROXY: Cause.PROXY,
    NoAnswer.NONE_FREE: Cause.NONE_FREE,
}
_CAUSES_OF_STATUSES: dict[int, Cause] = {
    HTTPStatus.UNAUTHORIZED: Cause.TOKENS,
    HTTPStatus.FORBIDDEN: Cause.NOT_LET_IN,
    HTTPStatus.TOO_MANY_REQUESTS: Cause.LIMIT,
}
_CAUSES_OF_ERRORS: tuple[tuple[type[errors.ItemVisibilityError], Cause], ...] = (
    (errors.TokenRefusedError, Cause.CREDENTIALS),
    (errors.TokenUnavailableError, Cause.TOKEN_SERVICE),
    (errors.NotAllowedError, Cause.NOT_LET_IN),
    (errors.NotSentError, Cause.CONNECTION),
    (errors.UnexpectedAnswerError, Cause.ADDRESS),
)


class Level(Enum):
    """The health of the connection."""

    WELL = auto()
    IN_PART = auto()
    BROKEN = auto()
    NOT_KNOWN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The facts that the sentence is made from.

    Attributes:
        calls: the requests of the last minutes, the oldest first.
        has_answered: whether the service answered when it was asked for this report; None when it was not
            asked.
        error: the error of that attempt, when it failed.
        asked_at: when it was asked.
        is_database_well: False when our own database cannot be used.
    """

    calls: tuple[CallRecord, ...] = ()
    has_answered: bool | None = None
    error: errors.ItemVisibilityError | None = None
    asked_at: datetime | None = None
    is_database_well: bool = True


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the sentence: words, the time that follows them if any, and the end."""

    words: str
    at: datetime | None = None
    end: str = "."


@dataclass(frozen=True, slots=True)
class Judgement:
    """The sentence, the health of the connection, and the next step if any."""

    level: Level
    parts: tuple[Part, ...]
    advice: str = ""

    def sentence(self, told_at: Callable[[datetime], str]) -> str:
        """Return the sentence; `told_at` formats a time."""
        return " ".join(
            part.words + ("" if part.at is None else f" at {told_at(part.at)}") + part.end
            for part in self.parts
        )


def judge(situation: Situation) -> Judgement:
    """Return whose fault it is, if any."""
    failed = [(call, cause_of(call)) for call in situation.calls if is_failure(call)]
    theirs = [call for call, cause in failed if cause in _THEIRS]
    ours = [call for call, cause in failed if cause not in _THEIRS]
    sides = sorted((side for side in (theirs, ours) if side), key=lambda side: side[-1].sent_at, reverse=True)
    parts = [_failed_part(side, situation) for side in sides]
    cause = cause_of(sides[0][-1]) if sides else None
    if cause is None and situation.error is not None:
        cause = cause_of_error(situation.error)
        parts = [Part(_with_count(cause, "the last call failed"), situation.asked_at)]
    advice = "" if cause is None else cause.advice
    if not situation.is_database_well:
        parts.append(Part("Our side: our own database cannot be used"))
        advice = advice or f"{_ASK_ADMINISTRATOR} the database of the dashboard."
    if not theirs and cause not in _THEIRS:
        parts += [Part(words) for words in _of_theirs(situation, cause)]
    if not ours and situation.is_database_well and (cause is None or cause in _THEIRS):
        parts.append(Part("Our side is fine"))
    return Judgement(_level(situation, is_spoilt=cause is not None), tuple(parts), advice)


def cause_of(call: CallRecord) -> Cause:
    """Return the cause of a call that failed."""
    if call.status is None:
        unknown = Cause.TOKEN_SERVICE if call.operation == REQUEST_TOKEN.name else Cause.SERVICE
        return _NO_ANSWER.get(call.failure, unknown)
    if call.operation == REQUEST_TOKEN.name:
        return _cause_of_token_answer(call)
    is_another = bool(call.failure) or call.status < HTTPStatus.BAD_REQUEST
    return _CAUSES_OF_STATUSES.get(call.status, Cause.ADDRESS if is_another else Cause.SERVICE)


def cause_of_error(error: errors.ItemVisibilityError) -> Cause:
    """Return the cause of an error without a recorded request, such as a token refused a second ago."""
    found = (cause for kind, cause in _CAUSES_OF_ERRORS if isinstance(error, kind))
    return next(found, Cause.SERVICE)


def _cause_of_token_answer(call: CallRecord) -> Cause:
    if call.status in CLIENT_REFUSALS:
        return Cause.CREDENTIALS
    if call.status == HTTPStatus.TOO_MANY_REQUESTS:
        return Cause.LIMIT
    is_another = bool(call.failure) or call.status == HTTPStatus.NOT_FOUND
    return Cause.ADDRESS if is_another else Cause.TOKEN_SERVICE


def _failed_part(failed: list[CallRecord], situation: Situation) -> Part:
    """Say how many of the last calls failed on this side, and the last one."""
    last, total = failed[-1], len(situation.calls)
    count = f"{len(failed)} of the last {total} calls failed"
    if len(failed) == total:
        count = f"each of the last {total} calls failed" if total > 1 else "the only call failed"
    came = f"a {last.status}" if last.status is not None else _without_answer(last)
    is_over = bool(situation.has_answered) and last is not situation.calls[-1]
    end = "; it answers now." if is_over else "."
    words = _with_count(cause_of(last), count)
    return Part(f"{words}, last{came and f' {came}'}", last.sent_at, end)


def _with_count(cause: Cause, count: str) -> str:
    """Return the subject with its count: one sentence, or two when the subject is a sentence itself."""
    is_sentence = cause not in {Cause.SERVICE, Cause.TOKEN_SERVICE}
    return f"{cause.subject}. {count[0].upper()}{count[1:]}" if is_sentence else f"{cause.subject}: {count}"


def _without_answer(call: CallRecord) -> str:
    """Return the words for a call without an answer; none when the subject says it."""
    if call.failure == NoAnswer.LATE:
        return "one without an answer in time"
    return "" if cause_of(call) in _NO_ANSWER.values() else "a broken connection"


def _of_theirs(situation: Situation, cause: Cause | None) -> list[str]:
    """Say how their service is, when its own calls did not fail; nothing when the failure says it."""
    total = len(situation.calls)
    if situation.has_answered is False:
        return ["Their service was not asked"] if cause in _NOT_ASKED else []
    if situation.has_answered is None and not total:
        return ["Nothing was asked of their service yet"]
    if cause is not None or total <= 1:
        return ["Their service answers"]
    return [f"Their service answers: none of the last {total} calls failed"]


def _level(situation: Situation, *, is_spoilt: bool) -> Level:
    if situation.has_answered is False or not situation.is_database_well:
        return Level.BROKEN
    if is_spoilt:
        return Level.IN_PART
    if situation.has_answered is None and not situation.calls:
        return Level.NOT_KNOWN
    return Level.WELL
