"""Staged changes are there again, and every save puts them right."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.changes.draft import Draft
from item_visibility.changes.outcome import OthersChanges, Verdict
from item_visibility.changes.request import BY_HAND, ChangeKind, Origin
from item_visibility.desk.drafts import taken_in
from item_visibility.errors import RecordsError
from item_visibility.people.person import Person, Role
from tests.support.desk import ITEM, OTHER_ITEM, PERSON, DeskKit, a_request, break_records, open_kit
from tests.support.fake_visibilities import START, Fault, not_sent, refused

A, B, C, D = "A", "B", "C", "D"


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on an item that A and B can see."""
    with open_kit(tmp_path, {ITEM: {A, B}}) as opened:
        yield opened


def stage(kit: DeskKit, *, add: str = "", remove: str = "", origin: Origin = BY_HAND) -> Draft:
    """Stage changes as a window does."""
    nothing = Draft(ITEM, frozenset(frozenset("AB")), START)
    staged = replace(nothing, add=frozenset(add), remove=frozenset(remove), origin=origin)
    assert kit.desk.drafts.keep(nothing, staged, owner=PERSON)
    return staged


def test_what_was_staged_is_there_after_a_restart(tmp_path: Path) -> None:
    """With the time of its last change, and as deterministic rows."""
    with open_kit(tmp_path) as first:
        staged_at = first.fake.time.now()
        stage(first, add="C", remove="A")
    with open_kit(tmp_path) as second:
        resumed = second.desk.drafts.resume(ITEM, frozenset(frozenset("AB")), owner=PERSON, read_at=START)
    assert resumed is not None
    assert (resumed.draft.add, resumed.draft.remove, resumed.draft.version) == (
        frozenset("C"),
        frozenset("A"),
        0,
    )
    assert (resumed.updated_at, resumed.in_place, resumed.others) == (staged_at, (), OthersChanges())


def test_an_item_without_a_draft_resumes_nothing(kit: DeskKit) -> None:
    """Opening an item stages nothing."""
    assert kit.desk.drafts.resume(ITEM, frozenset(frozenset("A")), owner=PERSON, read_at=START) is None
    assert kit.desk.drafts.latest(PERSON) == ()


def test_a_draft_is_resumed_against_the_list_as_it_is_now(kit: DeskKit) -> None:
    """Changes already in place are told and no longer staged; the rest stays."""
    stage(kit, add="CD", remove="A")
    resumed = kit.desk.drafts.resume(ITEM, frozenset({B, C, "X"}), owner=PERSON, read_at=START)
    assert resumed is not None
    assert (resumed.draft.add, resumed.draft.remove) == (frozenset("D"), frozenset())
    assert resumed.in_place == (A, C)
    assert resumed.others == OthersChanges(added=frozenset({C, "X"}), removed=frozenset(frozenset("A")))


def test_a_draft_that_is_in_place_is_over(kit: DeskKit) -> None:
    """It is told once, and not listed any longer."""
    stage(kit, add="C")
    resumed = kit.desk.drafts.resume(ITEM, frozenset(frozenset("ABC")), owner=PERSON, read_at=START)
    assert resumed is not None
    assert (resumed.draft.is_empty, resumed.in_place) == (True, (C,))
    assert kit.desk.drafts.latest(PERSON) == ()


def test_open_drafts_are_listed_with_their_age(kit: DeskKit) -> None:
    """The one that was changed last first."""
    stage(kit, add="C")
    (listed,) = kit.desk.drafts.latest(PERSON)
    assert (listed.draft.item, listed.draft.add, listed.updated_at) == (
        ITEM,
        frozenset("C"),
        kit.fake.time.now(),
    )


def test_a_verified_save_ends_the_draft(kit: DeskKit) -> None:
    """Also when no window waits for the save any more."""
    stage(kit, add="C", remove="A")
    kit.save(a_request(ITEM, base="AB", add="C", remove="A"))
    assert kit.desk.drafts.latest(PERSON) == ()


def test_a_save_keeps_what_another_window_staged(kit: DeskKit) -> None:
    """Only what was saved is no longer staged."""
    stage(kit, add="CD")
    kit.save(a_request(ITEM, base="AB", add="C"))
    (left,) = kit.desk.drafts.latest(PERSON)
    assert (left.draft.add, left.draft.base) == (frozenset("D"), frozenset("ABC"))


def test_a_save_that_was_refused_in_part_keeps_what_is_missing(kit: DeskKit) -> None:
    """Its origin stays, too."""
    origin = Origin(kind=ChangeKind.UNDO, undo_of="save-0")
    stage(kit, add="CD", origin=origin)
    kit.fake.faults.append(Fault("addVisibility", refused("addVisibility"), recipient_id=D))
    request = replace(a_request(ITEM, base="AB", add="CD"), origin=origin)
    status = kit.save(request)
    (left,) = kit.desk.drafts.latest(PERSON)
    assert status.result is not None
    assert status.result.verdict is Verdict.DIFFERS
    assert (left.draft.add, left.draft.origin) == (frozenset("D"), origin)


