"""Combinations of options that contradict each other.

They are refused before anything is read.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from item_visibility.lists.reader import Encoding
from item_visibility.lists.writer import FileKind
from item_visibility.model.job import BulkAction


def refuse_contradictions(
    options: Mapping[str, Any],
    *,
    skipped: Path | None,
    failed: Path | None = None,
    confirm_removals: int | None = None,
) -> None:
    """Raise UsageError if the options of `plan` or `apply` contradict each other."""
    action = options["action"]
    columns = options["columns"]
    is_pruned = options["prune"]

    if is_pruned and action in {BulkAction.REMOVE, BulkAction.WITHDRAW}:
        raise click.UsageError(
            "--prune sets each item to the recipients in FILE, so it contradicts "
            f"--action {_word(action)}."
        )
    if is_pruned and "action" in columns:
        raise click.UsageError(
            "--prune cannot be used for a list with a column of actions."
        )
    if action is BulkAction.WITHDRAW and "recipient" in columns:
        raise click.UsageError(
            "--action withdraw removes all recipients, so no column may name "
            "recipients."
        )
    if action is BulkAction.ADD and not is_pruned and confirm_removals is not None:
        raise click.UsageError(
            "--action add removes nothing, so it contradicts --confirm-removals."
        )
    if columns and options["ignored"]:
        raise click.UsageError(
            "Write - in --columns for a column to ignore, and omit --ignore-column."
        )
    if (
        skipped is not None
        and failed is not None
        and skipped.absolute() == failed.absolute()
    ):
        raise click.UsageError("--skipped and --failed must name two files.")
    _refuse_sheet_of_text(options)


def refuse_contradictions_in_export(
    options: Mapping[str, Any], *, list_file: Path | None, kind: FileKind, file: Path
) -> None:
    """Raise UsageError if the options of `export` contradict each other."""
    if list_file is None:
        about_lists = {
            "--sheet": options["sheet"],
            "--hidden": options["hidden"],
            "--columns": options["columns"],
            "--encoding": options["encoding"] is not Encoding.UTF_8,
        }
        for name, value in about_lists.items():
            if value:
                raise click.UsageError(
                    f"{name} describes the file of --items, but --items is missing."
                )
    endings = {f".{other.value}" for other in FileKind if other is not kind}
    if file.suffix.lower() in endings:
        raise click.UsageError(
            f"--format {kind.value} contradicts the ending of {file}."
        )
    _refuse_sheet_of_text(options)


def refuse_contradictions_in_service(
    *,
    is_sample: bool,
    client_id: str,
    has_issuer: bool,
    audience: str,
    has_two_databases: bool,
) -> None:
    """Raise UsageError if the options of `service` contradict each other."""
    if is_sample and client_id:
        raise click.UsageError(
            "With --sample, the client is always 'demo', so omit --client-id."
        )
    if audience and not has_issuer:
        raise click.UsageError(
            "--audience is only checked in the tokens of an --issuer."
        )
    if has_two_databases:
        raise click.UsageError("Give --database-url or --database-url-file, not both.")


def _refuse_sheet_of_text(options: Mapping[str, Any]) -> None:
    if options["sheet"] is not None and options["encoding"] is not Encoding.UTF_8:
        raise click.UsageError(
            "--sheet is for workbooks, and --encoding for CSV files."
        )


def _word(action: BulkAction) -> str:
    return action.value.partition(" ")[0]
