"""What is staged and not saved, on either database."""

from datetime import timedelta

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.origin import BY_HAND, Origin
from item_visibility.changes.request import ChangeKind
from item_visibility.records import Drafts, Records, StoredDraft
from tests.support.fake_visibilities import START

ITEM = ItemKey("4000001000005", "04012345678901:276")
ODD_ITEM = ItemKey("s\x00\ud800", "x" * 5_000)
ODD_IDS = frozenset({"", "..", "\x00", "\ud800", "\x1b0000", "é", "e\u0301", "y" * 5_000})
LATER = START + timedelta(minutes=5)
UNDO = Origin(kind=ChangeKind.UNDO, undo_of="save-1")


@pytest.fixture
def drafts(records: Records) -> Drafts:
    """The drafts of one service."""
    return records.drafts(service="default")


def draft(*, base: str | None = "AB", add: str = "", remove: str = "", origin: Origin = BY_HAND) -> Draft:
    """A draft of the item."""
    return Draft(
        ITEM,
        None if base is None else frozenset(base),
        START,
        add=frozenset(add),
        remove=frozenset(remove),
        origin=origin,
    )


def test_what_is_staged_reads_as_it_was_kept(drafts: Drafts) -> None:
    """Every id, and where the changes came from."""
    origin = Origin(
        kind=ChangeKind.COPY,
        undo_of="\x00",
        restored_from="\ud800",
        set_name="Händler \x1b",
        set_recipients=ODD_IDS,
    )
    kept = Draft(ODD_ITEM, frozenset("R"), START, add=ODD_IDS, remove=frozenset("R"), origin=origin)
    drafts.apply(kept.discarded(), kept, person="ada\x00", updated_at=LATER)
    assert drafts.draft(ODD_ITEM, person="ada\x00") == StoredDraft(kept, LATER)


def test_an_item_with_nothing_recorded_is_kept_as_such(drafts: Drafts) -> None:
    """None is no empty list."""
    drafts.apply(draft(base=None), draft(base=None, add="C"), person="ada", updated_at=LATER)
    assert drafts.draft(ITEM, person="ada") == StoredDraft(draft(base=None, add="C"), LATER)


def test_a_draft_with_nothing_staged_is_gone(drafts: Drafts) -> None:
    """Discard leaves no trace."""
    drafts.apply(draft(), draft(add="C", remove="A"), person="ada", updated_at=START)
    drafts.apply(draft(add="C", remove="A"), draft(), person="ada", updated_at=LATER)
    assert drafts.draft(ITEM, person="ada") is None
    assert drafts.latest("ada", limit=9) == ()


def test_two_windows_of_one_person_keep_what_the_other_staged(drafts: Drafts) -> None:
    """Each makes its own change only."""
    drafts.apply(draft(), draft(add="C", origin=UNDO), person="ada", updated_at=START)
    drafts.apply(draft(), draft(add="D", remove="A", origin=UNDO), person="ada", updated_at=LATER)
    assert drafts.draft(ITEM, person="ada") == StoredDraft(draft(add="CD", remove="A"), LATER)


def test_one_window_discards_only_what_it_shows(drafts: Drafts) -> None:
    """What the other window staged stays."""
    drafts.apply(draft(), draft(add="C"), person="ada", updated_at=START)
    drafts.apply(draft(), draft(remove="A"), person="ada", updated_at=START)
    drafts.apply(draft(remove="A"), draft(), person="ada", updated_at=LATER)
    assert drafts.draft(ITEM, person="ada") == StoredDraft(draft(add="C"), LATER)


@pytest.mark.parametrize(
    ("first", "second"),
    [(draft(add="C"), draft(base="ABC", remove="C")), (draft(base="ABC", remove="C"), draft(add="C"))],
)
def test_the_later_word_on_one_recipient_counts(drafts: Drafts, first: Draft, second: Draft) -> None:
    """Added in one window, taken away in the other: never both."""
    drafts.apply(draft(), first, person="ada", updated_at=START)
    drafts.apply(draft(), second, person="ada", updated_at=LATER)
    assert drafts.draft(ITEM, person="ada") == StoredDraft(second, LATER)


def test_the_draft_changed_last_comes_first(drafts: Drafts) -> None:
    """No more than asked for."""
    other = Draft(ODD_ITEM, None, START, add=frozenset("C"))
    drafts.apply(other.discarded(), other, person="ada", updated_at=START)
    drafts.apply(draft(), draft(add="C"), person="ada", updated_at=LATER)
    assert [stored.draft.item for stored in drafts.latest("ada", limit=9)] == [ITEM, ODD_ITEM]
    assert [stored.draft.item for stored in drafts.latest("ada", limit=1)] == [ITEM]


def test_drafts_belong_to_a_person_and_an_environment(records: Records, drafts: Drafts) -> None:
    """Nobody sees another's, none shows up elsewhere, and nobody discards another's."""
    drafts.apply(draft(), draft(add="C"), person="ada", updated_at=START)
    elsewhere = records.drafts(service="test")
    drafts.apply(draft(add="C"), draft(), person="bob", updated_at=LATER)
    elsewhere.apply(draft(add="C"), draft(), person="ada", updated_at=LATER)
    assert (drafts.draft(ITEM, person="bob"), elsewhere.draft(ITEM, person="ada")) == (None, None)
    assert (drafts.latest("bob", limit=9), elsewhere.latest("ada", limit=9)) == ((), ())
    assert drafts.draft(ITEM, person="ada") == StoredDraft(draft(add="C"), START)
