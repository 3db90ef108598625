"""Any text at all is kept exactly."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import example, given
from hypothesis import strategies as st
from sqlalchemy import Column, Integer, MetaData, Table, create_engine, insert, select

from item_visibility.storage.columns import (
    ExactText,
    RecipientSet,
    UtcTime,
    digest,
    storable,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_are_stored_differently(one: str, other: str) -> None:
    assert (storable(one) == storable(other)) is (one == other)
    assert storable(one + other) == storable(one) + storable(other)


def test_a_digest_tells_its_parts_apart() -> None:
    parts = [(), ("",), ("", ""), ("a", "b"), ("ab",), ("a\x00b",), ("b", "a"), ("x" * 10_000,)]
    assert len({digest(*part) for part in parts}) == len(parts)
    assert {len(digest(*part)) for part in parts} == {40}


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
def test_a_column_gives_back_what_was_put_in(text: str) -> None:
    recipients = frozenset({text, "A"})
    given_at = datetime(2026, 11, 21, 15, 2, 31, 5, tzinfo=timezone(timedelta(hours=1)))
    with create_engine("sqlite://").begin() as connection:
        TABLE.create(connection)
        connection.execute(insert(TABLE).values(id=1))
        connection.execute(insert(TABLE).values(id=2, text=text, recipients=recipients, at=given_at))
        empty = connection.execute(select(TABLE).where(TABLE.c.id == 1)).one()
        row = connection.execute(select(TABLE).where(TABLE.c.text == text)).one()
    assert tuple(empty) == (1, None, None, None)
    assert tuple(row) == (2, text, recipients, given_at)
    assert row.at.tzinfo is UTC
