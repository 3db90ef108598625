"""Recipient sets: made, changed, renamed and deleted."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.errors import IdentifierError, RecordsError, SetError
from item_visibility.use_cases.sets import MAX_NAME_CHARACTERS
from tests.support.desk import PERSON, DeskKit, break_records, open_kit
from tests.support.hostile_texts import UNSENDABLE


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk without sets."""
    with open_kit(tmp_path) as opened:
        yield opened


def test_a_set_is_made_by_whoever_works_here(kit: DeskKit) -> None:
    """The name without spaces around it."""
    made = kit.desk.sets.make(" Retailers DE ", ["B", "C", "B"])
    assert (made.name, made.recipients, made.updated_by) == ("Retailers DE", frozenset("BC"), PERSON)
    assert kit.desk.sets.open("Retailers DE") == made
    assert kit.records.sets.names() == ("Retailers DE",)


@pytest.mark.parametrize("text", ["", "..", *UNSENDABLE.values(), "\ud800"])
def test_a_set_takes_no_recipient_that_no_request_can_carry(kit: DeskKit, text: str) -> None:
    """Neither when it is made nor later; nothing is changed."""
    with pytest.raises(IdentifierError):
        kit.desk.sets.make("Odd", ["A", text])
    kit.desk.sets.make("Odd", ["A"])
    with pytest.raises(IdentifierError):
        kit.desk.sets.put_in("Odd", [text])
    assert kit.desk.sets.open("Odd").recipients == {"A"}


@pytest.mark.parametrize("name", ["", "  ", "x" * (MAX_NAME_CHARACTERS + 1), "a\nb", "\ud800", "a\u2028b"])
def test_a_set_needs_a_name_that_can_be_read(kit: DeskKit, name: str) -> None:
    """Also when it is renamed."""
    with pytest.raises(SetError):
        kit.desk.sets.make(name, [])
    kit.desk.sets.make("Retailers", [])
    with pytest.raises(SetError):
        kit.desk.sets.rename("Retailers", name)
    assert kit.records.sets.names() == ("Retailers",)


def test_recipients_are_put_in_and_taken_out(kit: DeskKit) -> None:
    """Those that are not in it change nothing when they are taken out."""
    kit.desk.sets.make("Retailers", "AB")
    kit.desk.sets.put_in("Retailers", "BC")
    assert kit.desk.sets.take_out("Retailers", "AZ").recipients == frozenset("BC")


def test_a_set_is_renamed_and_deleted(kit: DeskKit) -> None:
    """A deleted set can be made again."""
    kit.desk.sets.make("Retailers", "AB")
    renamed = kit.desk.sets.rename("Retailers", "Shops")
    assert (renamed.name, renamed.recipients) == ("Shops", frozenset("AB"))
    assert kit.desk.sets.delete("Shops") == renamed
    assert kit.records.sets.names() == ()


def test_a_set_that_is_gone_cannot_be_opened(kit: DeskKit) -> None:
    """Somebody deleted it meanwhile."""
    with pytest.raises(SetError, match="no longer there"):
        kit.desk.sets.open("gone")


def test_sets_without_a_database_are_told(tmp_path: Path) -> None:
    """A failed read is not taken for an empty list, and no set is changed."""
    with open_kit(tmp_path) as kit:
        break_records(tmp_path)
        with pytest.raises(RecordsError):
            kit.records.sets.names()
        with pytest.raises(RecordsError):
            kit.desk.sets.make("Retailers", "A")


def test_sets_can_be_changed_in_a_read_only_environment(tmp_path: Path) -> None:
    """They are ours: the service knows nothing of them."""
    with open_kit(tmp_path) as writing:
        environment = replace(writing.desk.environment, is_read_only=True)
    with open_kit(tmp_path, environment=environment) as kit:
        kit.desk.sets.make("Retailers", "A")
        assert kit.desk.sets.open("Retailers").recipients == frozenset("A")
