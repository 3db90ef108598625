"""Asks what to do about an `apply` that was interrupted, before another one begins."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path

import click

from item_visibility.cli.job_output import finish
from item_visibility.errors import ItemVisibilityError
from item_visibility.model.job import Job
from item_visibility.model.words import many, one_line
from item_visibility.use_cases.bulk import BulkDesk


class Decision(StrEnum):
    """What to do about all interrupted jobs."""

    RESUME = "continue"
    DROP = "drop"
    CANCEL = "cancel"


def interrupted_words(job: Job) -> str:
    """Return the sentence about an interrupted job."""
    done = f"{job.ended_items:,} of {many(job.item_count, 'item')} done"
    return f"An earlier apply of {one_line(job.title)} was interrupted: {done}."


def decide_about_interrupted(
    bulk: BulkDesk,
    name: str,
    *,
    is_to_resume: bool,
    is_to_drop: bool,
    failed: Path | None,
) -> bool:
    """Continue or drop the current user's interrupted jobs, oldest first.

    This happens before the file `name` is read. Return True if jobs were continued.
    Without an option, ask on a terminal. Raises ClickException when nothing decides, or
    when a job that was continued is not verified at the end: then the file must not be
    applied.
    """
    jobs = bulk.interrupted()
    if not jobs:
        if is_to_resume or is_to_drop:
            click.echo("No earlier apply of yours was interrupted.")
        return False

    decision = _decision(jobs, is_to_resume=is_to_resume, is_to_drop=is_to_drop)
    if decision is Decision.CANCEL:
        raise click.ClickException("Nothing was sent.")
    for job in jobs:
        if decision is Decision.RESUME:
            _resume(bulk, job, name, failed)
        else:
            _drop(bulk, job)
    return decision is Decision.RESUME


@contextmanager
def errors_about(name: str, *, is_after_another: bool) -> Iterator[None]:
    """Say before an error that it is only about this file.

    This is needed if an earlier job was continued before it.
    """
    try:
        yield
    except (click.ClickException, ItemVisibilityError):
        if is_after_another:
            click.echo(
                f"The earlier apply is finished. This is only about {one_line(name)}:",
                err=True,
            )
        raise


def _decision(jobs: Sequence[Job], *, is_to_resume: bool, is_to_drop: bool) -> Decision:
    sentences = "\n".join(map(interrupted_words, jobs))
    if not is_to_resume and not is_to_drop and not is_on_a_terminal():
        raise click.ClickException(
            f"{sentences}\nNothing was sent. Give --resume to finish it first, or "
            "--drop to give it up."
        )
    click.echo(sentences)
    if is_to_resume:
        return Decision.RESUME
    if is_to_drop:
        return Decision.DROP

    question = "Continue all, drop all, or cancel?"
    if len(jobs) == 1:
        question = "Continue it, drop it, or cancel?"
    choices = click.Choice([decision.value for decision in Decision])
    return Decision(click.prompt(question, type=choices, default=Decision.CANCEL.value))


def is_on_a_terminal() -> bool:
    """Return True if a person can answer a question."""
    return sys.stdin.isatty()


def _resume(bulk: BulkDesk, job: Job, name: str, failed: Path | None) -> None:
    click.echo(f"Continuing {one_line(job.title)}.")
    bulk.continue_interrupted(job.key)
    if not finish(bulk, job.key, failed):
        raise click.ClickException(
            f"Because of this, {one_line(name)} was not applied."
        )


def _drop(bulk: BulkDesk, job: Job) -> None:
    bulk.drop_interrupted(job.key)
    click.echo(f"Dropped {one_line(job.title)}. What it has changed is kept.")
