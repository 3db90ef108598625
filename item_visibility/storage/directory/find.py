"""Search of known ids and names, without a look at every row.

A text that few rows may hold is looked up by its groups of three letters (trigrams). A text that many rows
hold is soon found by walking the rows in id order. Either way, each row found was compared exactly.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Integer,
    Select,
    Table,
    TableClause,
    Text,
    and_,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import column as column_of
from sqlalchemy.sql import table as table_of

from item_visibility.storage.database.folding import folded
from item_visibility.storage.database.tables import known_gram
from item_visibility.storage.database.types import ExactText, storable
from item_visibility.storage.database.upsert import insert_new, pieces

START_LENGTH = 100
"""The number of characters of an id in the index that keeps the order."""
FEW = 1_000
"""The limit of rows to look at one by one. If there may be more, a walk finds them soon."""
_GRAM = 3
MOST_BEGUN = 100
"""The limit of trigrams to look up for one or two letters. More than that are in many rows."""
_LONG_WORD = 8
_END = "\x1b\x1b"
"""Added after each indexed text, so that its last letters also begin a trigram."""
_LAST = 0x10FFFF
_SURROGATES = range(0xD800, 0xE000)


@dataclass(frozen=True, slots=True)
class Word:
    """A word that is looked for, and the codes and names of the markets that it may mean."""

    text: str
    markets: frozenset[str] = frozenset()

    @property
    def errors(self) -> int:
        """The number of typing errors to allow for: none in numbers and short words."""
        is_name = all(char.isalpha() for char in self.text) and len(self.text) > _GRAM
        return 0 if not is_name else 1 if len(self.text) < _LONG_WORD else 2


@dataclass(frozen=True, slots=True)
class _Grams:
    """The trigrams that lead to a text: all of them, or any. Never empty when all are wanted."""

    grams: list[str]
    are_all_wanted: bool

    def __bool__(self) -> bool:
        return bool(self.grams)


def start_of(identifier: str) -> str:
    """Return the start of an id, as the index that keeps the order holds it."""
    return storable(identifier)[:START_LENGTH]


def begins(column: Column[str], start: Column[str], connection: Connection, text: str) -> ColumnElement[bool]:
    """Return the condition that the id begins with the text, as one range of the index."""
    return and_(within(start, start_of(text)), _position(column, connection, text) == 1)


def within(column: Column[str], text: str) -> ColumnElement[bool]:
    """Return the condition that the column begins with the text, as one range of its order."""
    high = _after(text)
    return and_(column >= text, column < high) if high else column >= text


def holds(column: Column[str], connection: Connection, text: str) -> ColumnElement[bool]:
    """Return the condition that the column contains the text."""
    return _position(column, connection, text) > 0


def typed_name(text: str) -> str:
    """Return the text in the form in which names are compared. Accents alone stay; no name has them."""
    return folded(text) or text


def perhaps(
    connection: Connection, table: Table, wanted: Collection[tuple[Column[str], str]]
) -> ColumnElement[bool] | None:
    """Return the condition for candidate rows, or None if there may be too many.

    A candidate may hold one of the wanted texts. `wanted` pairs each column with the text it should hold.
    """
    grams = [(column, _grams(connection, table, text)) for column, text in wanted]
    if any(some is None for _, some in grams):
        return None
    leading = [(column, some) for column, some in grams if some]
    if not leading:
        return false()
    numbers = _numbers(connection, table, leading)
    counted = connection.scalar(select(func.count()).select_from(numbers.limit(FEW + 1).subquery()))
    return table.c.number.in_(numbers) if counted is not None and counted <= FEW else None


def holds_words(
    connection: Connection, table: Table, ids: Column[str], words: Sequence[Word]
) -> tuple[ColumnElement[bool] | None, ColumnElement[bool]]:
    """Return the conditions for rows with all the words in id, name or market: candidates, and rows that fit.

    The candidates are None when no word leads to few rows.
    """
    pairs = {word: [(ids, word.text), (table.c.folded_name, typed_name(word.text))] for word in words}
    fits = (
        or_(
            *(holds(column, connection, text) for column, text in ways),
            *_is_sold_in(connection, table, ids, word.markets),
        )
        for word, ways in pairs.items()
    )
    named = [word for word in words if not word.markets]
    longest = max((len(word.text) for word in named), default=0)  # one or two letters lead to many rows
    leading = [word for word in named if len(word.text) >= min(longest, _GRAM)]
    looked_up = [
        [(column, _grams(connection, table, text)) for column, text in pairs[word]] for word in leading
    ]
    return _candidates(connection, table, looked_up), and_(*fits)


def may_hold_words(
    connection: Connection, table: Table, ids: Column[str], words: Sequence[Word]
) -> ColumnElement[bool] | None:
    """Return the condition for rows whose name may hold the words with a few typing errors; None if all may.

    Of a word cut into one part more than it has errors, one part at least was typed right.
    """
    name = table.c.folded_name
    looked_up: list[list[tuple[Column[str], _Grams | None]]] = []
    for word in words:
        if not word.markets:
            parts = _pieces(typed_name(word.text), word.errors + 1)
            pairs = [(name, part) for part in parts]
            pairs += [] if word.errors else [(ids, word.text)]
            looked_up.append([(column, _grams(connection, table, text)) for column, text in pairs])
    return _candidates(connection, table, looked_up)


def among(few: ColumnElement[bool] | None, keys: Mapping[Column[str], str]) -> ColumnElement[bool]:
    """Return the condition for rows with these keys; if `few` is given, the database starts from it."""
    if few is None:
        return and_(*(column == key for column, key in keys.items()))
    return and_(few, *(column.concat("") == key for column, key in keys.items()))  # no index on a key


def note_grams(connection: Connection, table: Table, texts: Iterable[str]) -> None:
    """Save the trigrams of the texts of new rows, before the rows are saved."""
    grams = {gram for text in set(texts) for gram in _parts(storable(text) + _END)}
    known = set[str]()
    for some in pieces(sorted(grams)):
        there = known_gram.c.gram.in_(some)
        known.update(connection.scalars(select(known_gram.c.gram).where(_is_of(table), there)))
    if grams - known:
        new = [{"known": table.name, "gram": gram} for gram in sorted(grams - known)]
        connection.execute(insert_new(connection, known_gram), new)


def _position(column: Column[str], connection: Connection, text: str) -> ColumnElement[int]:
    """Return the position of the text in the column, from 1; 0 if absent. It compares exactly."""
    find = func.strpos if connection.dialect.name == "postgresql" else func.instr
    return find(column, literal(text, ExactText))


def _candidates(
    connection: Connection, table: Table, words: Iterable[Sequence[tuple[Column[str], _Grams | None]]]
) -> ColumnElement[bool] | None:
    """Return the condition for rows that hold trigrams of each word, in one of its ways.

    SQLite joins its index, so that a limit ends the search: most rows may hold the trigrams of a number.
    """
    useful = (ways for ways in words if all(some is not None for _, some in ways))
    led = [[(column, some) for column, some in ways if some] for ways in useful]
    if not led:
        return None
    if not all(led):
        return false()
    if connection.dialect.name == "postgresql":
        return table.c.number.in_(_numbers(connection, table, *led))
    index = _gram_index(table)
    return and_(index.c.rowid == table.c.number, _matches(index, *led))


def _is_sold_in(
    connection: Connection, table: Table, ids: Column[str], markets: Collection[str]
) -> list[ColumnElement[bool]]:
    """Return the conditions that an item is of one of the markets: by the end of its id, or as imported."""
    if not markets:
        return []
    ends = (holds(ids, connection, f":{market}") for market in sorted(markets) if market.isdigit())
    return [*ends, table.c.market.in_(sorted(markets))]


def _pieces(text: str, count: int) -> list[str]:
    return [text[len(text) * part // count : len(text) * (part + 1) // count] for part in range(count)]


def _numbers(
    connection: Connection, table: Table, *words: Collection[tuple[Column[str], _Grams]]
) -> Select[int]:
    """Return the numbers of the rows that hold, for each word, the trigrams of one of its texts."""
    if connection.dialect.name == "postgresql":
        held = (or_(*(_holds_grams(column, some) for column, some in ways)) for ways in words)
        return select(table.c.number).where(*held)
    index = _gram_index(table)
    return select(index.c.rowid).where(_matches(index, *words))


def _gram_index(table: Table) -> TableClause:
    """Return SQLite's index of the trigrams of a table."""
    return table_of(f"{table.name}_gram", column_of("rowid", Integer))