def test_a_save_of_another_item_leaves_the_draft_alone(kit: DeskKit) -> None:
    """A draft belongs to one item."""
    stage(kit, add="C")
    kit.save(a_request(OTHER_ITEM, add="C"))
    assert [left.draft.item for left in kit.desk.drafts.latest(PERSON)] == [ITEM]


def test_nothing_is_written_when_nothing_staged_changed(tmp_path: Path) -> None:
    """So a desk without a database says that all is kept."""
    with open_kit(tmp_path) as kit:
        staged = stage(kit, add="C")
        break_records(tmp_path)
        assert kit.desk.drafts.keep(staged, replace(staged, version=3), owner=PERSON)
        assert kit.desk.drafts.keep(
            Draft(ITEM, None, START), Draft(ITEM, frozenset(frozenset("A")), START), owner=PERSON
        )


def test_a_draft_that_cannot_be_kept_is_told(tmp_path: Path) -> None:
    """The window keeps it, and nothing else breaks."""
    with open_kit(tmp_path, {ITEM: frozenset("A")}) as kit:
        break_records(tmp_path)
        nothing = Draft(ITEM, frozenset(frozenset("A")), START)
        assert not kit.desk.drafts.keep(nothing, nothing.with_added([C]), owner=PERSON)
        assert kit.desk.drafts.resume(ITEM, frozenset(frozenset("A")), owner=PERSON, read_at=START) is None
        assert kit.desk.drafts.latest(PERSON) == ()


def test_a_save_that_could_read_nothing_leaves_the_draft_as_it_is(kit: DeskKit) -> None:
    """Nothing is known, so nothing is forgotten."""
    stage(kit, add="C")
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    kit.save(a_request(ITEM, base="AB", add="C"))
    (left,) = kit.desk.drafts.latest(PERSON)
    assert left.draft.add == frozenset("C")


def test_a_save_that_was_held_back_shows_the_list_as_it_is(kit: DeskKit) -> None:
    """The count is missing: nothing was sent, and the draft is against the newer list."""
    staged = stage(kit, remove="AB")
    status = kit.save(a_request(ITEM, base="AB", remove="AB"))
    assert status.result is not None
    assert taken_in(staged, status.request, status.result).remove == frozenset("AB")
    (left,) = kit.desk.drafts.latest(PERSON)
    assert left.draft.remove == frozenset("AB")


def test_a_save_of_another_browser_leaves_the_draft_alone(kit: DeskKit) -> None:
    """Its changes are in place at the next look; the others stay staged for their owner."""
    stage(kit, add="CD")
    kit.save(replace(a_request(ITEM, base="AB", add="C"), owner="another browser"))
    (left,) = kit.desk.drafts.latest(PERSON)
    assert left.draft.add == frozenset("CD")


def test_a_save_that_no_browser_asked_for_settles_no_draft(kit: DeskKit) -> None:
    """Such as one that an earlier run of the program had left open."""
    stage(kit, add="C")
    kit.save(replace(a_request(ITEM, base="AB", add="C"), owner=""))
    (left,) = kit.desk.drafts.latest(PERSON)
    assert left.draft.add == frozenset("C")


def test_a_draft_moves_from_one_browser_to_another(kit: DeskKit) -> None:
    """By its item, or among all that is staged elsewhere."""
    stage(kit, add="C")
    (theirs,) = kit.desk.drafts.of_others("another browser", item=ITEM)
    assert kit.desk.drafts.take_over(theirs, owner="another browser")
    assert kit.desk.drafts.taken_over_at(ITEM, owner=PERSON) == kit.fake.time.now()
    assert kit.desk.drafts.of_others(PERSON)[0].owner == "another browser"
    assert kit.desk.drafts.latest(PERSON) == ()


def test_a_draft_names_the_person_who_staged_it(tmp_path: Path) -> None:
    """It does so after a takeover, too; without sign-in nobody is named."""
    ben = Person(issuer="https://login", subject="1", name="Ben", role=Role.EDITOR)
    nothing = Draft(ITEM, frozenset("A"), START)
    staged = replace(nothing, add=frozenset("C"))
    with open_kit(tmp_path, {ITEM: "A"}, person=lambda: ben) as kit:
        assert kit.desk.drafts.keep(nothing, staged, owner=ben.owner)
        (his,) = kit.desk.drafts.latest(ben.owner)
        assert kit.desk.drafts.take_over(his, owner="another")
        (theirs,) = kit.desk.drafts.latest("another")
    with open_kit(tmp_path, {ITEM: "A"}) as kit:
        stage(kit, add="C")
        (mine,) = kit.desk.drafts.latest(PERSON)
    assert [one.staged_by for one in (his, theirs, mine)] == ["Ben", "Ben", ""]


def test_a_take_over_without_a_database_is_not_known(tmp_path: Path) -> None:
    """It is neither said to be made nor to be refused, and nothing else breaks."""
    with open_kit(tmp_path, {ITEM: frozenset("A")}) as kit:
        stage(kit, add="C")
        (theirs,) = kit.desk.drafts.of_others("another browser", item=ITEM)
        break_records(tmp_path)
        with pytest.raises(RecordsError):
            kit.desk.drafts.take_over(theirs, owner="another browser")
        assert kit.desk.drafts.taken_over_at(ITEM, owner=PERSON) is None
