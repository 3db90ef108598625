"""The SQL function for the position of a text within another, for either database."""

from collections.abc import Callable

from sqlalchemy import ColumnElement, Connection, func


def position_function(connection: Connection) -> Callable[..., ColumnElement[int]]:
    """Return the function for the position of a text in another, from 1; 0 if absent. It compares exactly."""
    return func.strpos if connection.dialect.name == "postgresql" else func.instr
