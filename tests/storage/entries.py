"""History entries, made as saves make them, and jobs."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.change import ChangeKind, plan_changes
from item_visibility.model.job import Job, JobState
from item_visibility.model.outcome import (
    OthersChanges,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
)
from item_visibility.storage.history import History
from tests.support.desk import a_request
from tests.support.fake_visibilities import START

ITEM = ItemKey("4000001000005", "04012345678901:276")
OTHER_ITEM = ItemKey("4000001000005", "04012345678918:040")


def minute(number: float) -> datetime:
    return START + timedelta(minutes=number)


def begin(  # noqa: PLR0913  (each test gives only a few)
    history: History,
    key: str,
    *,
    at: float = 0,
    item: ItemKey = ITEM,
    before: Iterable[str] = (),
    add: Iterable[str] = (),
    remove: Iterable[str] = (),
    person: str = "ann",
    kind: ChangeKind = ChangeKind.EDIT,
) -> SaveResult:
    """Begin a save at that minute. Return its result if it ends well and at once."""
    request = replace(
        a_request(item, key=key, base=before, add=add, remove=remove),
        person=person,
        kind=kind,
    )
    plan = plan_changes(
        item, current=frozenset(before), add=request.add, remove=request.remove
    )
    history.begin(request, plan, started_at=minute(at))
    return SaveResult(
        item=item,
        verdict=Verdict.VERIFIED,
        steps=tuple(StepResult(step, Outcome.DONE, attempts=1) for step in plan.steps),
        others=OthersChanges(),
        before=plan.current,
        after=(plan.current | request.add) - request.remove,
        started_at=minute(at),
        ended_at=minute(at),
    )


def save(history: History, key: str, **how: Any) -> None:  # noqa: ANN401  (arguments of `begin`)
    history.record_result(key, begin(history, key, **how))


def a_job(key: str = "job-1", **fields: Any) -> Job:  # noqa: ANN401  (fields of a job)
    """Return a previewed job without an item, unless `fields` change this."""
    job = Job(
        key=key,
        title="List.xlsx",
        person="ann",
        reason="",
        state=JobState.PREVIEWED,
        created_at=START,
        item_count=0,
    )
    return replace(job, **fields)
