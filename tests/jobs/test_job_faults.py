"""The outcomes of a job's rows are true, whatever fails."""

from datetime import timedelta

import pytest

from item_visibility.model.outcome import Outcome
from tests.jobs.running import JobBench, asks, service
from tests.saving.saving import (
    FAILURE_IDS,
    FAILURES,
    FOR_GOOD,
    READS_AFTER,
    ErrorFactory,
    spoil,
)
from tests.support.fake_visibilities import START

BEFORE = frozenset("ABC")
GIVES_UP_AFTER = timedelta(minutes=5)
SO = {Outcome.DONE, Outcome.IN_PLACE}
UNTOUCHED = {Outcome.REFUSED, Outcome.NOT_SENT}


def stop_in_time(bench: JobBench) -> None:
    """Stop the engine when a job waits too long, as if the program was ended."""
    sleep = bench.fake.time.sleep

    def sleep_and_look(delay_s: float) -> None:
        sleep(delay_s)
        if bench.fake.time.now() > START + GIVES_UP_AFTER:
            bench.runner.engine.stop_all()

    bench.on_pause = sleep_and_look


def ended(bench: JobBench, outcomes: set[Outcome]) -> set[str]:
    return {
        recipient_id
        for recipient_id, outcome in bench.outcomes.items()
        if outcome in outcomes
    }


@pytest.mark.parametrize("reads", READS_AFTER)
@pytest.mark.parametrize("failure", FAILURES, ids=FAILURE_IDS)
def test_the_outcomes_of_a_job_are_true_whatever_fails(
    failure: tuple[ErrorFactory, bool], reads: str
) -> None:
    for times in (0, 1, FOR_GOOD):
        bench = JobBench(service(*BEFORE), asks(add="N", remove="A"))
        spoil(bench.fake, failure, times, reads)
        stop_in_time(bench)
        bench.run()
        now = bench.truth()
        assert ended(bench, SO) <= (now & {"N"}) | ({"A"} - now), times
        assert ended(bench, UNTOUCHED) & ((now - BEFORE) | (BEFORE - now)) == set(), (
            times
        )
