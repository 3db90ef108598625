"""Database failures: one error type without secrets, and a fallback for reads."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from item_visibility.errors import RecordsError

ADVICE = "Ask whoever runs this dashboard to look at its database."

logger = logging.getLogger(__name__)

_Found = TypeVar("_Found")
_Nothing = TypeVar("_Nothing")


@contextmanager
def database_errors() -> Iterator[None]:
    """Raise database errors as RecordsError, without SQL, values or passwords."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        first_line = str(cause).partition("\n")[0]
        raise RecordsError(
            f"The dashboard's own database could not be used: {first_line}",
            advice=ADVICE,
        ) from None


def or_else(nothing: _Nothing, look_up: Callable[[], _Found]) -> _Nothing | _Found:
    """Return the result of the look-up, or `nothing` if our database cannot be used."""
    try:
        return look_up()
    except RecordsError as error:
        logger.warning("%s", error.message)
        return nothing
