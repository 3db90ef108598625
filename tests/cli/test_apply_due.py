"""`plan --due` and `apply --due`: what is taken away, by whom, and the status that a scheduler reads."""

from datetime import timedelta

import pytest

from item_visibility.changes.job import JobState
from tests.cli.lists import FIRST, SECOND, a_file, kit, run
from tests.support.desk import DeskKit

__all__ = ["kit"]


@pytest.fixture
def due_kit(kit: DeskKit) -> DeskKit:
    """A desk where the end dates of two recipients have come; one is the last of its item."""
    kit.desk.end_dates.set(FIRST, {"R1"}, kit.desk.end_dates.today)
    kit.desk.end_dates.set(SECOND, {"R1"}, kit.desk.end_dates.today)
    kit.fake.time.now_at += timedelta(days=1)
    return kit


def test_a_plan_says_whose_end_date_has_come(due_kit: DeskKit) -> None:
    """Status 2, and nothing is sent."""
    result = run("plan", "--due")
    assert result.exit_code == 2
    assert result.stdout.splitlines() == [
        "S1 / 01",
        "    remove  R1",
        "S1 / 02",
        "    remove  R1",
        "2 items: 0 as the end dates say, 2 to be changed, 0 refused.",
        "Recipients to add: 0; to remove: 2; as the end dates say: 0.",
        "LARGE REMOVALS: 1 recipient would be taken away from 1 item.",
        "Nothing was changed yet.",
    ]
    assert due_kit.fake.writes == []


def test_a_scheduler_leaves_large_removals_to_a_person(due_kit: DeskKit) -> None:
    """The other one is taken away. Status 1, and the words say what waits; its end date stays due."""
    result = run("apply", "--due", "--yes")
    assert result.exit_code == 1
    assert "They are left to a person: see the dashboard, or give --confirm-removals 1." in result.stdout
    assert (
        "S1 / 02 / R1: not sent. This removes 1 of the 1 recipient that can see the item now."
        in result.stdout
    )
    assert due_kit.fake.recipients_of(FIRST) == {"R2"}
    assert due_kit.fake.recipients_of(SECOND) == {"R1"}
    assert [one.item for one in due_kit.desk.end_dates.due()] == [SECOND]


def test_a_scheduler_sends_nothing_where_all_is_left(due_kit: DeskKit) -> None:
    """Status 1 as for every list, and no job of it is left behind."""
    run("apply", "--due", "--yes")
    writes = len(due_kit.fake.writes)
    result = run("apply", "--due", "--yes")
    assert result.exit_code == 1
    assert "Nothing was sent. If that is meant, give --confirm-removals 1." in result.output
    assert len(due_kit.fake.writes) == writes
    assert due_kit.desk.bulk.store.jobs()[0].state is JobState.CANCELLED


def test_the_number_takes_all_away(due_kit: DeskKit) -> None:
    """Status 0; who did it, and why, stands in the history."""
    result = run("apply", "--due", "--yes", "--confirm-removals", "1")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (
        0,
        "Verified: everything is as the end dates say.",
    )
    assert due_kit.fake.recipients_of(FIRST) == {"R2"}
    assert due_kit.fake.recipients_of(SECOND) == frozenset()
    entry = due_kit.records.history.latest(FIRST)
    assert entry is not None
    assert entry.request.reason == "The end date has come."


def test_a_scheduler_takes_away_what_is_not_large(due_kit: DeskKit) -> None:
    """Status 0, and nothing is said of large removals; a second time there is nothing to do."""
    due_kit.desk.end_dates.remove(SECOND, {"R1"})
    result = run("apply", "--due", "--yes")
    assert (result.exit_code, "left to a person" in result.stdout) == (0, False)
    writes = len(due_kit.fake.writes)
    result = run("apply", "--due", "--yes")
    assert (result.exit_code, result.stdout) == (0, "No end date has come. Nothing was changed.\n")
    assert len(due_kit.fake.writes) == writes


def test_a_plan_without_any_has_status_0(kit: DeskKit) -> None:
    """Nothing is read."""
    assert run("plan", "--due").exit_code == 0
    assert kit.fake.calls == []


def test_who_answers_the_question_types_the_number(due_kit: DeskKit) -> None:
    """Without --yes, large removals are confirmed as always; no answer sends nothing."""
    assert run("apply", "--due").exit_code == 1
    assert due_kit.fake.writes == []
    assert [job.state for job in due_kit.desk.bulk.store.jobs()] == [JobState.CANCELLED]


def test_who_is_gone_needs_no_write(due_kit: DeskKit) -> None:
    """Status 0: it was read, and is so."""
    due_kit.fake.put(FIRST, {"R2"})
    due_kit.fake.put(SECOND, {"R9"})
    result = run("apply", "--due", "--yes")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "Nothing to change: everything is as the end dates say."
    assert due_kit.fake.writes == []


@pytest.mark.parametrize(
    "arguments", [(), ("list.csv", "--due"), ("--due", "--prune"), ("--due", "--supplier", "S1")]
)
def test_a_file_and_end_dates_are_not_mixed(kit: DeskKit, arguments: tuple[str, ...]) -> None:
    """Status 1, and nothing is read."""
    a_file("supplier,item,recipient\n")
    assert run("apply", *arguments).exit_code == 1
    assert kit.fake.calls == []


def test_a_list_with_end_dates_says_and_sets_them(kit: DeskKit) -> None:
    """Also where nothing is to be sent. Status 0 of the plan once they are set."""
    file = a_file("supplier,item,recipient,until\nS1,01,R1,2026-12-31\nS1,01,R3,2026-12-31\n")
    planned = run("plan", file)
    assert planned.exit_code == 2
    assert "    until   2026-12-31: R1" in planned.stdout.splitlines()
    assert "End dates to set, in our own records: 2." in planned.stdout.splitlines()
    assert run("apply", file, "--yes").exit_code == 0
    assert [one.recipient_id for one in kit.desk.end_dates.of_item(FIRST)] == ["R1", "R3"]
    assert run("plan", file).exit_code == 0


def test_of_many_end_dates_the_first_are_told(kit: DeskKit) -> None:  # noqa: ARG001  (the desk that is opened)
    """The others are counted."""
    rows = "".join(f"S1,01,N{number:02},2026-12-31\n" for number in range(12))
    planned = run("plan", a_file(f"supplier,item,recipient,until\n{rows}"))
    assert "    and 2 more end dates" in planned.stdout.splitlines()


def test_an_end_date_that_is_over_is_a_complaint(kit: DeskKit) -> None:
    """Status 1, and nothing is read."""
    result = run("apply", a_file("supplier,item,recipient,until\nS1,01,R1,2026-01-31\n"), "--yes")
    assert result.exit_code == 1
    assert "Row 2: The end date 2026-01-31 is over already, in UTC." in result.stderr
    assert kit.fake.calls == []
