"""Decides whether a fault is on our side or theirs, and says so in one sentence.

The sentence is based on the calls of the last minutes, one test call, and the state of
our own database.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from http import HTTPStatus
from typing import NamedTuple

from item_visibility.access.claims import LEEWAY
from item_visibility.client.answers import (
    ASK_OPERATOR,
    CLIENT_REFUSALS,
    NoAnswer,
    meaning_of,
)
from item_visibility.client.call_records import CallRecord
from item_visibility.client.operations import GET_VISIBILITIES, REQUEST_TOKEN
from item_visibility.errors import ItemVisibilityError

_SEND = 'Press "Copy for ticket" below, and send the text to whoever runs the'
_ASK_ADMINISTRATOR = "Ask whoever runs this dashboard to check"
SET_CLOCKS = (
    f"{_ASK_ADMINISTRATOR} this machine's clock, which sign-ins and the history use."
)


class Cause(Enum):
    """The cause of a failed call: the beginning of our sentence, and the advice."""

    SERVICE = "Their service fails", f"{_SEND} service."
    TOKEN_SERVICE = "Their token endpoint fails", f"{_SEND} token endpoint."
    EXPIRED = (
        "Their certificate has expired",
        "Ask whoever runs the service to renew the certificate.",
    )
    OTHER_HOST = (
        "Their certificate is for another host",
        (
            f"{_ASK_ADMINISTRATOR} the addresses; if they are right, ask whoever runs "
            "the service."
        ),
    )
    CREDENTIALS = (
        "Our side: the token endpoint refuses our client id or secret",
        f"{_ASK_ADMINISTRATOR} the client id, the client secret and the token address.",
    )
    NOT_LET_IN = "Our side: their service refuses access to our client", ASK_OPERATOR
    TOKENS = (
        (
            "Between us and them: their service refuses the tokens that their token "
            "endpoint gives us"
        ),
        (
            f"{_ASK_ADMINISTRATOR} that both addresses belong together; if so, ask "
            "whoever runs the service."
        ),
    )
    LIMIT = (
        "Between us and them: they limit how often we may send requests",
        (
            "Wait until jobs and scans end, or pause them. Ask whoever runs the "
            "service for a higher limit."
        ),
    )
    ADDRESS = (
        "Our side: something other than the service answers at its configured address",
        (
            f"{_ASK_ADMINISTRATOR} the addresses, and the proxies between us and the "
            "service."
        ),
    )
    NAME = (
        "Our side: our network cannot find the name of their host",
        f"{_ASK_ADMINISTRATOR} the addresses and the network's name service (DNS).",
    )
    CONNECTION = (
        "Between us and them: no connection could be made",
        (
            "Check our network and its firewall. If others reach the service, the "
            "fault is on our side."
        ),
    )
    CERTIFICATE = (
        "Our side: their certificate is not trusted here",
        (
            f"{_ASK_ADMINISTRATOR} the file of your company's certificates "
            "(ITEM_VISIBILITY_CA_FILE)."
        ),
    )
    PROXY = (
        "Our side: our proxy does not connect to them",
        f"{_ASK_ADMINISTRATOR} the proxy, and whether it lets us reach the service.",
    )

    def __init__(self, subject: str, advice: str) -> None:
        self.subject = subject
        self.advice = advice


_THEIRS = {Cause.SERVICE, Cause.TOKEN_SERVICE, Cause.EXPIRED, Cause.OTHER_HOST}
_NO_ANSWER = {
    reason.value.fact: Cause[reason.name]
    for reason in NoAnswer
    if reason.name in Cause.__members__
}
_CAUSES_OF_STATUSES: dict[int, Cause] = {
    HTTPStatus.UNAUTHORIZED: Cause.TOKENS,
    HTTPStatus.FORBIDDEN: Cause.NOT_LET_IN,
    HTTPStatus.TOO_MANY_REQUESTS: Cause.LIMIT,
}


class Level(Enum):
    """The health of the connection."""

    WELL = auto()
    IN_PART = auto()
    BROKEN = auto()


class Call(NamedTuple):
    """One request, and why it failed. `cause` is None if the connection worked."""

    record: CallRecord
    cause: Cause | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The health of the connection, a sentence in parts (texts, times), and advice."""

    level: Level
    parts: tuple[str | datetime, ...]
    advice: str = ""

    def sentence(self, time_words: Callable[[datetime], str]) -> str:
        """Return the sentence, with times formatted by `time_words`."""
        texts = [
            part if isinstance(part, str) else time_words(part) for part in self.parts
        ]
        return "".join(texts).rstrip()


