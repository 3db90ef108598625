"""Parked: everybody taken away by an ordinary save, with a snapshot that is exact. Restored: staged."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from item_visibility.changes.draft import Draft
from item_visibility.changes.outcome import Verdict
from item_visibility.changes.request import BY_HAND, ChangeKind, Origin, SaveRequest
from item_visibility.changes.saving.save_worker import SaveStatus
from item_visibility.desk.parks import ParkedItem, with_everybody_parked, with_restored
from item_visibility.errors import ReadOnlyError, RecordsError
from tests.support.desk import (
    ITEM,
    OTHER_ITEM,
    PERSON,
    TEST_ENVIRONMENT,
    DeskKit,
    a_request,
    break_records,
    open_kit,
)
from tests.support.fake_visibilities import START, Fault, not_sent, refused

AB = frozenset("AB")


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on an item that A and B can see."""
    with open_kit(tmp_path, {ITEM: AB}) as opened:
        yield opened


def a_park(*, key: str = "park-1", remove: str = "AB", count: int | None = 2) -> SaveRequest:
    """A person's wish to park the item, with the count typed."""
    request = a_request(ITEM, key=key, base=remove, remove=remove)
    return replace(request, origin=Origin(kind=ChangeKind.PARK), confirmed_count=count, reason="recall")


def a_restore(key: str, *, add: str) -> SaveRequest:
    """A person's wish to bring parked recipients back."""
    origin = Origin(kind=ChangeKind.RESTORE, restored_from=key)
    return replace(a_request(ITEM, key=f"{key}-back", add=add), origin=origin)


def verdict_of(status: SaveStatus) -> Verdict | None:
    """The verdict of a save."""
    return status.result.verdict if status.result else None


def test_parking_takes_everybody_away_and_keeps_whom(kit: DeskKit) -> None:
    """An ordinary, verified save; the snapshot says who, when, by whom and why."""
    status = kit.save(a_park())
    (parked,) = kit.desk.parks.latest()
    assert verdict_of(status) is Verdict.VERIFIED
    assert kit.fake.recipients_of(ITEM) == frozenset()
    assert parked == ParkedItem(
        key="park-1",
        item=ITEM,
        recipients=AB,
        parked_at=START,
        parked_by=PERSON,
        note="recall",
        settled_at=kit.fake.time.now(),
    )
    assert kit.records.parks.latest_of(ITEM) == kit.records.parks.parked("park-1") == parked


def test_the_snapshot_is_written_before_anything_is_sent(kit: DeskKit) -> None:
    """Seen at the moment of the first write."""
    seen: list[ParkedItem] = []
    kit.fake.before_call = lambda _: seen.extend(kit.records.parks.unsettled(limit=9))
    kit.save(a_park())
    assert {parked.recipients for parked in seen} == {AB}
    assert len(seen) == len(kit.fake.calls)


def test_whom_somebody_else_took_away_is_not_parked(kit: DeskKit) -> None:
    """Restoring must not bring back what others took away."""
    kit.fake.put(ITEM, "B")
    kit.save(a_park(count=1))
    (parked,) = kit.desk.parks.latest()
    assert parked.recipients == frozenset("B")


def test_who_could_not_be_taken_away_is_not_parked(kit: DeskKit) -> None:
    """Refused: that recipient can still see the item."""
    kit.fake.faults.append(Fault("removeVisibility", refused("removeVisibility"), recipient_id="A"))
    kit.save(a_park())
    (parked,) = kit.desk.parks.latest()
    assert (parked.recipients, kit.fake.recipients_of(ITEM)) == (frozenset("B"), frozenset("A"))


@pytest.mark.parametrize("count", [None, 1, 3])
def test_without_the_right_count_nothing_is_parked(kit: DeskKit, count: int | None) -> None:
    """Nothing is sent, and nothing is listed; the same key parks once the count is typed."""
    assert verdict_of(kit.save(a_park(count=count))) is Verdict.NOTHING_SENT
    assert (kit.fake.writes, kit.desk.parks.latest(), kit.records.parks.unsettled(limit=9)) == ([], (), ())
    assert verdict_of(kit.save(a_park())) is Verdict.VERIFIED
    assert len(kit.desk.parks.latest()) == 1


def test_a_service_that_cannot_be_reached_parks_nothing(kit: DeskKit) -> None:
    """The snapshot goes."""
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    kit.save(a_park())
    assert (kit.desk.parks.latest(), kit.fake.recipients_of(ITEM)) == ((), AB)


def test_a_read_only_environment_parks_nothing(tmp_path: Path) -> None:
    """No snapshot is left behind."""
    with open_kit(tmp_path, {ITEM: AB}, environment=replace(TEST_ENVIRONMENT, is_read_only=True)) as kit:
        with pytest.raises(ReadOnlyError):
            kit.desk.save(a_park())
        assert kit.records.parks.unsettled(limit=9) == ()


