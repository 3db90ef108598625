"""The result of one write, without exceptions. Spec: "Errors"; Notes N5, N7."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import ParamSpec

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

P = ParamSpec("P")


class WriteStatus(Enum):
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
class WriteResult:
    """The result of one write. `is_down` is True when more writes would do no better now."""

    status: WriteStatus
    is_down: bool = False
    problem: ProblemDetail | None = None
    message: str = ""
    advice: str = ""


def try_write(write: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> WriteResult:
    """Make one write and return its result."""
    try:
        write(*args, **kwargs)
    except IdentifierError as error:
        return _failed(WriteStatus.REFUSED, error)
    except TokenError as error:
        return _failed(WriteStatus.NOT_SENT, error, is_down=True)
    except CallError as error:
        return _failed_call(error)
    return WriteResult(WriteStatus.ACCEPTED)


def _failed_call(error: CallError) -> WriteResult:
    match error:
        case NotSentError():
            status, is_down = WriteStatus.NOT_SENT, True
        case NotFoundError():
            status, is_down = WriteStatus.NOT_FOUND, False
        case RefusedError():
            status, is_down = WriteStatus.REFUSED, _stops_others(error)
        case _:
            status, is_down = WriteStatus.UNKNOWN, False
    if error.was_ambiguous:  # an earlier attempt of the same call may have been applied
        status = WriteStatus.UNKNOWN
    return _failed(status, error, is_down=is_down, problem=error.problem)


def _stops_others(error: CallError) -> bool:
    return error.problem is not None and meaning_of(error.problem.status).stops_others


def _failed(
    status: WriteStatus,
    error: ItemVisibilityError,
    *,
    is_down: bool = False,
    problem: ProblemDetail | None = None,
) -> WriteResult:
    return WriteResult(status, is_down=is_down, problem=problem, message=error.message, advice=error.advice)