def clock_fault(ahead_s: float | None) -> str:
    """Return how our clock differs from theirs.

    Empty if both agree, or if their time is not known.
    """
    if ahead_s is None or abs(ahead_s) <= LEEWAY.total_seconds():
        return ""
    direction = "ahead of" if ahead_s > 0 else "behind"
    return f"our clock is {abs(ahead_s):.0f} s {direction} theirs"


def judge_connection(
    recent: Sequence[Call],
    *,
    error: ItemVisibilityError | None,
    is_database_well: bool,
    clock_ahead_s: float | None = None,
) -> Judgement:
    """Return which side is at fault, if any.

    `error` is the error of the test call, or None.
    """
    sides = _causes_by_side(recent)
    is_theirs = True in sides
    is_ours = False in sides

    # Say what failed. The advice is about what is said first.
    parts: list[str | datetime] = []
    advice = ""
    for causes in sides.values():
        parts += _failures(causes, recent, has_answered=error is None)
        advice = advice or causes[0].advice
    if error is not None and not sides:
        parts.append(f"The test failed. {error.message} ")
        advice = error.advice
    if not is_database_well:
        parts.append("Our side: our own database cannot be used. ")
        advice = advice or f"{_ASK_ADMINISTRATOR} the database of the dashboard."
    clock = clock_fault(clock_ahead_s)
    if clock:
        parts.append(f"Between us and them: {clock}. ")
        advice = advice or SET_CLOCKS

    # Say what works.
    if error is None and not is_theirs:
        parts.append("Their service answers. ")
    is_explained = error is None or is_theirs
    if is_database_well and not clock and not is_ours and is_explained:
        parts.append("Our side is fine.")

    level = Level.IN_PART if sides or clock else Level.WELL
    if error is not None or not is_database_well:
        level = Level.BROKEN
    return Judgement(level, tuple(parts), advice)


def cause_of(call: CallRecord) -> Cause | None:
    """Return why the call failed, or None if the connection worked."""
    is_token = call.operation == REQUEST_TOKEN.name
    if call.status is None:
        other = Cause.TOKEN_SERVICE if is_token else Cause.SERVICE
        return _NO_ANSWER.get(call.failure, other)
    if call.is_renewed or _has_worked(call, call.status):
        return None

    if is_token and call.status in CLIENT_REFUSALS:
        return Cause.CREDENTIALS
    if is_token and call.status != HTTPStatus.TOO_MANY_REQUESTS:
        is_another = bool(call.failure) or call.status == HTTPStatus.NOT_FOUND
        return Cause.ADDRESS if is_another else Cause.TOKEN_SERVICE
    is_another = bool(call.failure) or call.status < HTTPStatus.BAD_REQUEST
    other = Cause.ADDRESS if is_another else Cause.SERVICE
    return _CAUSES_OF_STATUSES.get(call.status, other)


def _has_worked(call: CallRecord, status: int) -> bool:
    """True when the answer shows that the connection works, even if it is a refusal."""
    if call.operation == GET_VISIBILITIES.name and status == HTTPStatus.NOT_FOUND:
        return not call.has_content  # Note N4
    is_write = call.operation not in (REQUEST_TOKEN.name, GET_VISIBILITIES.name)
    if is_write and meaning_of(status).refuses_this_request:
        return True
    return not call.failure and status < HTTPStatus.MULTIPLE_CHOICES


def _causes_by_side(recent: Sequence[Call]) -> dict[bool, list[Cause]]:
    """Return the causes, newest first, by whether the fault is theirs."""
    sides: dict[bool, list[Cause]] = {}
    for call in reversed(recent):
        if call.cause is None:
            continue
        causes = sides.setdefault(call.cause in _THEIRS, [])
        if call.cause not in causes:
            causes.append(call.cause)
    return sides


def _failures(
    causes: list[Cause], recent: Sequence[Call], *, has_answered: bool
) -> list[str | datetime]:
    first = next(index for index, call in enumerate(recent) if call.cause)
    failed = [call.record for call in recent if call.cause in causes]
    ended = "" if failed[-1].status is None else f" with a {failed[-1].status}"
    retries_succeed = any(
        call.record.attempt > 1 and call.cause is None for call in recent
    )
    share = f"{len(failed)} of {len(recent) - first} calls failed"
    return [
        f"{causes[0].subject}. Since ",
        recent[first].record.sent_at,
        f", {share}, the last one{ended} at ",
        failed[-1].sent_at,
        "; some retries succeed" if retries_succeed else "",
        "; the service answers now. " if has_answered else ". ",
    ]
