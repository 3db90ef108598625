"""An `apply` that was interrupted: the next one asks first.

Nothing else touches its job.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.access.people import Role
from item_visibility.cli import interrupted, job_output
from item_visibility.errors import RecordsError
from item_visibility.lists.writer import write_csv
from item_visibility.model.change import ChangeStep, Goal
from item_visibility.model.job import (
    BulkAction,
    BulkItem,
    ItemPreview,
    JobOrigin,
    JobState,
)
from item_visibility.model.outcome import Outcome, StepResult
from item_visibility.use_cases.bulk import ResultRow
from tests.cli.conftest import FIRST, SECOND, THIRD, run
from tests.storage.entries import a_job
from tests.support.desk import ANN, DeskKit
from tests.support.fake_visibilities import START, Fault, refused

FIRST_SENTENCE = "An earlier apply of list.csv was interrupted: 1 of 2 items done."
SECOND_SENTENCE = "An earlier apply of second.csv was interrupted: 1 of 2 items done."
ASKS = ("apply", "next.csv")


@pytest.fixture(autouse=True)
def next_list(kit: DeskKit) -> None:  # noqa: ARG001  (it changes the folder)
    """Write the list that the next command applies."""
    rows = [("S1", "03", "Y1")]
    Path("next.csv").write_bytes(write_csv(("supplier", "item", "recipient"), rows))


@pytest.fixture
def at_terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(interrupted, "is_on_a_terminal", lambda: True)
        yield


def leave(  # noqa: PLR0913  (one argument per fact)
    kit: DeskKit,
    key: str = "left",
    *,
    title: str = "list.csv",
    state: JobState = JobState.RUNNING,
    person_key: str = ANN.key,
    origin: JobOrigin = JobOrigin.COMMAND,
) -> None:
    """Leave a job with two items, the first of them done, as a killed command does."""
    intents = [
        BulkItem(item=FIRST, add=frozenset("A")),
        BulkItem(item=SECOND, add=frozenset({"X1"})),
    ]
    job = a_job(
        key, title=title, state=JobState.READING, person_key=person_key, origin=origin
    )
    jobs = kit.records.jobs
    jobs.create(replace(job, applied_role=Role.EDITOR), intents)
    lists = (frozenset("ABC"), frozenset("A"))
    previews = [
        ItemPreview.of(intent, current, read_at=START)
        for intent, current in zip(intents, lists, strict=True)
    ]
    jobs.put_previews(key, dict(enumerate(previews)))
    jobs.end_item(key, 0, [StepResult(ChangeStep("A", Goal.VISIBLE), Outcome.IN_PLACE)])
    jobs.move(key, JobState.RUNNING, expected=set(JobState), at=START)
    jobs.move(key, state, expected=set(JobState), at=START)


def state_of(kit: DeskKit, key: str = "left") -> JobState:
    return kit.desk.bulk.job(key).state


@pytest.mark.parametrize(
    "state", [JobState.QUEUED, JobState.RUNNING, JobState.WAITING, JobState.PAUSED]
)
@pytest.mark.parametrize("options", [(), ("--yes",)])
def test_without_a_terminal_an_option_must_decide(
    kit: DeskKit, state: JobState, options: tuple[str, ...]
) -> None:
    leave(kit, state=state)
    Path("next.csv").write_bytes(b"\xff\x00 no list")
    result = run(*ASKS, *options)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr == (
        f"Error: {FIRST_SENTENCE}\n"
        "Nothing was sent. Give --resume to finish it first, or --drop to give it up.\n"
    )
    assert kit.fake.calls == []
    assert state_of(kit) is state


def test_resume_finishes_the_earlier_list_and_then_applies_the_file(
    kit: DeskKit,
) -> None:
    leave(kit)
    result = run(*ASKS, "--yes", "--resume")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        FIRST_SENTENCE,
        "Continuing list.csv.",
        "2 of 2 items: 1 verified · 1 already in place.",
        "Verified: everything is as in the list.",
        "S1 / 03",
        "    add     Y1",
        "1 item: 0 already as in the list, 1 to change, 0 refused.",
        "Recipients to add: 1; to remove: 0; already in place: 0.",
        "Not in the list: 1 recipient, kept.",
        "1 of 1 item: 1 verified.",
        "Verified: everything is as in the list.",
    ]
    assert state_of(kit) is JobState.ENDED
    assert kit.fake.recipients_of(SECOND) == {"A", "X1"}
    assert kit.fake.recipients_of(THIRD) == {"R3", "Y1"}


def test_drop_ends_the_earlier_job_and_applies_the_file(kit: DeskKit) -> None:
    leave(kit)
    result = run(*ASKS, "--yes", "--drop")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [
        FIRST_SENTENCE,
        "Dropped list.csv. What it has changed is kept.",
    ]
    assert state_of(kit) is JobState.CANCELLED
    assert kit.fake.recipients_of(SECOND) == {"A"}
    assert kit.fake.recipients_of(THIRD) == {"R3", "Y1"}


def test_the_file_is_not_applied_if_the_earlier_job_is_not_verified(
    kit: DeskKit,
) -> None:
    leave(kit)
    kit.fake.faults.append(Fault("addVisibility", refused(), recipient_id="X1"))
    result = run(*ASKS, "--yes", "--resume", "--failed", "failed.xlsx")
    assert result.exit_code == 1
    assert result.stderr == (
        "Not verified: some rows failed.\nError: Because of this, next.csv was not "
        "applied.\n"
    )
    assert Path("failed.xlsx").exists()
    assert kit.fake.recipients_of(THIRD) == {"R3"}


@pytest.mark.parametrize(
    ("typed", "status", "state"),
    [
        ("continue\ny\n", 0, JobState.ENDED),
        ("drop\ny\n", 0, JobState.CANCELLED),
        ("cancel\n", 1, JobState.RUNNING),
        ("\n", 1, JobState.RUNNING),
        ("perhaps\n", 1, JobState.RUNNING),
    ],
)
@pytest.mark.usefixtures("at_terminal")
def test_on_a_terminal_the_command_asks_first(
    kit: DeskKit, typed: str, status: int, state: JobState
) -> None:
    leave(kit)
    result = run(*ASKS, typed=typed)
    assert result.exit_code == status
    assert result.stdout.startswith(
        f"{FIRST_SENTENCE}\nContinue it, drop it, or cancel? (continue, drop, "
        "cancel) [cancel]:"
    )
    assert state_of(kit) is state
    assert bool(kit.fake.writes) == (status == 0)


@pytest.mark.usefixtures("at_terminal")
def test_nothing_is_sent_after_cancel(kit: DeskKit) -> None:
    leave(kit)
    result = run(*ASKS, "--yes", typed="cancel\n")
    assert result.stderr == "Error: Nothing was sent.\n"
    assert kit.fake.calls == []


def test_a_no_after_a_continued_list_does_not_deny_what_was_sent(kit: DeskKit) -> None:
    leave(kit)
    result = run(*ASKS, "--resume", typed="n\n")
    assert result.exit_code == 1
    assert result.stderr == (
        "The earlier apply is finished. This is only about next.csv:\nError: Nothing "
        "of next.csv was sent.\n"
    )
    assert kit.fake.recipients_of(SECOND) == {"A", "X1"}
    assert kit.fake.recipients_of(THIRD) == {"R3"}


def test_errors_after_a_dropped_list_are_as_usual(kit: DeskKit) -> None:
    leave(kit)
    assert (
        run(*ASKS, "--drop", typed="n\n").stderr
        == "Error: Nothing of next.csv was sent.\n"
    )
    assert kit.fake.writes == []


@pytest.mark.parametrize(
    ("option", "state"), [("--resume", JobState.ENDED), ("--drop", JobState.CANCELLED)]
)
def test_the_decision_holds_for_all_interrupted_jobs(
    kit: DeskKit, option: str, state: JobState
) -> None:
    leave(kit)
    leave(kit, "second", title="second.csv", state=JobState.PAUSED)
    undecided = run(*ASKS)
    result = run(*ASKS, "--yes", option)
    assert undecided.stderr.splitlines()[:2] == [
        f"Error: {FIRST_SENTENCE}",
        SECOND_SENTENCE,
    ]
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:2] == [FIRST_SENTENCE, SECOND_SENTENCE]
    assert [state_of(kit), state_of(kit, "second")] == [state, state]


@pytest.mark.parametrize("option", ["--resume", "--drop"])
def test_an_option_without_an_interrupted_job_has_nothing_to_do(
    kit: DeskKit, option: str
) -> None:
    result = run(*ASKS, "--yes", option)
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "No earlier apply of yours was interrupted."
    assert kit.fake.recipients_of(THIRD) == {"R3", "Y1"}


def test_the_two_options_exclude_each_other(kit: DeskKit) -> None:
    leave(kit)
    result = run(*ASKS, "--yes", "--resume", "--drop")
    assert result.exit_code == 1
    assert "--resume and --drop exclude each other." in result.stderr
    assert kit.fake.calls == []
    assert state_of(kit) is JobState.RUNNING


@pytest.mark.parametrize(
    "changes",
    [
        {"state": JobState.PREVIEWED},
        {"state": JobState.READING},
        {"state": JobState.CANCELLED},
        {"state": JobState.ENDED},
        {"person_key": "machine somebody-else"},
        {"origin": JobOrigin.BULK_PAGE},
    ],
    ids=lambda changes: str(next(iter(changes.values()))),
)
def test_other_jobs_are_not_called_interrupted(
    kit: DeskKit, changes: dict[str, object]
) -> None:
    leave(kit, **changes)  # type: ignore[arg-type]  (as above)
    before = state_of(kit)
    result = run(*ASKS, "--yes")
    assert result.exit_code == 0
    assert "interrupted" not in result.output
    assert state_of(kit) is before
    assert kit.fake.recipients_of(SECOND) == {"A"}


def test_a_job_on_which_a_command_works_is_not_interrupted(kit: DeskKit) -> None:
    leave(kit)
    with kit.records.jobs.claim("left", sleep=Mock(side_effect=AssertionError)):
        result = run(*ASKS, "--yes")
    assert result.exit_code == 0
    assert "interrupted" not in result.output
    assert state_of(kit) is JobState.RUNNING


def test_a_plan_mentions_the_interrupted_job_and_leaves_it_alone(kit: DeskKit) -> None:
    leave(kit)
    result = run("plan", "next.csv")
    assert result.exit_code == 2
    assert result.stderr == f"{FIRST_SENTENCE} The next apply asks what to do.\n"
    assert state_of(kit) is JobState.RUNNING
    assert kit.fake.writes == []


def test_a_job_that_another_command_has_finished_meanwhile_is_not_begun_again(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(kit)
    echo = interrupted.click.echo

    def finish_meanwhile(message: str) -> None:
        kit.records.jobs.move("left", JobState.ENDED, expected=set(JobState), at=START)
        echo(message)

    monkeypatch.setattr(interrupted.click, "echo", finish_meanwhile)
    result = run(*ASKS, "--yes", "--resume")
    assert result.exit_code == 1
    assert "the job is ended" in result.stderr
    assert kit.fake.writes == []


def test_ctrl_c_leaves_a_job_that_the_next_command_continues(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave(kit)
    with monkeypatch.context() as patch:
        patch.setattr(job_output, "wait", Mock(side_effect=KeyboardInterrupt))
        patch.setattr(kit.desk.bulk.dispatcher, "notify", Mock())
        stopped = run(*ASKS, "--yes", "--resume")
    kit.desk.bulk.dispatcher.close()
    assert stopped.exit_code == 1
    assert "The job is paused. The next apply asks" in stopped.stderr
    assert state_of(kit) is JobState.PAUSED
    assert not kit.records.jobs.is_claimed("left")


def test_our_own_records_must_be_readable_before_anything_is_sent(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = RecordsError(
        "The dashboard's own database could not be used.", advice="Ask."
    )
    monkeypatch.setattr(kit.desk.bulk, "interrupted", Mock(side_effect=broken))
    assert run(*ASKS, "--yes").exit_code == 1
    assert kit.fake.calls == []


@pytest.mark.usefixtures("at_terminal")
def test_one_answer_decides_about_several_interrupted_jobs(kit: DeskKit) -> None:
    leave(kit, "first")
    leave(kit, "second", title="other.csv")
    result = run(*ASKS, "--yes", typed="drop\n")
    assert "Continue all, drop all, or cancel?" in result.stdout
    assert state_of(kit, "first") is JobState.CANCELLED
    assert state_of(kit, "second") is JobState.CANCELLED


def test_the_result_of_a_job_that_was_cancelled_is_not_verified(
    capsys: pytest.CaptureFixture[str],
) -> None:
    row = ResultRow(
        BulkItem(item=FIRST),
        None,
        BulkAction.WITHDRAW,
        Outcome.NOT_SENT,
        "It was cancelled.",
    )
    bulk = Mock(results=Mock(return_value=[row]))
    outcomes = {Outcome.NOT_SENT: 1}
    job_output.print_result(
        bulk, a_job(state=JobState.CANCELLED, outcomes=outcomes), None
    )
    printed = capsys.readouterr()
    assert printed.out.splitlines()[0] == "S1 / 01: not sent. It was cancelled."
    assert printed.err == "Not verified: the job is cancelled.\n"
