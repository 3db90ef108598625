"""A person's staged changes, from first to last."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from item_visibility.changes.draft import Draft
from item_visibility.changes.request import BY_HAND, ChangeKind, Origin
from tests.changes.saving import ITEM
from tests.support.fake_visibilities import START

ids = st.frozensets(st.sampled_from("ABCDEF"))
BASE = frozenset({"A", "B", "C"})
DRAFT = Draft(ITEM, BASE, START)
LATER = START + timedelta(hours=1)
UNDO = Origin(kind=ChangeKind.UNDO, undo_of="save-1")


def test_a_new_draft_is_empty() -> None:
    """Nothing is staged, and nobody would be changed."""
    assert DRAFT.is_empty
    assert DRAFT.wanted == BASE


def test_an_item_with_nothing_recorded_has_no_recipients() -> None:
    """None from the service reads as nobody."""
    draft = Draft(ITEM, None, START)
    assert (draft.recipients, draft.wanted) == (frozenset(), frozenset())


def test_unticking_stages_a_removal_and_leaves_the_rows() -> None:
    """The version stays, so that the editor keeps its rows."""
    draft = DRAFT.with_wanted({"A": False})
    assert (draft.remove, draft.version, draft.is_empty) == (frozenset({"A"}), 0, False)


def test_ticking_again_takes_the_removal_back() -> None:
    """A recipient who is unticked and ticked is not staged."""
    assert DRAFT.with_wanted({"A": False}).with_wanted({"A": True}) == DRAFT


def test_adding_leaves_the_table_as_it_is() -> None:
    """Additions stand above it; one that is there already is not staged."""
    draft = DRAFT.with_added(["D", "A"])
    assert (draft.add, draft.remove, draft.version) == (frozenset({"D"}), frozenset(), 0)


def test_a_tick_that_is_set_beside_the_table_redraws_it() -> None:
    """The table would show the old tick; one that is as it was redraws nothing."""
    draft = DRAFT.with_wanted({"A": False, "B": False}).with_added(["D"])
    assert draft.with_added(["A"]).version == 1
    assert draft.with_changed({"C": False}).version == 1
    assert draft.with_changed({"A": False}).version == 0


def test_one_staged_change_can_be_taken_back() -> None:
    """An addition, a removal; what is not staged changes nothing."""
    draft = DRAFT.with_wanted({"A": False, "B": False}).with_added(["D", "E"])
    back = draft.with_taken_back("A").with_taken_back("D").with_taken_back("C").with_taken_back("X")
    assert (back.add, back.remove, back.version) == (frozenset({"E"}), frozenset({"B"}), 1)


def test_unticking_an_added_one_takes_the_addition_back() -> None:
    """It was never on the list."""
    draft = DRAFT.with_added(["D"]).with_wanted({"D": False})
    assert draft.is_empty


def test_discarding_leaves_nothing_staged() -> None:
    """The table is drawn anew, with all ticks."""
    draft = DRAFT.with_added(["D"]).with_wanted({"A": False}).discarded()
    assert (draft.is_empty, draft.version) == (True, 1)


def test_a_newer_read_keeps_only_what_is_still_to_be_done() -> None:
    """Somebody else added D and took A away: both are already in place."""
    draft = DRAFT.with_wanted({"D": True, "E": True, "A": False, "B": False})
    newer = draft.rebased(frozenset({"B", "C", "D"}), read_at=START)
    assert (newer.add, newer.remove, newer.version) == (frozenset({"E"}), frozenset({"B"}), 1)


def test_an_equal_read_leaves_the_table_as_it_is() -> None:
    """Only its time is newer; what is staged stays."""
    draft = DRAFT.with_wanted({"A": False})
    newer = draft.rebased(frozenset("CBA"), read_at=LATER)
    assert (newer.read_at, newer.version, newer.remove) == (LATER, 0, frozenset("A"))
    assert newer.base is draft.base


def test_a_newer_read_may_find_nothing_recorded() -> None:
    """All additions stay staged."""
    newer = DRAFT.with_added(["D"]).rebased(None, read_at=START)
    assert (newer.base, newer.add) == (None, frozenset({"D"}))


def test_a_large_removal_wants_its_count() -> None:
    """Two of three are more than half; one is not."""
    confirmation = DRAFT.with_wanted({"A": False, "B": False}).confirmation
    assert confirmation is not None
    assert confirmation.count == 2
    assert DRAFT.with_wanted({"A": False}).confirmation is None


def test_changes_from_elsewhere_say_where_they_came_from() -> None:
    """They lie on top of what is staged, and the table shows them."""
    draft = DRAFT.with_added(["D"]).with_staged({"A": False}, origin=UNDO)
    assert (draft.add, draft.remove, draft.version) == (frozenset({"D"}), frozenset({"A"}), 1)
    assert draft.origin == UNDO


def test_a_change_by_hand_makes_them_the_persons_own() -> None:
    """It is no longer what was to be undone; a tick that changes nothing makes no difference."""
    draft = DRAFT.with_staged({"A": False}, origin=UNDO)
    assert draft.with_wanted({"A": False}).origin == UNDO
    assert draft.with_wanted({"B": False}).origin == BY_HAND


def test_a_part_of_them_is_still_what_it_was() -> None:
    """As long as any of it is staged."""
    draft = DRAFT.with_staged({"A": False, "B": False}, origin=UNDO).with_wanted({"A": True})
    assert (draft.remove, draft.origin) == (frozenset("B"), UNDO)
    assert draft.with_wanted({"B": True}).origin == BY_HAND


def test_a_recipient_set_stays_named_as_long_as_any_of_it_is_staged() -> None:
    """It does so when only a part of it is left, and beside changes by hand."""
    chosen = Origin(set_name="Retailers", set_recipients=frozenset("DE"))
    draft = DRAFT.with_staged({"D": True, "E": True}, origin=chosen)
    beside = draft.with_wanted({"D": False, "A": False, "F": True})
    assert (beside.add, beside.remove, beside.origin) == (frozenset("EF"), frozenset("A"), chosen)
    assert beside.with_wanted({"E": False, "B": False}).origin == BY_HAND


def test_changes_that_are_in_place_came_from_nowhere() -> None:
    """Nothing is staged."""
    draft = DRAFT.with_staged({"A": True, "D": False}, origin=UNDO)
    assert (draft.is_empty, draft.origin, draft.version) == (True, BY_HAND, 0)


def test_a_newer_read_keeps_where_the_rest_came_from() -> None:
    """As long as there is a rest."""
    draft = DRAFT.with_staged({"A": False, "B": False}, origin=UNDO)
    assert draft.rebased(frozenset("BC"), read_at=START).origin == UNDO
    assert draft.rebased(frozenset("C"), read_at=START).origin == BY_HAND


def test_discarding_forgets_where_it_came_from() -> None:
    """The next staged change is the person's own."""
    assert DRAFT.with_staged({"A": False}, origin=UNDO).discarded().origin == BY_HAND