def _matches(index: TableClause, *words: Collection[tuple[Column[str], _Grams]]) -> ColumnElement[bool]:
    """Return the condition in SQLite's index: the row holds, for each word, the trigrams of one text."""
    texts = (" OR ".join(f"{{{column.name}}} : ({_joined(some)})" for column, some in ways) for ways in words)
    return literal_column(index.name).op("MATCH")(" AND ".join(f"({text})" for text in texts))


def _joined(grams: _Grams) -> str:
    word = " AND " if grams.are_all_wanted else " OR "
    doubled = (gram.replace('"', '""') for gram in grams.grams)
    return word.join(f'"{gram}"' for gram in doubled)


def _holds_grams(column: Column[str], grams: _Grams) -> ColumnElement[bool]:
    """Return the condition in PostgreSQL's index. It only marks very long texts, so any of them may match."""
    indexed = func.known_grams(column, type_=ARRAY(Text))
    found = indexed.contains(grams.grams) if grams.are_all_wanted else indexed.overlap(grams.grams)
    return or_(found, indexed.contains(["long text"]))


def _grams(connection: Connection, table: Table, text: str) -> _Grams | None:
    """Return the trigrams that lead to a text: its own, or for one or two letters those that begin with it.

    Empty when there are none; None when they are too many to be of use.
    """
    stored = storable(text)
    if len(stored) >= _GRAM:
        return _Grams(sorted(_parts(stored)), are_all_wanted=True)
    begun = select(known_gram.c.gram).where(_is_of(table), within(known_gram.c.gram, stored))
    grams = list(connection.scalars(begun.limit(MOST_BEGUN + 1)))
    return _Grams(grams, are_all_wanted=False) if len(grams) <= MOST_BEGUN else None


def _is_of(table: Table) -> ColumnElement[bool]:
    return known_gram.c.known == table.name


def _parts(stored: str) -> set[str]:
    return {stored[start : start + _GRAM] for start in range(len(stored) - _GRAM + 1)}


def _after(text: str) -> str:
    """Return the first text after all that begin with this one; empty when there is none."""
    kept = text.rstrip(chr(_LAST))
    if not kept:
        return ""
    following = ord(kept[-1]) + 1
    return kept[:-1] + chr(_SURROGATES.stop if following in _SURROGATES else following)
