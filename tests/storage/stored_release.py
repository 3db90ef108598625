"""Stores sample databases of this version: `python -m tests.storage.stored_release`.

Run it once, from the released code. Every later version must be able to upgrade what it
stored.
"""

import re
import subprocess
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import insert

from item_visibility import __version__
from item_visibility.access.people import Person, Role
from item_visibility.client.call_records import CallRecord
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import ProblemDetail
from item_visibility.model.change import (
    ChangeKind,
    ChangeOperation,
    ChangeRequest,
    ChangeStep,
    Goal,
    plan_changes,
)
from item_visibility.model.job import (
    BulkItem,
    ItemPreview,
    Job,
    JobState,
    Outage,
    SkippedRow,
)
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.model.outcome import (
    OthersChanges,
    Outcome,
    SaveResult,
    StepResult,
    Verdict,
)
from item_visibility.model.read_item import ReadItem
from item_visibility.storage.database import Database
from item_visibility.storage.open_records import open_records
from item_visibility.storage.recipient_sets import StoredSet
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.storage.sign_outs import SignOuts
from item_visibility_service.store import SIGNING_KEY, Item, Store, open_database
from tests.storage import entries
from tests.support.postgres import find_programs, run_postgres

RELEASES = Path(__file__).parent / "releases"
SERVICE = "https://visibility.example.com/v1"
ENVIRONMENT = "production"
START = datetime.fromisoformat("2026-11-20T08:00:00+00:00")
ITEMS = tuple(
    ItemKey("9521000010000", f"09521000010017:{market}") for market in range(100, 106)
)
ODD = "\x00Müller & Köln \N{SHOPPING BAGS} \ud800"
"""Databases cannot store it unchanged: a NUL, and half of a surrogate pair."""
ADDED = (ODD, "9522000010007", "a")
NOT_A_SECRET = "the signing key of a sample, which no service uses"
ANN = Person(
    subject="ann-1",
    name="Ann Ames",
    role=Role.EDITOR,
    issuer="https://login.example.com",
    began_at=START,
    session="s1",
)


def main() -> None:
    folder = RELEASES / __version__
    folder.mkdir(parents=True)
    with run_postgres() as server:
        assert server is not None
        addresses = {
            "dashboard": (
                f"sqlite:///{folder / 'dashboard.db'}",
                server.create_database(),
            ),
            "service": (f"sqlite:///{folder / 'service.db'}", server.create_database()),
        }
        for url in addresses["dashboard"]:
            with closing(open_records(url)) as database:
                fill_dashboard(database)
        for url in addresses["service"]:
            engine = open_database(url)
            with engine.connect() as connection:
                connection.execute(
                    insert(SIGNING_KEY), {"only": 1, "secret": NOT_A_SECRET}
                )
            with closing(Store(engine)) as store:
                store.load(
                    {
                        Item("S", "I"): frozenset({"a", "Müller"}),
                        Item("S", "J"): frozenset({"b"}),
                    }
                )
        for name, (_, url) in addresses.items():
            (folder / f"{name}.sql").write_text(dump(url), encoding="utf-8")


def dump(url: str) -> str:
    """Return a database as SQL, without lines that only psql or PostgreSQL 17 reads."""
    programs = find_programs()
    assert programs is not None
    command = [
        programs / "pg_dump",
        "--inserts",
        "--no-owner",
        url.replace("+psycopg", ""),
    ]
    sql = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.sub(r"^(\\|SET transaction_timeout).*\n", "", sql, flags=re.MULTILINE)


def fill_dashboard(database: Database) -> None:
    """Put rows into every table, with every word that a column can contain."""
    records = ServiceRecords(database, service=SERVICE, environment=ENVIRONMENT)
    fill_directory(records)
    fill_history(records)
    fill_jobs(records)
    SignOuts(database).end(ANN, at=minute(1))
    SignOuts(database).end_every("ben@example.com")


