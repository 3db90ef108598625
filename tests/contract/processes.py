"""Processes that tests kill while they work: `python -m tests.contract.processes`.

The input has lines "KIND BASE_URL AUTH_URL FOLDER DATABASE_URL MORE". For each line,
this forks a process of this kind. It prints the process id once the process works, and
later its exit status.
"""

import os
import random
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click
import pytest

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.cli.commands import main
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.token import ClientCredentials
from item_visibility.jobs import work_queue
from item_visibility.model.change import ChangeOperation, ChangeRequest
from item_visibility.model.job import JobState
from item_visibility.settings import Environment, Settings
from item_visibility.use_cases.desk import Desk
from tests.contract.quick_processes import fork_for_each_line, report_that_it_works
from tests.contract.wiring import apply_and_wait, previewed
from tests.support.desk import saved_on
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET, FaultService
from tests.support.quick_queue import hurry

# Imported before forking, once for all processes.
assert work_queue

ITEM = ItemKey("4000001000005", "04012345678901:276")
EVERYBODY = tuple(f"recipient-{number}" for number in range(6))
BEFORE = frozenset({"before"})
KEY = "of the other process"
MOST_SAVES = 60
KINDS = ("edit", "undo", "remove all")
HALF = 0.5


def settings_for(
    base_url: str, auth_url: str, folder: str, database_url: str
) -> Settings:
    environment = Environment(
        name="default",
        base_url=base_url,
        auth_url=auth_url,
        credentials=ClientCredentials(CLIENT_ID, CLIENT_SECRET),
    )
    return Settings(
        environments=(environment,), database_url=database_url, data_folder=Path(folder)
    )


def environ_for(
    base_url: str, auth_url: str, folder: str, database_url: str
) -> dict[str, str]:
    """Return the variables that give a command the settings of `settings_for`."""
    return {
        "ITEM_VISIBILITY_BASE_URL": base_url,
        "ITEM_VISIBILITY_AUTH_URL": auth_url,
        "ITEM_VISIBILITY_CLIENT_ID": CLIENT_ID,
        "ITEM_VISIBILITY_CLIENT_SECRET": CLIENT_SECRET,
        "ITEM_VISIBILITY_DATABASE_URL": database_url,
        "XDG_DATA_HOME": folder,
    }


def truth(service: FaultService) -> frozenset[str]:
    return service.fake.recipients_of(ITEM)


def additions(count: int) -> frozenset[str]:
    return frozenset(f"r{number:04}" for number in range(count))


def run_a_job(desk: Desk) -> None:
    apply_and_wait(desk, previewed(desk), JobState.RUNNING)
    report_that_it_works()


def make_a_save(desk: Desk, count: str) -> None:
    add = additions(int(count))
    request = ChangeRequest(
        KEY, ITEM, BEFORE, add, frozenset(), person="ada", confirmed_count=len(add)
    )
    desk.save(replace(request, environment=desk.environment.name))
    report_that_it_works()


def make_many_saves(desk: Desk, seed: str) -> None:
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    for number in range(MOST_SAVES):
        kind = "edit" if number == 0 else chance.choice(KINDS)
        request = request_of(desk, kind, chance, key=f"{seed}-{number}")
        if not request.is_empty:
            saved_on(desk, request)
        if number == 0:
            report_that_it_works()


def request_of(
    desk: Desk, kind: str, chance: random.Random, *, key: str
) -> ChangeRequest:
    reading = desk.read(ITEM)
    latest = desk.records.history.latest(ITEM)
    base = reading.recipients or frozenset()
    add = some_of(EVERYBODY, chance) - base
    remove = some_of(EVERYBODY, chance) & base
    request = ChangeRequest(key, ITEM, base, add, remove, person="")
    if kind == "undo" and latest is not None:
        request = desk.undo(latest.request.key, reading).request
    if kind == "remove all" and base:
        request = replace(
            request, add=frozenset(), remove=base, operation=ChangeOperation.REMOVE_ALL
        )
    return replace(request, confirmed_count=len(request.remove))


def some_of(recipients: tuple[str, ...], chance: random.Random) -> frozenset[str]:
    return frozenset(recipient for recipient in recipients if chance.random() < HALF)


def run_a_command(words: str, *line: str) -> None:
    """Run a command as a terminal does, in the folder of this line.

    Its output is thrown away.
    """
    os.environ.update(environ_for(*line))
    os.chdir(line[2])
    report_that_it_works()
    sys.stdout = sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  (until the kill)
    with suppress(click.exceptions.Exit, click.ClickException):
        main(words.split(","), standalone_mode=False)


WORK = {"job": run_a_job, "save": make_a_save, "saves": make_many_saves}


def work(
    kind: str, base_url: str, auth_url: str, folder: str, database_url: str, *more: str
) -> None:
    if kind == "command":
        run_a_command(*more, base_url, auth_url, folder, database_url)
        return
    WORK[kind](open_desk(settings_for(base_url, auth_url, folder, database_url)), *more)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    hurry(pytest.MonkeyPatch())
    fork_for_each_line(work)
