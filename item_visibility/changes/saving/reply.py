"""The reply to one write, without exceptions. Spec: "Errors"; Notes N5, N7."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto

from item_visibility.api.statuses import meaning_of
from item_visibility.errors import (
    CallError,
    IdentifierError,
    ItemVisibilityError,
    NotFoundError,
    NotSentError,
    ProblemDetail,
    RefusedError,
    TokenError,
)


class Answer(Enum):
    """The outcome of one write, as known before any read."""

    ACCEPTED = auto()
    """204: applied."""
    REFUSED = auto()
    """4xx, or an identifier that no request can carry: not applied."""
    NOT_FOUND = auto()
    """404: not applied; on a removal it may mean that there is nothing to remove. Note N5."""
    NOT_SENT = auto()
    """No connection or no token: not applied."""
    UNKNOWN = auto()
    """Only a read can tell."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one write. `is_down` is True when more writes would do no better now."""

    answer: Answer
    is_down: bool = False
    problem: ProblemDetail | None = None
    message: str = ""
    advice: str = ""


ACCEPTED = Reply(Answer.ACCEPTED)


def reply_to(write: Callable[[], None]) -> Reply:
    """Make one write and return its reply."""
    try:
        write()
    except IdentifierError as error:
        return _reply(Answer.REFUSED, error)
    except TokenError as error:
        return _reply(Answer.NOT_SENT, error, is_down=True)
    except CallError as error:
        return _reply_to_call(error)
    return ACCEPTED


def _reply_to_call(error: CallError) -> Reply:
    match error:
        case NotSentError():
            answer, is_down = Answer.NOT_SENT, True
        case NotFoundError():
            answer, is_down = Answer.NOT_FOUND, False
        case RefusedError():
            answer, is_down = Answer.REFUSED, _stops_others(error)
        case _:
            answer, is_down = Answer.UNKNOWN, False
    if error.was_ambiguous:  # an earlier attempt of the same call may have been applied
        answer = Answer.UNKNOWN
    return _reply(answer, error, is_down=is_down, problem=error.problem)


def _stops_others(error: CallError) -> bool:
    return error.problem is not None and meaning_of(error.problem.status).stops_others


def _reply(
    answer: Answer, error: ItemVisibilityError, *, is_down: bool = False, problem: ProblemDetail | None = None
) -> Reply:
    return Reply(answer, is_down=is_down, problem=problem, message=error.message, advice=error.advice)
