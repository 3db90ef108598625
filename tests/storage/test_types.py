"""Any text at all is kept exactly."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Integer, MetaData, Table, create_engine, insert, select

from item_visibility.storage.columns import (
    ExactText,
    RecipientSet,
    UtcTime,
    as_given,
    digest,
    storable,
)

ANY_TEXT = st.text(st.characters(exclude_categories=()))
ODD_TEXTS = ["", "\x00", "\x1b", "\x1b0000", "\ud800", "\ud83d\ude00", "😀", "a\x00b", " A ", "é", "e\u0301"]


@given(ANY_TEXT)
def test_any_text_comes_back_as_it_was(text: str) -> None:
    """NUL, lone surrogates and the escape character too; what is stored is plain UTF-8 without NUL."""
    stored = storable(text)
    assert as_given(stored) == text
    assert b"\x00" not in stored.encode()


@given(ANY_TEXT, ANY_TEXT)
def test_different_texts_are_stored_differently(one: str, other: str) -> None:
    """No two ids can be taken for each other, and prefixes stay prefixes."""
    assert (storable(one) == storable(other)) is (one == other)
    assert storable(one + other) == storable(one) + storable(other)


def test_a_digest_tells_its_parts_apart() -> None:
    """A long id, an empty one, and one that holds what joins them."""
    parts = [(), ("",), ("", ""), ("a", "b"), ("ab",), ("a\x00b",), ("b", "a"), ("x" * 10_000,)]
    assert len({digest(*part) for part in parts}) == len(parts)
    assert {len(digest(*part)) for part in parts} == {40}


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_a_column_gives_back_what_was_put_in(text: str) -> None:
    """As a text, in a set, and in a comparison."""
    table = Table(
        "texts",
        MetaData(),
        Column("id", Integer, primary_key=True),
        Column("text", ExactText),
        Column("recipients", RecipientSet),
    )
    with create_engine("sqlite://").begin() as connection:
        table.create(connection)
        connection.execute(insert(table).values(text=text, recipients=frozenset({text, "A"})))
        row = connection.execute(select(table).where(table.c.text == text)).one()
    assert (row.text, row.recipients) == (text, frozenset({text, "A"}))


def test_nothing_stays_nothing() -> None:
    """A missing text, set or time is not an empty one."""
    table = Table(
        "blanks",
        MetaData(),
        Column("id", Integer, primary_key=True),
        Column("text", ExactText),
        Column("recipients", RecipientSet),
        Column("at", UtcTime),
    )
    with create_engine("sqlite://").begin() as connection:
        table.create(connection)
        connection.execute(insert(table).values(id=1))
        row = connection.execute(select(table)).one()
    assert tuple(row) == (1, None, None, None)


def test_a_time_comes_back_in_utc() -> None:
    """Its zone does not matter."""
    table = Table("times", MetaData(), Column("id", Integer, primary_key=True), Column("at", UtcTime))
    given_at = datetime(2026, 11, 21, 15, 2, 31, 5, tzinfo=timezone(timedelta(hours=1)))
    with create_engine("sqlite://").begin() as connection:
        table.create(connection)
        connection.execute(insert(table).values(at=given_at))
        at = connection.scalar(select(table.c.at))
    assert at == given_at
    assert at.tzinfo is UTC