def fill_directory(records: ServiceRecords) -> None:
    records.directory[Kind.SUPPLIER].put(
        [NameRow(("9521000010000",), "Harbour Mill Foods")]
    )
    records.directory[Kind.ITEM].put(
        [
            NameRow((item.supplier, item.supplier_item_id), "Oat biscuits", "100")
            for item in ITEMS
        ]
    )
    recipients = records.directory[Kind.RECIPIENT]
    recipients.put(
        [
            NameRow(("9522000010007",), "Le Panier"),
            NameRow(("gone",), "Gone"),
            NameRow((ODD,), "Odd"),
        ]
    )
    recipients.forget([("gone",)])
    records.sets.make(
        StoredSet("Märkte", frozenset({"9522000010007", ODD}), minute(3), "Ann Ames")
    )
    records.sets.make(StoredSet("Nobody", frozenset(), minute(4), "Ann Ames"))
    records.recents.remember_use(person=ANN.key, item=ITEMS[0], used_at=minute(5))


def fill_history(records: ServiceRecords) -> None:
    """Add saves of each kind, operation and verdict, and a change elsewhere.

    One save is settled later, and one is open.
    """
    for number, verdict in enumerate(Verdict):
        save(
            records,
            f"save-{verdict.value}",
            number,
            item=ITEMS[number],
            verdict=verdict,
        )
    save(
        records,
        "undo",
        10,
        kind=ChangeKind.UNDO,
        undo_of="save-verified",
        add=(),
        remove=ADDED,
    )
    save(records, "set", 11, operation=ChangeOperation.SET, add=("b", "c"))
    save(
        records,
        "remove-all",
        12,
        operation=ChangeOperation.REMOVE_ALL,
        add=(),
        remove=("b", "c"),
    )
    save(
        records, "job-running/0", 13, kind=ChangeKind.BULK, person="Ben Burke", base=()
    )
    records.history.record_result(
        "interrupted", begin(records, "interrupted", 14, item=ITEMS[3]), is_late=True
    )
    begin(records, "open", 15, item=ITEMS[5])
    for number, listed in enumerate(("ab", "bc")):
        at = minute(500 + 500 * number)
        read = ReadItem(
            item=ITEMS[4], recipients=frozenset(listed), asked_at=at, read_at=at
        )
        records.seen.record_reads([read])
    records.seen.record_failures({ITEMS[4]: "the service did not answer"})


def begin(  # noqa: PLR0913  (each test gives only a few)
    records: ServiceRecords,
    key: str,
    at: int,
    *,
    item: ItemKey = ITEMS[0],
    add: tuple[str, ...] = ADDED,
    remove: tuple[str, ...] = (),
    base: tuple[str, ...] = ("b",),
    person: str = "Ann Ames",
    kind: ChangeKind = ChangeKind.EDIT,
    operation: ChangeOperation = ChangeOperation.EDIT,
    undo_of: str | None = None,
) -> SaveResult:
    """Begin a save. Return its result if it ends well."""
    request = ChangeRequest(
        key,
        item,
        base=frozenset({*base, *remove}),
        add=frozenset(add),
        remove=frozenset(remove),
        person=person,
        reason="Agreed with the retailer",
        operation=operation,
        kind=kind,
        undo_of=undo_of,
        person_key=ANN.key,
    )
    plan = plan_changes(
        item,
        current=request.base or frozenset(),
        add=request.add,
        remove=request.remove,
    )
    records.history.begin(request, plan, started_at=minute(at))
    return SaveResult(
        item=item,
        verdict=Verdict.VERIFIED,
        steps=(
            *(StepResult(step, Outcome.DONE, attempts=1) for step in plan.steps),
            *(StepResult(step, Outcome.IN_PLACE) for step in plan.in_place),
        ),
        before=plan.current,
        after=request.wanted,
        started_at=minute(at),
        ended_at=minute(at + 0.5),
        exchanges=(
            CallRecord(
                "addVisibility",
                204,
                request_id="r1",
                method="PUT",
                path="/v1/x",
                sent_at=minute(at),
            ),
        ),
    )


