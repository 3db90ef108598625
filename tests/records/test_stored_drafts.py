"""Staged changes, on either database."""

from datetime import timedelta

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.request import BY_HAND, ChangeKind, Origin
from item_visibility.records.database.connecting import Database
from item_visibility.records.stored_drafts import Drafts, StoredDraft
from tests.support.fake_visibilities import START

ITEM = ItemKey("4000001000005", "04012345678901:276")
ODD_ITEM = ItemKey("s\x00\ud800", "x" * 5_000)
ODD_IDS = frozenset({"", "..", "\x00", "\ud800", "\x1b0000", "é", "e\u0301", "y" * 5_000})
LATER = START + timedelta(minutes=5)
UNDO = Origin(kind=ChangeKind.UNDO, undo_of="save-1")


@pytest.fixture
def drafts(records: Database) -> Drafts:
    """The drafts of one service."""
    return Drafts(records, service="default")


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
        set_name="Händler \x1b",
        set_recipients=ODD_IDS,
    )
    kept = Draft(ODD_ITEM, frozenset("R"), START, add=ODD_IDS, remove=frozenset("R"), origin=origin)
    drafts.apply(kept.discarded(), kept, owner="ada\x00", updated_at=LATER)
    assert drafts.draft(ODD_ITEM, owner="ada\x00") == StoredDraft(kept, LATER, "ada\x00")


def test_an_item_with_nothing_recorded_is_kept_as_such(drafts: Drafts) -> None:
    """None is no empty list."""
    drafts.apply(draft(base=None), draft(base=None, add="C"), owner="ada", updated_at=LATER)
    assert drafts.draft(ITEM, owner="ada") == StoredDraft(draft(base=None, add="C"), LATER, "ada")


def test_a_draft_with_nothing_staged_is_gone(drafts: Drafts) -> None:
    """Discard leaves no trace."""
    drafts.apply(draft(), draft(add="C", remove="A"), owner="ada", updated_at=START)
    drafts.apply(draft(add="C", remove="A"), draft(), owner="ada", updated_at=LATER)
    assert drafts.draft(ITEM, owner="ada") is None
    assert drafts.latest("ada", limit=9) == ()


def test_two_windows_of_one_person_keep_what_the_other_staged(drafts: Drafts) -> None:
    """Each makes its own change only."""
    drafts.apply(draft(), draft(add="C", origin=UNDO), owner="ada", updated_at=START)
    drafts.apply(draft(), draft(add="D", remove="A", origin=UNDO), owner="ada", updated_at=LATER)
    assert drafts.draft(ITEM, owner="ada") == StoredDraft(draft(add="CD", remove="A"), LATER, "ada")


def test_one_window_discards_only_what_it_shows(drafts: Drafts) -> None:
    """Changes staged in the other window stay."""
    drafts.apply(draft(), draft(add="C"), owner="ada", updated_at=START)
    drafts.apply(draft(), draft(remove="A"), owner="ada", updated_at=START)
    drafts.apply(draft(remove="A"), draft(), owner="ada", updated_at=LATER)
    assert drafts.draft(ITEM, owner="ada") == StoredDraft(draft(add="C"), LATER, "ada")


@pytest.mark.parametrize(
    ("first", "second"),
    [(draft(add="C"), draft(base="ABC", remove="C")), (draft(base="ABC", remove="C"), draft(add="C"))],
)
def test_the_later_word_on_one_recipient_counts(drafts: Drafts, first: Draft, second: Draft) -> None:
    """Added in one window, taken away in the other: never both."""
    drafts.apply(draft(), first, owner="ada", updated_at=START)
    drafts.apply(draft(), second, owner="ada", updated_at=LATER)
    assert drafts.draft(ITEM, owner="ada") == StoredDraft(second, LATER, "ada")


def test_the_draft_changed_last_comes_first(drafts: Drafts) -> None:
    """No more than asked for."""
    other = Draft(ODD_ITEM, None, START, add=frozenset("C"))
    drafts.apply(other.discarded(), other, owner="ada", updated_at=START)
    drafts.apply(draft(), draft(add="C"), owner="ada", updated_at=LATER)
    assert [stored.draft.item for stored in drafts.latest("ada", limit=9)] == [ITEM, ODD_ITEM]
    assert [stored.draft.item for stored in drafts.latest("ada", limit=1)] == [ITEM]


def test_drafts_belong_to_a_person_and_an_environment(records: Database, drafts: Drafts) -> None:
    """Nobody sees another's, none shows up elsewhere, and nobody discards another's."""
    drafts.apply(draft(), draft(add="C"), owner="ada", updated_at=START)
    elsewhere = Drafts(records, service="test")
    drafts.apply(draft(add="C"), draft(), owner="bob", updated_at=LATER)
    elsewhere.apply(draft(add="C"), draft(), owner="ada", updated_at=LATER)
    assert (drafts.draft(ITEM, owner="bob"), elsewhere.draft(ITEM, owner="ada")) == (None, None)
    assert (drafts.latest("bob", limit=9), elsewhere.latest("ada", limit=9)) == ((), ())
    assert drafts.draft(ITEM, owner="ada") == StoredDraft(draft(add="C"), START, "ada")


