"""`plan` and `apply` claim nothing that is not so, whatever fails: the fault matrix of the command line."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from item_visibility.cli import plan_and_apply
from item_visibility.cli.commands import main
from item_visibility.lists.writer import write_csv
from tests.support.claims import Facts, false_claims
from tests.support.desk import ITEM, DeskKit, open_kit
from tests.support.fault_matrix import (
    ADD,
    NO_TOKEN,
    READS_AFTER,
    REMOVE,
    TWO_STEPS,
    UNREAD,
    for_ever,
    named_fault,
    wired,
)
from tests.support.job_engine import InlineEngine
from tests.support.wire import Wire, WireClient, WireFault, WireKind

BEFORE = frozenset("ABC")

CELLS: list[tuple[tuple[WireFault, ...], str]] = [
    *product([()], READS_AFTER),
    *product([for_ever(REMOVE, WireKind.TIMEOUT, is_applied=True)], READS_AFTER),
    *product([for_ever(ADD, kind) for kind in WireKind], ["right"]),
    *product(TWO_STEPS, ["late"]),
    *product(NO_TOKEN, ["right"]),
]


@pytest.fixture
def wire(faults: tuple[WireFault, ...], reads: str) -> Wire:
    """The service of a case."""
    return wired({ITEM: BEFORE}, faults, reads)


@pytest.fixture
def kit(tmp_path: Path, wire: Wire, monkeypatch: pytest.MonkeyPatch) -> Iterator[DeskKit]:
    """The desk that the command opens, on the real client."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(plan_and_apply, "LOOK_AT_JOB_EVERY_S", 0.001)
    engine = InlineEngine()
    with open_kit(tmp_path, fake=WireClient(wire), engine=engine) as kit:
        engine.work_for(kit)
        monkeypatch.setattr(plan_and_apply, "open_desk", lambda *_, **__: kit.desk)
        yield kit


def applied(wire: Wire, *changes: tuple[str, str]) -> tuple[Result, Facts]:
    """Run the command on a list of these (recipient, action); return its result and the facts."""
    rows = [(ITEM.supplier, ITEM.supplier_item_id, *change) for change in changes]
    Path("list.csv").write_bytes(write_csv(("supplier", "item", "recipient", "action"), rows))
    result = CliRunner().invoke(main, ["apply", "list.csv", "--yes"])
    asked = {action: frozenset(who for who, its in changes if its == action) for action in ("add", "remove")}
    return result, Facts(asked["add"], asked["remove"], BEFORE, wire.fake.recipients_of(ITEM))


@pytest.mark.usefixtures("kit")
@pytest.mark.parametrize(("faults", "reads"), CELLS, ids=named_fault)
def test_apply_claims_only_what_is_so(wire: Wire) -> None:
    """One recipient is added and one removed; status 0 means that both are so."""
    result, facts = applied(wire, ("N", "add"), ("A", "remove"))
    assert false_claims(result.output.splitlines(), facts) == []
    assert facts.is_all_so or result.exit_code != 0
    assert isinstance(result.exception, SystemExit | None)


@pytest.mark.usefixtures("kit")
@pytest.mark.parametrize(("faults", "reads"), [(faults, "right") for faults in UNREAD], ids=named_fault)
def test_removals_from_what_was_not_read_do_not_end_well(wire: Wire) -> None:
    """A page of a gateway is not an item that nobody can see: there would be nothing to remove."""
    result, facts = applied(wire, ("A", "remove"))
    assert false_claims(result.output.splitlines(), facts) == []
    assert (result.exit_code, wire.fake.writes) == (1, [])
