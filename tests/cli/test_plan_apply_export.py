"""What the commands for many items print and send, and their exit status."""

import errno
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock, Mock

import click
import pytest
from click.testing import CliRunner, Result

from item_visibility.cli import job_output
from item_visibility.cli.commands import main
from item_visibility.cli.job_output import wait, wait_for_preview
from item_visibility.cli.shared import write_new
from item_visibility.errors import NotPossibleError
from item_visibility.lists.reader import read_table
from item_visibility.lists.writer import write_csv
from item_visibility.model.job import UNDER_WAY, Job, JobState
from item_visibility.model.known_ids import Kind, NameRow
from tests.cli.conftest import FIRST, SECOND, IdleWorker, open_cli_kit, run
from tests.storage.entries import a_job
from tests.support.desk import TEST_ENVIRONMENT, DeskKit
from tests.support.fake_visibilities import Fault, refused

HEADER = ("supplier", "item", "recipient")


def a_list(*rows: tuple[str, ...], header: tuple[str, ...] = HEADER) -> str:
    Path("list.csv").write_bytes(write_csv(header, rows))
    return "list.csv"


def lines(result: Result) -> list[str]:
    return result.stdout.splitlines()


def states(kit: DeskKit) -> list[JobState]:
    return [job.state for job in kit.desk.bulk.store.jobs()]


def test_a_plan_says_what_would_change(kit: DeskKit) -> None:
    result = run(
        "plan", a_list(("S1", "01", "A"), ("S1", "01", "X"), ("S1", "02", "A"))
    )
    assert result.exit_code == 2
    assert lines(result) == [
        "S1 / 01",
        "    add     X",
        "2 items: 1 already as in the list, 1 to change, 0 refused.",
        "Recipients to add: 1; to remove: 0; already in place: 2.",
        "Not in the list: 2 recipients, kept.",
        "Nothing was changed yet.",
    ]
    assert kit.fake.writes == []
    assert states(kit) == [JobState.CANCELLED]


def test_only_prune_removes_recipients_missing_from_the_list(kit: DeskKit) -> None:
    result = run("plan", a_list(("S1", "01", "A"), ("S1", "01", "X")), "--prune")
    assert result.exit_code == 2
    assert lines(result) == [
        "S1 / 01",
        "    add     X",
        "    remove  B, C",
        "1 item: 0 already as in the list, 1 to change, 0 refused.",
        "Recipients to add: 1; to remove: 2; already in place: 1.",
        (
            "LARGE REMOVALS: 2 recipients would be removed from 1 item."
            " To confirm: --confirm-removals 2."
        ),
        "Nothing was changed yet.",
    ]
    assert kit.fake.writes == []


@pytest.mark.parametrize("command", ["plan", "apply"])
def test_a_refused_item_is_an_error_when_nothing_else_changes(
    kit: DeskKit, command: str
) -> None:
    kit.fake.faults.append(Fault("getVisibilities", refused(403)))
    result = run(command, a_list(("S\u202e", "02", "X")), "--as-is")
    assert result.exit_code == 1
    assert (
        result.stderr
        == "Error: Refused, see above: 1 item. Nothing of list.csv was sent.\n"
    )
    assert lines(result)[0] == "S\\u202e / 02"
    assert (
        lines(result)[1]
        == "    refused The service refused it (403). It said: A title."
    )
    assert states(kit) == [JobState.CANCELLED]


def test_long_lists_of_recipients_and_failures_are_cut_short(kit: DeskKit) -> None:
    kit.fake.faults.extend(Fault("addVisibility", refused()) for _ in range(55))
    result = run(
        "apply", a_list(*(("S1", "02", f"R{n:02}") for n in range(55))), "--yes"
    )
    assert (
        "    add     R00, R01, R02, R03, R04, R05, R06, R07, R08, R09, and 45 more"
        in lines(result)
    )
    assert result.stdout.count(": refused. ") == 50
    assert "… and 5 more." in lines(result)


GLN = "9522000000015"
OTHER_GLN = "0952200000031"
WITHOUT_ZERO = "952200000031"
CUT = "9.52200E+12"


@pytest.mark.parametrize(
    ("options", "status", "rows", "added"),
    [
        ((), 1, ["Row 3", "Row 4"], []),
        (("--accept-suggestions",), 1, ["Row 4"], []),
        (("--as-is",), 2, [], [CUT, GLN, WITHOUT_ZERO]),
        (("--as-is", "--accept-suggestions"), 2, [], [OTHER_GLN, CUT, GLN]),
    ],
)
def test_damaged_ids_are_errors_unless_an_option_decides(
    kit: DeskKit,
    options: tuple[str, ...],
    status: int,
    rows: list[str],
    added: list[str],
) -> None:
    result = run(
        "plan",
        a_list(
            *(("S1", "02", recipient_id) for recipient_id in (GLN, WITHOUT_ZERO, CUT))
        ),
        *options,
    )
    assert result.exit_code == status
    assert re.findall("^Row .", result.stderr, re.MULTILINE) == rows
    assert re.findall("add     (.*)", result.stdout) == (
        [", ".join(sorted(added))] if added else []
    )
    assert kit.fake.writes == []


