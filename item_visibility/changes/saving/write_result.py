"""The result of one write, read from its error. Spec: "Errors"; Notes N5, N7."""

from collections.abc import Callable
from enum import Enum, auto
from typing import ParamSpec

from item_visibility.api.statuses import meaning_of
from item_visibility.errors import (
    CallError,
    IdentifierError,
    ItemVisibilityError,
    NotFoundError,
    NotSentError,
    RefusedError,
    TokenError,
)

P = ParamSpec("P")


class WriteResult(Enum):
    """The state of one write as known before any read."""

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


def try_write(write: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> ItemVisibilityError | None:
    """Make one write. Return its error, or None when it was accepted."""
    try:
        write(*args, **kwargs)
    except (IdentifierError, TokenError, CallError) as error:
        return error.with_traceback(None)
    return None


def result_of(error: ItemVisibilityError | None) -> WriteResult:
    """Return the result of a write that ended with this error."""
    match error:
        case None:
            return WriteResult.ACCEPTED
        case CallError(was_ambiguous=True):  # an earlier attempt of the same call may have been applied
            return WriteResult.UNKNOWN
        case TokenError() | NotSentError():
            return WriteResult.NOT_SENT
        case NotFoundError():
            return WriteResult.NOT_FOUND
        case IdentifierError() | RefusedError():
            return WriteResult.REFUSED
    return WriteResult.UNKNOWN


def stops_others(error: ItemVisibilityError | None) -> bool:
    """True when more writes would do no better now."""
    if isinstance(error, RefusedError) and error.problem is not None:
        return meaning_of(error.problem.status).stops_others
    return isinstance(error, TokenError | NotSentError)


def error_of_ours(kind: type[CallError], message: str, *, advice: str = "") -> CallError:
    """Return the error of a write whose result we know without an answer of its own."""
    return kind(message, advice=advice, operation="", problem=None, attempts=0, was_ambiguous=False)
