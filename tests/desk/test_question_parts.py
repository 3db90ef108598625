"""Correcting how a question was read, part by part."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from item_visibility.desk.check.question import Doubt, Question
from item_visibility.desk.check.question_parts import choose, corrected, swapped, with_part
from item_visibility.desk.check.question_words import Role
from item_visibility.desk.finder.find_by_name import Choice, Finder
from tests.support.desk import ITEM, open_kit
from tests.support.known_names import put_names

READ = Question(
    supplier=ITEM.supplier,
    supplier_item_id=ITEM.supplier_item_id,
    recipient_id="R1",
    markets=frozenset({"276"}),
    as_written="milk",
)
CHOICE = Choice(("4000002000004", "04012345678918:040"), "Butter")


@pytest.fixture(scope="module")
def finder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Finder]:
    """A directory with one supplier, one item and two recipients."""
    with open_kit(tmp_path_factory.mktemp("parts")) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(ITEM.supplier, "Nordmilch")],
            items=[(ITEM, "276", "Whole milk")],
            recipients=[("R1", "Kaufhaus 1"), ("R2", "Kaufhaus 2")],
        )
        yield kit.desk.finder


@pytest.mark.parametrize(
    ("role", "text", "wanted"),
    [
        (Role.RECIPIENT, "kaufhaus 2", replace(READ, recipient_id="R2")),
        (Role.RECIPIENT, " R7 ", replace(READ, recipient_id="R7")),
        (Role.RECIPIENT, "", replace(READ, recipient_id=None)),
        (Role.SUPPLIER, "nordmilch", READ),
        (Role.ITEM, "milk whole", replace(READ, markets=frozenset(), as_written="")),
        (
            Role.ITEM,
            "X-7",
            replace(READ, supplier_item_id="X-7", markets=frozenset(), as_written=""),
        ),
    ],
)
def test_a_part_is_corrected_by_name_or_number(
    finder: Finder, role: Role, text: str, wanted: Question
) -> None:
    """A name that one has is its id; what nobody is called stays as it was typed."""
    assert corrected(READ, role, text, finder=finder) == wanted


def test_a_name_that_several_have_is_asked_about(finder: Finder) -> None:
    """The part is open until one of them is chosen."""
    asked = corrected(READ, Role.RECIPIENT, "kaufhaus", finder=finder)
    (doubt,) = asked.doubts
    assert (asked.recipient_id, doubt.text) == (None, "kaufhaus")
    assert choose(asked, Role.RECIPIENT, doubt.choices[1]) == replace(READ, recipient_id="R2")


def test_an_item_that_is_chosen_brings_its_supplier() -> None:
    """And settles what was asked about either."""
    doubts = tuple(Doubt(role=role, text="x", choices=(CHOICE,)) for role in Role)
    chosen = choose(replace(READ, doubts=doubts), Role.ITEM, CHOICE)
    assert (chosen.supplier, chosen.supplier_item_id) == CHOICE.ids
    assert [doubt.role for doubt in chosen.doubts] == [Role.RECIPIENT]


def test_supplier_and_recipient_change_places() -> None:
    """One click for a row in the other order."""
    turned = swapped(READ)
    assert (turned.supplier, turned.recipient_id) == ("R1", ITEM.supplier)
    assert swapped(turned) == READ


def test_another_supplier_leaves_the_rest() -> None:
    """Each part is its own."""
    assert with_part(READ, Role.SUPPLIER, "S") == replace(READ, supplier="S")