@pytest.mark.parametrize(
    ("header", "row", "options", "change"),
    [
        ((*HEADER, "action"), ("S1", "01", "A", "remove"), (), "    remove  A"),
        (HEADER, ("S1", "01", "A"), ("--action", "remove"), "    remove  A"),
        (
            ("supplier", "item"),
            ("S1", "01"),
            ("--action", "withdraw"),
            "    remove  A, B, C",
        ),
        (("item", "recipient"), ("02", "X"), ("--supplier", "S1"), "    add     X"),
        (
            (*HEADER, "Status"),
            ("S1", "02", "X", "Delete!"),
            ("--ignore-column", "d"),
            "    add     X",
        ),
        (
            ("supplier", "item", "Empfänger"),
            ("S1", "02", "ä"),
            ("--encoding", "cp1252", "--as-is"),
            "    add     Ã¤",
        ),
    ],
)
def test_options_supply_what_is_missing_in_the_file(
    kit: DeskKit,
    header: tuple[str, ...],
    row: tuple[str, ...],
    options: tuple[str, ...],
    change: str,
) -> None:
    result = run("plan", a_list(row, header=header), *options)
    assert result.exit_code == 2
    assert lines(result)[1] == change
    assert kit.fake.writes == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("plan", "nowhere.csv"),
        ("apply", "--bold"),
        ("export", "--format", "docs", "-o", "out.csv"),
        ("apply", "list.csv", "--failed", "failed.csv"),
    ],
)
def test_mistyped_arguments_are_errors_like_any_others(
    kit: DeskKit, arguments: tuple[str, ...]
) -> None:
    a_list(("S1", "01", "A"))
    result = run(*arguments)
    assert result.exit_code == 1
    assert result.stderr.startswith("Usage: ")
    assert kit.fake.calls == []


def test_applying_a_list_twice_changes_nothing_the_second_time(kit: DeskKit) -> None:
    name = a_list(("S1", "01", "A"), ("S1", "01", "X"), ("S1", "02", "Y"))
    first = run("apply", name, "--yes", "--reason", "new listing")
    writes = list(kit.fake.writes)
    second = run("apply", name, "--yes")
    assert first.exit_code == 0
    assert second.exit_code == 0
    assert lines(first)[-2:] == [
        "2 of 2 items: 2 verified · 1 already in place.",
        "Verified: everything is as in the list.",
    ]
    assert lines(second)[-1] == "Nothing to change: everything is as in the list."
    assert kit.fake.recipients_of(FIRST) == set("ABCX")
    assert kit.fake.recipients_of(SECOND) == set("AY")
    assert kit.fake.writes == writes
    assert [job.reason for job in kit.desk.bulk.store.jobs()] == ["", "new listing"]
    assert states(kit) == [JobState.CANCELLED, JobState.ENDED]


@pytest.mark.parametrize(
    ("typed", "status", "recipients"), [("y\n", 0, "AX"), ("n\n", 1, "A")]
)
def test_applying_asks_first(
    kit: DeskKit, typed: str, status: int, recipients: str
) -> None:
    result = run("apply", a_list(("S1", "02", "X")), typed=typed)
    assert result.exit_code == status
    assert "    add     X" in lines(result)
    assert kit.fake.recipients_of(SECOND) == set(recipients)


@pytest.mark.parametrize(
    ("options", "typed", "status", "recipients"),
    [
        (("--yes",), "", 1, "ABC"),
        (("--yes", "--confirm-removals", "3"), "", 1, "ABC"),
        (("--yes", "--confirm-removals", "2"), "", 0, "A"),
        (("--confirm-removals", "2"), "", 0, "A"),
        ((), "3\n", 1, "ABC"),
        ((), "2\n", 0, "A"),
    ],
)
def test_large_removals_need_their_number(
    kit: DeskKit, options: tuple[str, ...], typed: str, status: int, recipients: str
) -> None:
    result = run("apply", a_list(("S1", "01", "A")), "--prune", *options, typed=typed)
    assert result.exit_code == status
    assert ("Large removals would remove 2 recipients" in result.stderr) == bool(status)
    assert kit.fake.recipients_of(FIRST) == set(recipients)