def test_without_a_snapshot_nothing_is_parked(tmp_path: Path) -> None:
    """Our own database cannot be used: nothing is sent."""
    with open_kit(tmp_path, {ITEM: AB}) as kit:
        break_records(tmp_path)
        with pytest.raises(RecordsError):
            kit.desk.save(a_park())
        assert kit.fake.calls == []


@pytest.mark.parametrize(
    "look",
    [
        lambda kit: kit.desk.parks.latest(),
        lambda kit: kit.records.parks.latest_of(ITEM),
        lambda kit: kit.records.parks.parked("park-1"),
    ],
    ids=["latest", "latest of an item", "one"],
)
def test_parks_that_cannot_be_read_are_not_none(tmp_path: Path, look: Callable[[DeskKit], object]) -> None:
    """A failed read is not taken for an empty list."""
    with open_kit(tmp_path, {ITEM: AB}) as kit:
        break_records(tmp_path)
        with pytest.raises(RecordsError):
            look(kit)


def test_what_was_restored_is_marked(kit: DeskKit) -> None:
    """Still listed, behind those that wait."""
    kit.save(a_park())
    kit.save(a_restore("park-1", add="AB"))
    (parked,) = kit.desk.parks.latest()
    assert parked.restored_at == kit.fake.time.now()
    assert kit.records.parks.latest_of(ITEM) is None
    assert kit.fake.recipients_of(ITEM) == AB


def test_a_restore_that_brought_back_nobody_is_not_marked(kit: DeskKit) -> None:
    """Everything was refused."""
    kit.save(a_park())
    kit.fake.faults.append(Fault("addVisibility", refused("addVisibility")))
    kit.save(a_restore("park-1", add="A"))
    (parked,) = kit.desk.parks.latest()
    assert parked.restored_at is None


def test_those_that_wait_come_first(kit: DeskKit) -> None:
    """Then the newest."""
    for key in ("one", "two", "three"):
        kit.fake.put(ITEM, AB)
        kit.fake.time.sleep(60)
        kit.save(a_park(key=key))
    kit.save(a_restore("three", add="A"))
    assert [parked.key for parked in kit.desk.parks.latest()] == ["two", "one", "three"]
    assert [parked.key for parked in kit.desk.parks.latest(limit=1)] == ["two"]


def test_a_park_whose_end_was_noted_in_the_history_alone_is_put_right(kit: DeskKit) -> None:
    """A crash came between the two."""
    kit.desk.parks.snapshot(a_park(remove="ABX"))
    kit.worker._saver.save(a_park(remove="ABX"))  # noqa: SLF001  (a save without what follows it)
    (parked,) = kit.desk.parks.latest()
    assert parked.recipients == AB


def test_a_park_that_never_began_is_not_listed(kit: DeskKit) -> None:
    """The program was killed after the snapshot, before anything else."""
    kit.desk.parks.snapshot(a_park())
    assert kit.desk.parks.latest() == ()
    assert kit.records.parks.latest_of(ITEM) is None


def test_parked_items_belong_to_a_service(tmp_path: Path, kit: DeskKit) -> None:
    """Nothing shows up elsewhere, and nothing can be marked from there."""
    kit.save(a_park())
    with open_kit(
        tmp_path, environment=replace(TEST_ENVIRONMENT, base_url="https://other.example.com/v1")
    ) as other:
        other.records.parks.mark_restored("park-1", restored_at=START)
        other.records.parks.settle("park-1", frozenset(), settled_at=START)
        assert (other.desk.parks.latest(), other.desk.records.parks.parked("park-1")) == ((), None)
    (parked,) = kit.desk.parks.latest()
    assert parked.restored_at is None


def test_everybody_on_the_list_is_staged_to_go() -> None:
    """Changes staged before give way."""
    draft = with_everybody_parked(Draft(ITEM, AB, START).with_added("X"))
    assert (draft.add, draft.remove, draft.origin) == (frozenset(), AB, Origin(kind=ChangeKind.PARK))


def test_restoring_stages_additions_on_any_item() -> None:
    """Recipients already there are not staged."""
    parked = ParkedItem(key="park-1", item=ITEM, recipients=AB, parked_at=START, parked_by=PERSON)
    draft = with_restored(Draft(OTHER_ITEM, frozenset("AC"), START), parked)
    assert (draft.add, draft.remove) == (frozenset("B"), frozenset())
    assert draft.origin == Origin(kind=ChangeKind.RESTORE, restored_from="park-1")


def test_restoring_on_top_of_other_changes_is_the_persons_own() -> None:
    """Changes staged before stay."""
    parked = ParkedItem(key="park-1", item=ITEM, recipients=AB, parked_at=START, parked_by=PERSON)
    draft = with_restored(Draft(ITEM, None, START).with_added("X"), parked)
    assert (draft.add, draft.origin) == (frozenset("ABX"), BY_HAND)