def save(
    records: ServiceRecords,
    key: str,
    at: int,
    *,
    verdict: Verdict = Verdict.VERIFIED,
    **how: object,
) -> None:
    """Begin a save and record its result.

    If it is not verified, it has steps with all other outcomes.
    """
    result = begin(records, key, at, **how)  # type: ignore[arg-type]  (arguments of `begin`)
    if verdict is not Verdict.VERIFIED:
        problem = ProblemDetail(
            409, "Conflict", "Someone else changed it.", "/problems/1", "r2"
        )
        outcomes = (Outcome.REFUSED, Outcome.UNKNOWN, Outcome.NOT_SENT)
        steps = tuple(
            StepResult(
                step.step,
                outcome,
                2,
                problem if outcome is Outcome.REFUSED else None,
                "Not done.",
            )
            for step, outcome in zip(result.steps, outcomes, strict=True)
        )
        exchange = replace(
            result.exchanges[0], status=409, problem=problem, attempt=2, request_id="r2"
        )
        result = replace(
            result,
            verdict=verdict,
            steps=steps,
            after=None,
            others=OthersChanges(added=frozenset({"d"}), removed=frozenset({ODD})),
            message="Not all was saved.",
            advice="Try again.",
            exchanges=(*result.exchanges, exchange),
        )
    records.history.record_result(key, result)


def fill_jobs(records: ServiceRecords) -> None:
    jobs = records.jobs
    for state in JobState:
        if state is not JobState.RUNNING:
            jobs.create(
                a_job(f"job-{state.value}", state),
                [BulkItem(item=ITEMS[0], add=frozenset("a"))],
            )
    jobs.create(a_job("retry", JobState.PREVIEWED, retry_of="job-ended"), [])
    jobs.create(
        a_job("undo", JobState.QUEUED, undo_of="job-ended", applied_role=Role.ADMIN), []
    )
    outage = Outage("no answer came in time", minute(20), minute(21))
    state = JobState.WAITING
    message = outage.message
    jobs.move(
        "job-waiting",
        state,
        expected={state},
        at=minute(20),
        message=message,
        outage=outage,
    )
    many = frozenset(f"r{number}" for number in range(40))
    intents = [
        BulkItem(
            item=ITEMS[0],
            add=frozenset({"a", ODD}),
            remove=frozenset("b"),
            rows=((2, 3), (4,), (5,)),
        ),
        BulkItem(item=ITEMS[1], exactly=frozenset({"a"}), rows=((6,),)),
        BulkItem(item=ITEMS[2], add=frozenset("a")),
        BulkItem(item=ItemKey("9521000010000", "in place"), add=frozenset("a")),
        BulkItem(item=ItemKey("9521000010000", "not read"), add=frozenset("a")),
    ]
    skipped = [
        SkippedRow(
            number=7,
            supplier="?",
            supplier_item_id=ODD,
            recipients="a;b",
            action="",
            reason="No.",
        )
    ]
    jobs.create(a_job("job-running", JobState.READING, repeated=1), intents, skipped)
    lists = (frozenset("bcdef"), many, None, frozenset("a"))
    previews = {
        position: ItemPreview.of(
            intents[position],
            listed,
            read_at=minute(30),
            refusal="" if listed else "Unknown.",
        )
        for position, listed in enumerate(lists)
    }
    jobs.put_previews("job-running", previews)
    jobs.move(
        "job-running", JobState.PREVIEWED, expected={JobState.READING}, at=minute(31)
    )
    jobs.move(
        "job-running",
        JobState.RUNNING,
        expected={JobState.PREVIEWED},
        at=minute(32),
        reason="New season",
        confirmed_count=39,
        applied_role=Role.EDITOR,
    )
    rows = [
        StepResult(ChangeStep(f"r{number}", goal), outcome, message="So it ended.")
        for number, (goal, outcome) in enumerate(
            (goal, outcome) for goal in Goal for outcome in Outcome
        )
    ]
    jobs.end_item("job-running", 1, rows)
    records.scans.begin_scan(a_job("scan", JobState.READING), None)


def a_job(key: str, state: JobState, **fields: object) -> Job:
    job = entries.a_job(
        key, title="Häfen.xlsx", person="Ann Ames", state=state, person_key=ANN.key
    )
    return replace(job, created_at=START, **fields)  # type: ignore[arg-type]  (fields of a job)


def minute(number: float) -> datetime:
    return START + timedelta(minutes=number)


if __name__ == "__main__":
    main()
