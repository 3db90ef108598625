"""How known ids and names are searched without looking at every row.

What few rows may hold is looked up by its groups of three letters; what many rows hold is soon met on a
walk in order of the ids. Either way each row that is found was compared exactly.
"""

from collections.abc import Collection

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    Select,
    Table,
    Text,
    and_,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import table as table_of

from item_visibility.records.folding import folded
from item_visibility.records.position import position_function
from item_visibility.records.types import ExactText, storable

START_LENGTH = 100
"""How much of an id stands in the index that keeps the order: as in migration 0003."""
FEW = 1_000
"""So many rows are looked at one by one; where there may be more, a walk meets them soon."""
_GRAM = 3
_LAST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


def start_of(identifier: str) -> str:
    """What stands for an id in the index that keeps the order."""
    return storable(identifier)[:START_LENGTH]


def begins(column: Column[str], start: Column[str], connection: Connection, text: str) -> ColumnElement[bool]:
    """The id begins with the text; found as one stretch of the order."""
    low = start_of(text)
    high = _after(low)
    within = and_(start >= low, start < high) if high else start >= low
    return and_(within, position_function(connection)(column, literal(text, ExactText)) == 1)


def holds(column: Column[str], connection: Connection, text: str) -> ColumnElement[bool]:
    """The text stands somewhere in the column."""
    return position_function(connection)(column, literal(text, ExactText)) > 0


def typed_name(text: str) -> str:
    """The text as names are compared; accents alone stay, and are in no name."""
    return folded(text) or text


def perhaps(
    connection: Connection, table: Table, wanted: Collection[tuple[Column[str], str]]
) -> ColumnElement[bool]:
    """What narrows a search to few rows; nothing where many may hold one of the texts in their columns.

    `wanted` are columns, each with the text that it should hold. Every row that holds one of them fits.
    """
    grams = [(column, _grams(text)) for column, text in wanted]
    if not all(some for _, some in grams):
        return true()
    numbers = _numbers(connection, table, grams)
    counted = connection.scalar(select(func.count()).select_from(numbers.limit(FEW + 1).subquery()))
    return true() if counted is None or counted > FEW else table.c.number.in_(numbers)


def _numbers(
    connection: Connection, table: Table, wanted: Collection[tuple[Column[str], list[str]]]
) -> Select[int]:
    """The numbers of the rows that hold all groups of letters of one of the texts."""
    if connection.dialect.name == "postgresql":
        return select(table.c.number).where(or_(*(_holds_grams(column, some) for column, some in wanted)))
    index = f"{table.name}_gram"
    rows = literal_column("rowid", Integer)
    query = " OR ".join(
        f"{{{column.name}}} : ({' AND '.join(map(_quoted, some))})" for column, some in wanted
    )
    return select(rows).select_from(table_of(index)).where(literal_column(index).op("MATCH")(query))


def _holds_grams(column: Column[str], grams: list[str]) -> ColumnElement[bool]:
    """In PostgreSQL's index, very long texts are marked as such: any of them may hold it."""
    indexed = func.known_grams(column, type_=ARRAY(Text))
    return or_(indexed.contains(grams), indexed.contains(["long text"]))


def _grams(text: str) -> list[str]:
    stored = storable(text)
    return sorted({stored[place : place + _GRAM] for place in range(len(stored) - _GRAM + 1)})


def _quoted(gram: str) -> str:
    doubled = gram.replace('"', '""')
    return f'"{doubled}"'


def _after(text: str) -> str:
    """The first text behind all that begin with this one; empty when there is none."""
    kept = text.rstrip(chr(_LAST))
    if not kept:
        return ""
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_SURROGATES.stop if following in _SURROGATES else following)
