"""What a column stores, it returns."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Column, Integer, MetaData, Table, create_engine, insert, select

from item_visibility.storage.column_types import (
    ExactText,
    RecipientSet,
    UtcTime,
    storable,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_are_stored_differently(first: str, second: str) -> None:
    assert (storable(first) == storable(second)) is (first == second)
    assert storable(first + second) == storable(first) + storable(second)


TABLE = Table(
    "values",
    MetaData(),
    Column("id", Integer, primary_key=True),
    Column("text", ExactText),
    Column("recipients", RecipientSet),
    Column("at", UtcTime),
)


@given(ANY_TEXT)
@example("\x00\x1b\ud800 \x1b0000 \ud83d\ude00 😀 é")
def test_a_column_returns_the_stored_value(text: str) -> None:
    recipients = frozenset({text, "A"})
    given_at = datetime(2026, 11, 21, 15, 2, 31, 5, tzinfo=timezone(timedelta(hours=1)))
    with create_engine("sqlite://").begin() as connection:
        TABLE.create(connection)
        connection.execute(insert(TABLE).values(id=1))
        connection.execute(
            insert(TABLE).values(id=2, text=text, recipients=recipients, at=given_at)
        )
        empty = connection.execute(select(TABLE).where(TABLE.c.id == 1)).one()
        row = connection.execute(select(TABLE).where(TABLE.c.text == text)).one()
    assert tuple(empty) == (1, None, None, None)
    assert tuple(row) == (2, text, recipients, given_at)
    assert row.at.tzinfo is UTC