def staged_by_ada(drafts: Drafts) -> StoredDraft:
    """Ada's staged changes, not saved."""
    drafts.apply(draft(), draft(add="C", origin=UNDO), owner="ada", updated_at=START)
    (found,) = drafts.of_others("bob", item=ITEM, limit=9)
    return found


def test_a_draft_of_another_is_found_by_its_item_and_among_all(drafts: Drafts) -> None:
    """One's own is not among them."""
    theirs = staged_by_ada(drafts)
    assert theirs == StoredDraft(draft(add="C", origin=UNDO), START, "ada")
    assert drafts.of_others("bob", limit=9) == (theirs,)
    assert drafts.of_others("bob", item=ODD_ITEM, limit=9) == ()
    assert drafts.of_others("ada", limit=9) == ()


def test_what_is_taken_over_moves_as_a_whole(drafts: Drafts) -> None:
    """With its time and where it came from; the other has nothing left, and can know when it went."""
    theirs = staged_by_ada(drafts)
    assert drafts.take_over(theirs, owner="bob", taken_over_at=LATER)
    assert drafts.draft(ITEM, owner="bob") == StoredDraft(draft(add="C", origin=UNDO), START, "bob")
    assert (drafts.draft(ITEM, owner="ada"), drafts.latest("ada", limit=9)) == (None, ())
    assert drafts.taken_over_at(ITEM, owner="ada") == LATER
    assert drafts.taken_over_at(ITEM, owner="bob") is None


def test_who_does_not_know_that_a_draft_was_taken_over_changes_nothing(drafts: Drafts) -> None:
    """Neither the other's draft nor what there is of one's own; once it is known, one begins anew."""
    drafts.take_over(staged_by_ada(drafts), owner="bob", taken_over_at=LATER)
    late = draft(add="CD")
    assert not drafts.apply(draft(add="C"), late, owner="ada", updated_at=LATER)
    assert drafts.draft(ITEM, owner="ada") is None
    assert drafts.apply(draft(), draft(add="D"), owner="ada", updated_at=LATER, taken_over_at=LATER)
    assert drafts.apply(draft(add="D"), draft(), owner="ada", updated_at=LATER, taken_over_at=LATER)
    assert drafts.taken_over_at(ITEM, owner="ada") == LATER
    assert drafts.draft(ITEM, owner="bob") == StoredDraft(draft(add="C", origin=UNDO), START, "bob")


def test_a_save_settles_what_was_taken_over_meanwhile(drafts: Drafts) -> None:
    """It takes nothing from the one who has it now."""
    drafts.take_over(staged_by_ada(drafts), owner="bob", taken_over_at=LATER)
    drafts.settle(draft(add="C"), draft(base="ABC"), owner="ada", updated_at=LATER)
    assert drafts.draft(ITEM, owner="ada") is None
    assert drafts.draft(ITEM, owner="bob") is not None


def test_what_changed_since_it_was_seen_is_not_taken_over(drafts: Drafts) -> None:
    """Nor what is gone, nor on top of what one has staged."""
    theirs = staged_by_ada(drafts)
    drafts.apply(draft(add="C"), draft(add="CD"), owner="ada", updated_at=LATER)
    assert not drafts.take_over(theirs, owner="bob", taken_over_at=LATER)
    drafts.apply(draft(add="CD"), draft(), owner="ada", updated_at=LATER)
    assert not drafts.take_over(theirs, owner="bob", taken_over_at=LATER)
    drafts.apply(draft(), draft(add="C", origin=UNDO), owner="ada", updated_at=START)
    drafts.apply(draft(), draft(remove="A"), owner="bob", updated_at=START)
    assert not drafts.take_over(theirs, owner="bob", taken_over_at=LATER)
    assert drafts.draft(ITEM, owner="bob") == StoredDraft(draft(remove="A"), START, "bob")


def test_what_was_taken_over_can_be_taken_back(drafts: Drafts) -> None:
    """And each knows when what it had went."""
    drafts.take_over(staged_by_ada(drafts), owner="bob", taken_over_at=LATER)
    (bobs,) = drafts.of_others("ada", item=ITEM, limit=9)
    assert drafts.take_over(bobs, owner="ada", taken_over_at=LATER + timedelta(seconds=1))
    assert drafts.draft(ITEM, owner="ada") == StoredDraft(draft(add="C", origin=UNDO), START, "ada")
    assert drafts.taken_over_at(ITEM, owner="ada") == LATER
