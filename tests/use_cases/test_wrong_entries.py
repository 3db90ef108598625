"""Fifty wrong entries, English and German: none becomes a number unless the person says so."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.bootstrap.embedded_demo import put_invented_names
from item_visibility.use_cases.directory import Kind
from tests.support.desk import DeskKit, open_kit

_GROUPS = json.loads(Path(__file__).with_name("wrong_entries.json").read_text("utf-8"))
TEXTS: list[str] = [text for group in _GROUPS for text in group["texts"]]
SUPPLIER = "9521000010000"
LISTED = frozenset({"9522000010009", "branch 17 north"})


@pytest.fixture(scope="module")
def demo_kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A desk with the demo's directory, awkward ids included."""
    with open_kit(tmp_path_factory.mktemp("wrong")) as opened:
        put_invented_names(opened.records.directory)
        yield opened


@pytest.fixture(scope="module")
def new_kit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskKit]:
    """A desk that knows nothing yet."""
    with open_kit(tmp_path_factory.mktemp("new")) as opened:
        yield opened


@pytest.fixture(params=["demo_kit", "new_kit"])
def kit(request: pytest.FixtureRequest) -> DeskKit:
    """One after the other."""
    found: DeskKit = request.getfixturevalue(request.param)
    return found


def test_the_corpus_is_large_enough() -> None:
    """At least forty different ones, of each kind some."""
    assert len(set(TEXTS)) >= 40
    assert {group["kind"] for group in _GROUPS} == {"name", "half typed", "misspelt", "pasted"}


SENTENCES = [
    "Please add Sonnenhof to the list",
    "Bitte Sonnenhof freischalten ab 01.12.2026",
    "Can 7 shops see the biscuits?",
]


@pytest.mark.parametrize("text", SENTENCES)
def test_of_a_sentence_nothing_is_taken_unasked(kit: DeskKit, text: str) -> None:
    """What is part of a known name is asked about, and the rest is ignored."""
    read = kit.desk.entered.read(text, listed=LISTED)
    assert read.ids == ()
    assert set(" ".join((*read.ignored, *(one.text for one in read.doubtful))).split()) == set(text.split())


@pytest.mark.parametrize("text", [text for text in TEXTS if text not in SENTENCES])
def test_in_a_field_of_recipients_it_is_asked_about(kit: DeskKit, text: str) -> None:
    """In Add recipients and in a set; also beside the list of an item, and in a pasted column."""
    for listed in (frozenset[str](), LISTED):
        read = kit.desk.entered.read(text, listed=listed)
        assert (read.ids, [one.text for one in read.doubtful]) == ((), [text])
    column = kit.desk.entered.read(f"{SUPPLIER}\n{text}", listed=LISTED)
    assert (column.ids, [one.text for one in column.doubtful]) == ((SUPPLIER,), [text])


@pytest.mark.parametrize("text", TEXTS)
def test_in_a_field_of_one_supplier_it_is_asked_about(kit: DeskKit, text: str) -> None:
    """In Supplier, in the history's filter, and as the supplier of a bulk list."""
    read = kit.desk.names.read_one(Kind.SUPPLIER, text)
    assert (read.number, read.asked) == ("", text)


@pytest.mark.parametrize("text", TEXTS)
def test_in_a_field_of_one_item_it_is_asked_about(kit: DeskKit, text: str) -> None:
    """In Item, in Copy recipients from, and in the history's filter."""
    read = kit.desk.names.read_one(Kind.ITEM, text, supplier=SUPPLIER)
    assert (read.number, read.asked) == ("", text)
