"""Us or them, in one sentence: a decision table from the last minutes and the state of our side.

Each call that failed has a cause, and each cause is on their side or ours. The sentence first says where
calls fail, since when, how many of how many, and the last one; then the state of the other side.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum, auto
from http import HTTPStatus

from item_visibility import errors
from item_visibility.client.answers import ASK_OPERATOR, CLIENT_REFUSALS, NoAnswer
from item_visibility.client.call_records import CallRecord
from item_visibility.client.operations import GET_VISIBILITIES, REQUEST_TOKEN

RECENT = timedelta(minutes=15)
"""The sentence is about the calls of this time."""

_REFUSALS = frozenset({400, 404, 405, 409, 410, 411, 413, 414, 415, 422})
"""Statuses that refuse a request, and are no sign of a bad connection."""

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
        f"{_ASK_ADMINISTRATOR} the addresses, and what lies between here and the service.",
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

_NO_ANSWER: dict[str, Cause] = {one: Cause[one.name] for one in NoAnswer if one.name in Cause.__members__}
"""No answer in time and a broken connection are faults of the service or of the token endpoint."""
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
class RecentCalls:
    """The calls of the last minutes: how many failed, and the last failure, by cause.

    `count` are those since the first failure, at `since`; or all of them when none failed. `retries_succeed`
    is True when a repeated call succeeded.
    """

    since: datetime | None = None
    count: int = 0
    failed: Mapping[Cause, int] = field(default_factory=dict)
    last: Mapping[Cause, CallRecord] = field(default_factory=dict)
    retries_succeed: bool = False


@dataclass(frozen=True, slots=True)
class Judgement:
    """The sentence in parts, of which some are times, the health of the connection, and the next step."""

    level: Level
    parts: tuple[str | datetime, ...]
    advice: str = ""

    def sentence(self, time_words: Callable[[datetime], str]) -> str:
        """Return the sentence; `time_words` formats a time."""
        return "".join(part if isinstance(part, str) else time_words(part) for part in self.parts).rstrip()


def judge(
    recent: RecentCalls,
    *,
    asked_at: datetime | None = None,
    error: errors.ItemVisibilityError | None = None,
    is_database_well: bool = True,
) -> Judgement:
    """Return whose fault it is, if any.

    The service was asked at `asked_at`, if at all, and answered unless there is an `error`.
    """
    has_answered = None if asked_at is None else error is None
    theirs = [cause for cause in recent.failed if cause in _THEIRS]
    ours = [cause for cause in recent.failed if cause not in _THEIRS]
    causes = [max(side, key=lambda cause: recent.last[cause].sent_at) for side in (theirs, ours) if side]
    causes.sort(key=lambda cause: recent.last[cause].sent_at, reverse=True)
    parts: list[str | datetime] = []
    for cause in causes:
        count = sum(recent.failed[one] for one in (theirs if cause in _THEIRS else ours))
        parts += [
            *_failed_parts(cause, count, recent),
            "; some retries succeed" if recent.retries_succeed else "",
            "; it answers now. " if has_answered else ". ",
        ]
    main = causes[0] if causes else None
    if main is None and error is not None and asked_at is not None:
        main = cause_of_error(error)
        parts += [_with_subject(main, "the last call failed at "), asked_at, ". "]
    advice = "" if main is None else main.advice
    if not is_database_well:
        parts.append("Our side: our own database cannot be used. ")
        advice = advice or f"{_ASK_ADMINISTRATOR} the database of the dashboard."
    if not theirs and main not in _THEIRS:
        parts.append(_of_theirs(recent.count, main, has_answered=has_answered))
    if not ours and is_database_well and (main is None or main in _THEIRS):
        parts.append("Our side is fine.")
    if has_answered is False or not is_database_well:
        level = Level.BROKEN
    elif main is not None:
        level = Level.IN_PART
    else:
        level = Level.WELL if has_answered or recent.count else Level.NOT_KNOWN
    return Judgement(level, tuple(parts), advice)


def cause_of(call: CallRecord) -> Cause | None:
    """Return the cause of a call that failed; None for one that did not, or whose request was refused."""
    is_token, is_read = (call.operation == one.name for one in (REQUEST_TOKEN, GET_VISIBILITIES))
    if call.status is None:
        return _NO_ANSWER.get(call.failure, Cause.TOKEN_SERVICE if is_token else Cause.SERVICE)
    is_refused = call.status in _REFUSALS and not is_token and not is_read
    is_empty = is_read and call.status == HTTPStatus.NOT_FOUND and not call.has_content  # Note N4
    is_well = not call.failure and call.status < HTTPStatus.MULTIPLE_CHOICES
    if call.is_renewed or is_refused or is_empty or is_well:
        return None
    if is_token and call.status in CLIENT_REFUSALS:
        return Cause.CREDENTIALS
    if is_token and call.status != HTTPStatus.TOO_MANY_REQUESTS:
        is_another = bool(call.failure) or call.status == HTTPStatus.NOT_FOUND
        return Cause.ADDRESS if is_another else Cause.TOKEN_SERVICE
    is_another = bool(call.failure) or call.status < HTTPStatus.BAD_REQUEST
    return _CAUSES_OF_STATUSES.get(call.status, Cause.ADDRESS if is_another else Cause.SERVICE)


def cause_of_error(error: errors.ItemVisibilityError) -> Cause:
    """Return the cause of an error without a recorded request, such as a token refused a second ago."""
    found = (cause for kind, cause in _CAUSES_OF_ERRORS if isinstance(error, kind))
    return next(found, Cause.SERVICE)


def _failed_parts(cause: Cause, count: int, recent: RecentCalls) -> list[str | datetime]:
    """Say since when calls fail on this side, how many of how many, and the last one."""
    last = recent.last[cause]
    if recent.count == 1 or recent.since is None:
        return [_with_subject(cause, f"the only call failed{_last_words(last)} at "), last.sent_at]
    share = f"all {count}" if count == recent.count else f"{count} of {recent.count}"
    last_words = f", {share} calls failed, the last one{_last_words(last)} at "
    return [_with_subject(cause, "since "), recent.since, last_words, last.sent_at]


def _with_subject(cause: Cause, words: str) -> str:
    """Return the subject with its words: one sentence, or two when the subject is a sentence itself."""
    is_sentence = cause not in {Cause.SERVICE, Cause.TOKEN_SERVICE}
    return f"{cause.subject}. {words[0].upper()}{words[1:]}" if is_sentence else f"{cause.subject}: {words}"


def _last_words(call: CallRecord) -> str:
    """Return how a call failed; nothing when the subject says it."""
    if call.status is not None:
        return f" with a {call.status}"
    if call.failure == NoAnswer.LATE:
        return " without an answer in time"
    return "" if cause_of(call) in _NO_ANSWER.values() else " with a broken connection"


def _of_theirs(count: int, cause: Cause | None, *, has_answered: bool | None) -> str:
    """Say how their service is, when its own calls did not fail; nothing when the failure says it."""
    if has_answered is False:
        return "Their service was not asked. " if cause in _NOT_ASKED else ""
    if has_answered is None and not count:
        return "Nothing was asked of their service yet. "
    if cause is not None or count <= 1:
        return "Their service answers. "
    minutes = RECENT // timedelta(minutes=1)
    return f"Their service answers: none of {count} calls in the last {minutes} minutes failed. "
