"""Where a text stands within another, in the words of either database."""

from collections.abc import Callable

from sqlalchemy import ColumnElement, Connection, func


def position_function(connection: Connection) -> Callable[..., ColumnElement[int]]:
    """Where a text begins within another, from 1, and 0 when it is not there: exact in both databases."""
    return func.strpos if connection.dialect.name == "postgresql" else func.instr
