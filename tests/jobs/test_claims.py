"""No row of a job claims what is not so, whatever fails: the fault matrix of jobs."""

from datetime import timedelta

import pytest

from item_visibility.saving.outcome import Outcome
from tests.jobs.running import JobBench, asks, item_number
from tests.support.fake_visibilities import START
from tests.support.fault_matrix import ADD, ONE_STEP, READS_AFTER, REMOVE, TWO_STEPS, named_fault, wired
from tests.support.wire import WireClient, WireFault

BEFORE = frozenset("ABC")
GIVES_UP_AFTER = timedelta(minutes=5)
SO = {Outcome.DONE, Outcome.IN_PLACE}
UNTOUCHED = {Outcome.REFUSED, Outcome.NOT_SENT}


def stop_in_time(bench: JobBench) -> None:
    """Let somebody end the program when a job waits for too long."""
    sleep = bench.fake.time.sleep

    def sleep_and_look(delay_s: float) -> None:
        sleep(delay_s)
        if bench.fake.time.now() > START + GIVES_UP_AFTER:
            bench.runner.engine.stop_all()

    bench.on_pause = sleep_and_look


def ended(bench: JobBench, outcomes: set[Outcome]) -> set[str]:
    """The recipients whose rows ended in one of these ways."""
    return {recipient_id for recipient_id, outcome in bench.outcomes.items() if outcome in outcomes}


@pytest.mark.parametrize("reads", READS_AFTER)
@pytest.mark.parametrize("faults", [(), *ONE_STEP[ADD], *ONE_STEP[REMOVE], *TWO_STEPS], ids=named_fault)
def test_a_job_claims_only_what_is_so(faults: tuple[WireFault, ...], reads: str) -> None:
    wire = wired({item_number(0): BEFORE}, faults, reads)
    bench = JobBench(WireClient(wire), asks(add="N", remove="A"))
    stop_in_time(bench)
    bench.run()
    now = bench.truth()
    assert ended(bench, SO) <= (now & {"N"}) | ({"A"} - now)
    assert ended(bench, UNTOUCHED) & ((now - BEFORE) | (BEFORE - now)) == set()