def test_failed_rows_are_printed_and_can_be_applied_again(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("addVisibility", refused(), recipient_id="X"))
    result = run(
        "apply",
        a_list(("S1", "02", "X"), ("S1", "02", "Y")),
        "--yes",
        "--failed",
        "failed.xlsx",
    )
    assert result.exit_code == 1
    assert "S1 / 02 / X: refused. " in result.stdout
    assert "1 of 1 item: 2 rows: 1 verified · 1 refused." in lines(result)
    assert result.stderr == "Not verified: some rows failed.\n"
    assert [
        row.cells[:4] for row in read_table(Path("failed.xlsx").read_bytes()).rows
    ] == [("S1", "02", "X", "add")]
    again = run("apply", "failed.xlsx", "--yes", "--failed", "again.xlsx")
    assert again.exit_code == 0
    assert not Path("again.xlsx").exists()
    assert kit.fake.recipients_of(SECOND) == set("AXY")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (errno.ENOSPC, "Error: The output cannot be used: No space left on device.\n"),
        (errno.EPIPE, ""),
    ],
    ids=["a full disk", "a reader that stops early, such as head"],
)
def test_a_plan_that_cannot_be_printed_is_not_carried_out(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch, kind: int, words: str
) -> None:
    name = a_list(("S1", "02", "X"))
    monkeypatch.setattr(
        click, "echo", Mock(side_effect=OSError(kind, "No space left on device"))
    )
    result = run("apply", name, "--yes")
    assert result.exit_code == 1
    assert result.stderr == words
    assert kit.fake.writes == []
    assert states(kit) == [JobState.CANCELLED]


def test_a_file_that_cannot_be_written_is_an_error_before_anything_is_sent(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    denied = OSError(errno.EACCES, "Permission denied")
    name = a_list(("S1", "02", "X"))
    monkeypatch.setattr(Path, "open", Mock(side_effect=denied))
    result = run("apply", name, "--yes", "--failed", "failed.xlsx")
    assert result.exit_code == 1
    assert kit.fake.calls == []
    assert (
        result.stderr
        == "Error: failed.xlsx cannot be written: Permission denied. Nothing was "
        "sent.\n"
    )


def test_results_are_printed_even_if_the_disk_is_full(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit.fake.faults.append(Fault("addVisibility", refused()))
    failure = click.ClickException(
        "failed.xlsx cannot be written: No space left on device."
    )
    monkeypatch.setattr(job_output, "write_new", Mock(side_effect=failure))
    result = run("apply", a_list(("S1", "02", "X")), "--yes", "--failed", "failed.xlsx")
    assert result.stderr.splitlines() == [
        "Not verified: some rows failed.",
        f"Error: {failure.message}",
    ]


def test_a_file_is_written_as_a_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "out").touch()
    stream = MagicMock()
    stream.__enter__.return_value.write.side_effect = OSError(
        errno.ENOSPC, "No space left on device"
    )
    monkeypatch.setattr(Path, "open", Mock(return_value=stream))
    with pytest.raises(click.ClickException, match="out cannot be written: No space"):
        write_new(tmp_path / "out", b"content")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("apply", "list.csv", "--yes", "--failed", "there.xlsx"),
        ("plan", "list.csv", "--skipped", "there.xlsx"),
        ("export", "--format", "csv", "-o", "there.xlsx"),
    ],
)
def test_an_existing_file_is_never_overwritten(
    kit: DeskKit, arguments: tuple[str, ...]
) -> None:
    a_list(("S1", "02", "X"))
    Path("there.xlsx").write_text("mine", "utf-8")
    result = run(*arguments)
    assert result.exit_code == 1
    assert "File exists" in result.stderr
    assert Path("there.xlsx").read_text("utf-8") == "mine"
    assert kit.fake.calls == []


def test_a_read_only_environment_refuses_apply_before_anything_is_read(
    tmp_path: Path,
) -> None:
    environment = replace(TEST_ENVIRONMENT, is_read_only=True)
    with open_cli_kit(
        tmp_path, dispatcher=IdleWorker(), environment=environment
    ) as kit:
        name = a_list(("S1", "02", "X"))
        result = run("apply", name, "--yes")
        assert result.exit_code == 1
        assert "read-only" in result.stderr
        assert kit.fake.calls == []
        assert run("plan", name).exit_code == 2


NO_BAR = nullcontext(Mock())


@pytest.mark.parametrize(
    ("bars", "state", "words"),
    [
        (
            [NO_BAR, KeyboardInterrupt],
            JobState.PAUSED,
            "The job is paused. The next apply asks",
        ),
        ([KeyboardInterrupt], JobState.CANCELLED, "Aborted!"),
    ],
)
def test_ctrl_c_pauses_a_job_and_cancels_a_preview(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    bars: list[object],
    state: JobState,
    words: str,
) -> None:
    monkeypatch.setattr(job_output, "progress", Mock(side_effect=bars))
    with open_cli_kit(tmp_path, dispatcher=IdleWorker()) as kit:
        result = run("apply", a_list(("S1", "02", "X")), "--yes")
        assert result.exit_code == 1
        assert words in result.stderr
        assert states(kit) == [state]


