"""After a kill of `apply`, nothing is written until a person decides about its job.

`--thorough` or `KILLS=20` tries more random moments on each database.
"""

import csv
import logging
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from click.testing import Result

from item_visibility.bootstrap.open_desk import Use, open_desk
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.operations import GET_VISIBILITIES
from item_visibility.model.job import BEGUN, BulkItem, Job, JobState
from item_visibility.model.outcome import Outcome
from tests.cli.conftest import run
from tests.contract.processes import environ_for, settings_for
from tests.contract.quick_processes import Nursery, wait_until_quiet
from tests.contract.wiring import apply_and_wait, rows, wait_for_preview
from tests.support.desk import wait_until
from tests.support.fault_service import Call, FaultKind, FaultService
from tests.support.quick_queue import quick_queue
from tests.support.thorough import how_many
from tests.support.waiting import HeldCalls

__all__ = ["quick_queue"]

pytestmark = pytest.mark.contract
logger = logging.getLogger(__name__)

KILLS = range(how_many(usual=1, thorough=100, variable="KILLS"))
CALLS = 140
"""A kill comes after at most this many calls.

An `apply` reads 24 items, and then saves each with 5 calls.
"""
CALL_S = 0.01
SUPPLIER = "4000001000005"
ITEMS = tuple(ItemKey(SUPPLIER, f"item-{number}") for number in range(24))
OTHER = ItemKey(SUPPLIER, "item-99")
OF_PAGE = ItemKey(SUPPLIER, "item-of-the-page")
BEFORE = frozenset({"r-1", "r-2", "r-3", "r-4", "r-5"})
ADD = frozenset({"n-1", "n-2"})
REMOVE = frozenset({"r-1"})
AFTER = (BEFORE | ADD) - REMOVE
ROWS = Counter(product(range(len(ITEMS)), ADD | REMOVE, [Outcome.DONE]))
NEW = "n-9"
"""The recipient that the edited list, the other list and the Bulk page add."""
FILE = "list.csv"
LEFT_ALONE = (
    ("plan", FILE),
    ("export", "--items", FILE, "--format", "csv", "-o", "export.csv"),
    ("doctor",),
)
Line = tuple[str, ...]


def write_list(name: str, lines: Sequence[tuple[ItemKey, str, str]]) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("supplier", "item", "recipient", "action"))
        writer.writerows(
            (item.supplier, item.supplier_item_id, *change) for item, *change in lines
        )


def write_first_list() -> None:
    changes = [(one, "add") for one in sorted(ADD)] + [
        (one, "remove") for one in sorted(REMOVE)
    ]
    write_list(FILE, [(item, *change) for item in ITEMS for change in changes])


def take_a_moment(_call: Call) -> FaultKind | None:
    """Let every call succeed, after a short pause."""
    time.sleep(CALL_S)
    return None


def writes(service: FaultService) -> list[Call]:
    return [call for call in service.log if call.operation != GET_VISIBILITIES.name]


def lists(service: FaultService) -> list[frozenset[str]]:
    return [service.fake.recipients_of(item) for item in ITEMS]


def killed_job(line: Line) -> Job | None:
    """Return the job of the killed command, if it got that far."""
    with closing(open_desk(settings_for(*line), use=Use.LOOK)) as desk:
        return next(iter(desk.bulk.store.jobs(limit=1)), None)


def run_on(line: Line, *arguments: str) -> Result:
    return run(*arguments, environ=environ_for(*line))


