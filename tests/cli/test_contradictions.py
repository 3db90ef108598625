"""Options that contradict each other are refused before anything is read.

Redundant options are used.
"""

from pathlib import Path
from unittest.mock import Mock

import pytest

from item_visibility.cli import plan_apply_export, serve
from tests.cli.conftest import FIRST, a_file, run
from tests.support.desk import DeskKit


@pytest.mark.parametrize("command", ["plan", "apply"])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--action remove --prune", "so it contradicts --action remove."),
        ("--action withdraw --prune", "so it contradicts --action withdraw."),
        (
            "--prune --columns supplier,item,recipient,action",
            "a list with a column of actions.",
        ),
        (
            "--action withdraw --columns supplier,item,recipient",
            "so no column may name recipients.",
        ),
        ("--columns supplier,item,- --ignore-column C", "omit --ignore-column."),
        (
            "--sheet List --encoding cp1252",
            "--sheet is for workbooks, and --encoding for CSV files.",
        ),
    ],
)
def test_contradicting_options_of_a_list_are_refused(
    kit: DeskKit,
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    options: str,
    words: str,
) -> None:
    opened = Mock()
    monkeypatch.setattr(plan_apply_export, "opened_desk", opened)
    result = run(command, a_file("S1,01,R9\n"), *options.split())
    assert result.exit_code == 1
    assert result.stderr.startswith("Usage: ")
    assert words in result.stderr
    assert opened.mock_calls == []
    assert kit.fake.calls == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--action add --confirm-removals 2", "so it contradicts --confirm-removals."),
        ("--failed rows.xlsx --skipped ./rows.xlsx", "must name two files."),
    ],
)
def test_contradicting_options_of_apply_are_refused(
    kit: DeskKit, options: str, words: str
) -> None:
    result = run(
        "apply",
        "--yes",
        a_file("supplier,item,recipient\nS1,01,R9\n"),
        *options.split(),
    )
    assert result.exit_code == 1
    assert result.stderr.startswith("Usage: ")
    assert words in result.stderr
    assert kit.fake.calls == []


@pytest.mark.parametrize(
    ("options", "recipients"),
    [
        ("--action set --prune --confirm-removals 3", {"R9"}),
        ("--action add --prune --confirm-removals 3", {"R9"}),
        ("--action add --hidden skip --skipped rows.xlsx", {"A", "B", "C", "R9"}),
        ("--accept-suggestions --as-is", {"A", "B", "C", "R9"}),
        ("--supplier S1", {"A", "B", "C", "R9"}),
    ],
)
def test_redundant_options_are_used(
    kit: DeskKit, options: str, recipients: set[str]
) -> None:
    name = a_file("supplier,item,recipient\nS1,01,R9\n")
    assert run("apply", "--yes", name, *options.split()).exit_code == 0
    assert kit.fake.recipients_of(FIRST) == recipients


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            "--sheet List",
            "--sheet describes the file of --items, but --items is missing.",
        ),
        ("--hidden skip", "--hidden describes the file of --items"),
        ("--encoding cp1252", "--encoding describes the file of --items"),
        ("--columns item,supplier", "--columns describes the file of --items"),
        ("-o out.csv", "--format xlsx contradicts the ending of out.csv."),
        ("--items list.csv --sheet List --encoding cp1252", "--sheet is for workbooks"),
    ],
)
def test_contradicting_options_of_export_are_refused(
    kit: DeskKit, options: str, words: str
) -> None:
    a_file("item\n01\n")
    result = run("export", "--format", "xlsx", "-o", "out.xlsx", *options.split())
    assert result.exit_code == 1
    assert result.stderr.startswith("Usage: ")
    assert words in result.stderr
    assert list(Path().glob("out.*")) == []
    assert kit.fake.calls == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--sample --client-id us", "omit --client-id."),
        (
            "--sample --audience items",
            "--audience is only checked in the tokens of an --issuer.",
        ),
        (
            "--client-id us --client-secret-file secret --audience items",
            "--audience is only checked",
        ),
        (
            "--sample --database-url sqlite:///a --database-url-file b",
            "--database-url-file, not both.",
        ),
        (
            "--sample --issuer https://login.example.com",
            "Give one of --sample, --issuer",
        ),
    ],
)
def test_contradicting_options_of_the_service_are_refused(
    monkeypatch: pytest.MonkeyPatch, options: str, words: str
) -> None:
    reads = [Mock(), Mock()]
    monkeypatch.setattr(serve, "require_free", reads[0])
    monkeypatch.setattr(serve, "read_secret_file", reads[1])
    result = run("service", *options.split())
    assert result.exit_code == 1
    assert result.stderr.startswith("Usage: ")
    assert words in result.stderr
    assert [read.mock_calls for read in reads] == [[], []]
