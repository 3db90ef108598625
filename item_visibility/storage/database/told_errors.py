"""The database's errors, told as ours."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from item_visibility.errors import RecordsError

ADVICE = "Ask whoever runs this dashboard to look at its database."


@contextmanager
def told() -> Iterator[None]:
    """Raise database errors as RecordsError, without statements, values or passwords."""
    try:
        yield
    except SQLAlchemyError as error:
        cause = getattr(error, "orig", None) or error
        first_line = str(cause).partition("\n")[0]
        raise RecordsError(
            f"The dashboard's own database could not be used: {first_line}", advice=ADVICE
        ) from None
