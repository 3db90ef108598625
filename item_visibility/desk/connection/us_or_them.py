"""Us or them, in one sentence: a decision table from what was asked of late, and what is known of our side.

A call that failed has a cause, and each cause lies on a side: theirs or ours. The sentence says first where
calls fail, with how many of how many and the last one; then how the other side is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from http import HTTPStatus

from item_visibility import errors
from item_visibility.api.observing import CallRecord
from item_visibility.api.operations import REQUEST_TOKEN
from item_visibility.api.statuses import CLIENT_REFUSALS, NoAnswer
from item_visibility.desk.connection.call_watch import is_failure
from item_visibility.desk.connection.causes import ASK_ADMINISTRATOR, TOLD, Cause

_NO_ANSWER = {
    NoAnswer.NAME: Cause.NAME,
    NoAnswer.CONNECTION: Cause.CONNECTION,
    NoAnswer.CERTIFICATE: Cause.CERTIFICATE,
    NoAnswer.EXPIRED: Cause.EXPIRED,
    NoAnswer.OTHER_HOST: Cause.OTHER_HOST,
    NoAnswer.PROXY: Cause.PROXY,
    NoAnswer.NONE_FREE: Cause.NONE_FREE,
}
_NOT_REACHED = ["Their service was not reached"]
_NOT_ANSWERED: dict[Cause | None, list[str]] = {
    Cause.CREDENTIALS: ["Their service was not asked"],
    Cause.NAME: _NOT_REACHED,
    Cause.CERTIFICATE: _NOT_REACHED,
    Cause.PROXY: _NOT_REACHED,
    Cause.NONE_FREE: _NOT_REACHED,
}
"""The words for their service after a failure on our side; without an entry, the failure says it."""
_SOME = 2
_CAUSES_OF_STATUSES = {
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
    """All that the sentence is made of.

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
    """The sentence, how well the connection is, and the next step; empty when there is none."""

    level: Level
    parts: tuple[Part, ...]
    advice: str = ""

    def sentence(self, told_at: Callable[[datetime], str]) -> str:
        """Return the sentence; `told_at` writes a time as its reader wants it."""
        return " ".join(
            part.words + ("" if part.at is None else f" at {told_at(part.at)}") + part.end
            for part in self.parts
        )


def judge(situation: Situation) -> Judgement:
    """Return whose fault it is, if any."""
    causes = [(call, cause_of(call)) for call in situation.calls if is_failure(call)]
    theirs = [call for call, cause in causes if TOLD[cause].is_theirs]
    ours = [call for call, cause in causes if not TOLD[cause].is_theirs]
    sides = sorted((side for side in (theirs, ours) if side), key=lambda side: side[-1].sent_at, reverse=True)
    parts = [_failed_part(side, situation) for side in sides]
    cause = cause_of(sides[0][-1]) if sides else None
    if cause is None and situation.error is not None:
        cause = cause_of_error(situation.error)
        parts = [Part(_with_count(cause, "the last call failed"), situation.asked_at)]
    told = None if cause is None else TOLD[cause]
    if not situation.is_database_well:
        parts.append(Part("Our side: our own database cannot be used"))
    if not theirs and (told is None or not told.is_theirs):
        parts += [Part(words) for words in _of_theirs(situation, cause)]
    if not ours and situation.is_database_well and (told is None or told.is_theirs):
        parts.append(Part("Our side is fine"))
    advice = "" if situation.is_database_well else f"{ASK_ADMINISTRATOR} the database of the dashboard."
    advice = advice if told is None else told.advice
    return Judgement(_level(situation, is_spoilt=told is not None), tuple(parts), advice)


def cause_of(call: CallRecord) -> Cause:
    """Return the cause of a call that failed."""
    if call.status is None:
        unknown = Cause.TOKEN_SERVICE if call.operation == REQUEST_TOKEN.name else Cause.SERVICE
        return next((cause for reason, cause in _NO_ANSWER.items() if reason == call.failure), unknown)
    if call.operation == REQUEST_TOKEN.name:
        return _cause_of_token_answer(call)
    is_another = bool(call.failure) or call.status < HTTPStatus.BAD_REQUEST
    return next(
        (cause for status, cause in _CAUSES_OF_STATUSES.items() if status == call.status),
        Cause.ADDRESS if is_another else Cause.SERVICE,
    )


def cause_of_error(error: errors.ItemVisibilityError) -> Cause:
    """Return the cause of an error when no request was recorded, such as one for a token not asked for."""
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
    """Return the subject with its count, in one sentence or, after a subject that is a sentence, in two."""
    subject = TOLD[cause].subject
    is_sentence = cause not in {Cause.SERVICE, Cause.TOKEN_SERVICE}
    return f"{subject}. {count[0].upper()}{count[1:]}" if is_sentence else f"{subject}: {count}"


def _without_answer(call: CallRecord) -> str:
    """Return the words for a call without an answer; none when the subject says it."""
    if call.failure == NoAnswer.LATE:
        return "one without an answer in time"
    return "" if cause_of(call) in _NO_ANSWER.values() else "a broken connection"


def _of_theirs(situation: Situation, cause: Cause | None) -> list[str]:
    """Say how their service is, when its own calls did not fail; nothing when the failure says it."""
    total = len(situation.calls)
    if situation.has_answered is False:
        return _NOT_ANSWERED.get(cause, [])
    if situation.has_answered is None and not total:
        return ["Nothing was asked of their service yet"]
    if cause is not None or total < _SOME:
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