@given(base=ids, edits=st.lists(st.dictionaries(st.sampled_from("ABCDEF"), st.booleans())))
def test_staged_changes_never_contradict_the_base(base: frozenset[str], edits: list[dict[str, bool]]) -> None:
    """Additions lie outside the base, removals within it, and the last tick counts."""
    draft = Draft(ITEM, base, START)
    wanted = dict.fromkeys(base, True)
    for edit in edits:
        draft = draft.with_wanted(edit)
        wanted |= edit
    assert not draft.add & base
    assert draft.remove <= base
    assert draft.wanted == {recipient_id for recipient_id, is_wanted in wanted.items() if is_wanted}


def test_only_what_was_shown_or_entered_meanwhile_is_saved() -> None:
    """Nobody asked to save what was staged after the screen was drawn."""
    shown = DRAFT.with_wanted({"A": False}).with_added(["D"])
    later = shown.with_wanted({"B": False, "D": False}).with_added(["E", "F"])
    part = later.part_shown(shown, entered=frozenset("E"))
    assert (part.add, part.remove, part.origin) == (frozenset("E"), frozenset("A"), BY_HAND)


def test_the_part_that_was_shown_is_still_from_where_it_came() -> None:
    """A change by hand beside it took the origin from the draft, and not from what was on the screen."""
    shown = DRAFT.with_staged({"A": False, "D": True}, origin=UNDO)
    later = shown.with_added(["E"])
    assert later.origin == BY_HAND
    assert later.part_shown(shown, entered=frozenset()).origin == UNDO
    assert later.part_shown(shown, entered=frozenset("E")).origin == BY_HAND


def test_a_draft_that_was_shown_whole_keeps_its_origin() -> None:
    """Nothing was staged since."""
    shown = DRAFT.with_staged({"A": False}, origin=UNDO)
    assert shown.part_shown(shown, entered=frozenset()) == shown


def test_what_is_staged_beside_some_changes_is_counted() -> None:
    """A recipient counts by its wanted state."""
    draft = DRAFT.with_wanted({"A": False, "B": False}).with_added(["D"])
    assert draft.count_beside(add=frozenset("A"), remove=frozenset("AC")) == 2


def test_a_draft_is_requested_as_it_is_staged() -> None:
    """With the count of a large removal, which the person typed."""
    draft = DRAFT.with_staged(dict.fromkeys(DRAFT.recipients, False) | {"X": True}, origin=UNDO)
    request = draft.request(key="k", person="ann", owner="a browser", reason="recall")
    assert (request.key, request.person, request.owner, request.reason) == ("k", "ann", "a browser", "recall")
    assert (request.item, request.base, request.origin) == (draft.item, draft.base, UNDO)
    assert (request.add, request.remove) == (frozenset("X"), draft.recipients)
    assert request.confirmed_count == len(draft.recipients)


def test_the_count_of_a_large_addition_confirms_no_removal() -> None:
    """It was typed for something else."""
    draft = DRAFT.with_wanted({"A": False}).with_added(map(str, range(101)))
    assert draft.confirmation is not None
    assert draft.request(key="k", person="ann").confirmed_count is None