def test_known_items_are_exported(kit: DeskKit) -> None:
    kit.records.directory[Kind.ITEM].put([NameRow(("S1", "01")), NameRow(("S2", "9"))])
    result = run("export", "--format", "csv", "-o", "all.csv")
    assert result.exit_code == 0
    assert lines(result) == [
        "3 rows of 2 items: written to all.csv.",
        "Items left out of the file because they have no recipients: 1.",
    ]
    assert run("plan", "all.csv", "--prune").exit_code == 0
    assert lines(
        run("export", "--format", "xlsx", "--supplier", "S1", "-o", "s1.xlsx")
    ) == ["3 rows of 1 item: written to s1.xlsx."]


def test_an_export_that_cannot_read_an_item_makes_no_file(kit: DeskKit) -> None:
    kit.records.directory[Kind.ITEM].put([NameRow(("S1", "01"))])
    kit.fake.faults.append(Fault("getVisibilities", refused(403)))
    result = run("export", "--format", "csv", "-o", "none.csv")
    assert result.exit_code == 1
    assert not Path("none.csv").exists()
    assert (
        "Item 01 of supplier S1 could not be read: The service refused it (403)."
        in result.stderr
    )


def test_characters_that_a_terminal_cannot_encode_are_escaped(kit: DeskKit) -> None:
    name = a_list(("S1", "02", "\U0001f600"))
    result = CliRunner(charset="cp1252").invoke(main, ["plan", name, "--as-is"])
    assert result.exit_code == 2
    assert lines(result)[1] == "    add     \\U0001f600"
    assert kit.fake.writes == []


JOB = a_job(state=JobState.READING, item_count=4)


def at(state: JobState, *, done: int = 0, message: str = "") -> Job:
    return replace(JOB, state=state, read_items=done, ended_items=done, message=message)


def course(*looks: Job, trouble: str = "") -> Mock:
    """Return bulk jobs whose job changes with each look.

    Its preview is not being read.
    """
    bulk = Mock(
        **{"job.side_effect": [JOB, *looks], "engine.is_at_work.return_value": False}
    )
    bulk.dispatcher.trouble = trouble
    bulk.dispatcher.is_at_work.side_effect = [look.state in UNDER_WAY for look in looks]
    return bulk


@pytest.mark.parametrize(
    ("looks", "words"),
    [
        (
            [at(JobState.PREVIEWED, done=3, message="The service is away.")],
            "1 of 4 items could not be read. The",
        ),
        ([at(JobState.CANCELLED, done=1)], r"3 of 4 items could not be read\.$"),
        ([at(JobState.READING, done=1)], r"3 of 4 items could not be read\.$"),
    ],
)
def test_a_preview_that_stops_is_an_error(looks: list[Job], words: str) -> None:
    with pytest.raises(NotPossibleError, match=words):
        wait_for_preview(course(*looks), JOB.key)


QUEUED = at(JobState.QUEUED)
ENDED = at(JobState.ENDED, done=4)
DOWN = at(JobState.WAITING, message="Down.")
SLOW = at(JobState.WAITING, message="Slow.")


@pytest.mark.parametrize(
    ("looks", "trouble", "printed"),
    [
        ([QUEUED, DOWN, DOWN, at(JobState.RUNNING), SLOW], "", "Down.\nSlow.\n"),
        ([QUEUED] * 40, "It cannot be done.", "It cannot be done.\n"),
        ([at(JobState.RUNNING)] * 2, "It cannot be done.", "It cannot be done.\n"),
    ],
)
def test_each_reason_for_a_wait_is_printed_once(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    looks: list[Job],
    trouble: str,
    printed: str,
) -> None:
    monkeypatch.setattr(job_output, "LOOK_AT_JOB_EVERY_S", 0.0)
    assert wait(course(*looks, ENDED, trouble=trouble), JOB.key, "Saving") == ENDED
    assert capsys.readouterr() == ("", printed)


def test_a_job_on_which_this_process_stops_to_work_is_an_error() -> None:
    bulk = course(at(JobState.RUNNING), trouble="Another command works on this job.")
    bulk.dispatcher.is_at_work.side_effect = [False]
    with pytest.raises(
        NotPossibleError, match=r"was interrupted\. Another command"
    ) as caught:
        wait(bulk, JOB.key, "Saving")
    assert "--resume" in caught.value.advice