@pytest.fixture
def killed(
    nursery: Nursery,
    service: FaultService,
    line: Line,
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> Job | None:
    """Kill an `apply` at a random moment, and return its job."""
    monkeypatch.chdir(line[2])
    for item in (*ITEMS, OTHER, OF_PAGE):
        service.fake.put(item, BEFORE)
    service.choose_fault = take_a_moment
    write_first_list()
    chance = random.Random(seed)  # noqa: S311  (repeatable on purpose)
    calls = chance.randint(0, CALLS)
    process_id = nursery.begin("command", *line, f"apply,{FILE},--yes")
    wait_until(lambda: len(service.log) >= calls)
    time.sleep(chance.uniform(0, 2 * CALL_S))
    nursery.kill(process_id)
    wait_until_quiet(service)
    job = killed_job(line)
    moment = (
        "no job"
        if job is None
        else f"{job.state}, {job.ended_items} of {job.item_count} items done"
    )
    logger.info(
        "Killed after %s calls and %s writes: %s",
        len(service.log),
        len(writes(service)),
        moment,
    )
    return job


def is_interrupted(job: Job | None) -> bool:
    return job is not None and job.state in BEGUN


@pytest.mark.parametrize("option", ["--resume", "--drop"])
@pytest.mark.parametrize("seed", KILLS)
def test_nothing_unasked_is_written_after_a_kill(
    service: FaultService, line: Line, killed: Job | None, option: str
) -> None:
    at_kill = lists(service)
    asked_before = writes(service)
    if is_interrupted(killed):
        assert killed is not None
        assert what_wrote_unasked(service, line) == []
    assert wrote_for_the_page(service, line) == {OF_PAGE}
    assert lists(service) == at_kill

    write_list(FILE, [(ITEMS[0], NEW, "add")])
    result = run_on(line, "apply", FILE, "--yes", option)

    first = lists(service)
    is_finished = is_interrupted(killed) and option == "--resume"
    expected = [AFTER] * len(ITEMS) if is_finished else list(at_kill)
    expected[0] |= {NEW}
    assert result.exit_code == 0, result.output
    assert first == expected
    assert ("was interrupted: " in result.stdout) == is_interrupted(killed)
    assert (
        "No earlier apply of yours was interrupted." in result.stdout
    ) != is_interrupted(killed)
    assert state_of(line, killed) in expected_states(killed, option)
    assert not is_finished or results_of(line, killed) == ROWS
    assert {call.item for call in writes(service)[len(asked_before) :]} <= {
        *ITEMS,
        OF_PAGE,
    }


def test_an_apply_that_runs_is_not_called_interrupted(
    nursery: Nursery, service: FaultService, line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(line[2])
    for item in (*ITEMS, OTHER):
        service.fake.put(item, BEFORE)
    held = HeldCalls(
        lambda call: call.operation != GET_VISIBILITIES.name and call.item in ITEMS
    )
    service.choose_fault = held
    write_first_list()
    write_list("another.csv", [(OTHER, NEW, "add")])
    process_id = nursery.begin("command", *line, f"apply,{FILE},--yes")
    held.wait()
    result = run_on(line, "apply", "another.csv", "--yes", "--resume")
    nursery.kill(process_id)
    held.let_go()
    wait_until_quiet(service)
    assert result.exit_code == 0
    assert "No earlier apply of yours was interrupted." in result.stdout
    assert service.fake.recipients_of(OTHER) == BEFORE | {NEW}
    assert "was interrupted: " in run_on(line, "plan", FILE).stderr


def what_wrote_unasked(service: FaultService, line: Line) -> list[Sequence[str]]:
    """Run commands that nobody asked to continue the first list.

    Return those that wrote anything.
    """
    wrote = []
    write_list("another.csv", [(OTHER, NEW, "add")])
    applies = [
        ("apply", FILE, "--yes"),
        ("apply", "another.csv", "--yes"),
        ("apply", "another.csv"),
    ]
    for arguments in (*LEFT_ALONE, *applies):
        before = len(writes(service))
        result = run_on(line, *arguments)
        if len(writes(service)) != before:
            wrote.append(arguments)
        is_told = "was interrupted: " in result.stderr
        assert is_told == (arguments[0] in {"plan", "apply"}), (
            arguments,
            result.output,
        )
        assert (result.exit_code == 1) == (arguments[0] == "apply"), (
            arguments,
            result.output,
        )
    write_list(FILE, [(ITEMS[0], NEW, "add")])
    before = len(writes(service))
    edited = run_on(line, "apply", FILE, "--yes")
    assert edited.exit_code == 1
    assert "--resume" in edited.stderr
    assert "--drop" in edited.stderr
    return [*wrote, *([("edited",)] if len(writes(service)) != before else [])]


def wrote_for_the_page(service: FaultService, line: Line) -> set[ItemKey]:
    """Open a dashboard and apply a job of its Bulk page.

    Return the items that were changed meanwhile.
    """
    before = len(writes(service))
    with closing(open_desk(settings_for(*line))) as desk:
        intents = [BulkItem(item=OF_PAGE, add=frozenset({NEW}))]
        key = wait_for_preview(
            desk, desk.bulk.start_preview(intents, title="of the page")
        )
        apply_and_wait(desk, key, JobState.ENDED)
        desk.bulk.dispatcher.look()
    return {call.item for call in writes(service)[before:]}


def state_of(line: Line, job: Job | None) -> JobState | None:
    with closing(open_desk(settings_for(*line), use=Use.LOOK)) as desk:
        found = None if job is None else desk.bulk.store.job(job.key)
        return None if found is None else found.state


def expected_states(job: Job | None, option: str) -> set[JobState | None]:
    if job is None:
        return {None}
    if not is_interrupted(job):
        return {job.state}
    return {JobState.ENDED if option == "--resume" else JobState.CANCELLED}


def results_of(line: Line, job: Job | None) -> Counter[tuple[int, str, Outcome]]:
    with closing(open_desk(settings_for(*line), use=Use.LOOK)) as desk:
        return Counter() if job is None else rows(desk, job.key)
