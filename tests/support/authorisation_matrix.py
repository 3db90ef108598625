"""Rights of people: every use case that reads the service or writes anything, tried by each kind of person.

`python -m tests.support.authorisation_matrix` prints the table.
"""
# ruff: noqa: T201  (it prints a table)

import inspect
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import Mock

from item_visibility.access.access import Person, Role
from item_visibility.bootstrap.embedded_demo import EmbeddedDemo
from item_visibility.errors import ItemVisibilityError, RoleError, SignInError
from item_visibility.lists.writer import FileKind
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import ItemPreview, Job, JobState
from item_visibility.saving.request import ChangeKind, Origin
from item_visibility.storage.directory import Kind, NameRow, StoredSet
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.use_cases.demo import DemoSwitches
from item_visibility.use_cases.exports import ExportRun
from item_visibility_service.switches import Switches
from tests.support.databases import empty_records
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit, a_request, ended_save, open_kit, wait_until
from tests.support.fake_visibilities import START
from tests.support.kinds_of_people import ISSUER, PEOPLE, SIGNED_OUT, SOMEBODY_ELSE, SUBJECT
from tests.support.looking_use_cases import LOOKING

CAN, CANNOT, LEAKED = "yes", "no", "LEAKED"
A_READING = ReadItem(item=ITEM, recipients=frozenset("A"), asked_at=START, read_at=START)
SOME_CHANGE = BulkItem(item=ITEM, add=frozenset("Z"))
OWN_JOBS = (
    *("apply", "cancel", "pause"),
    *("reread", "resume", "retry_failed", "undo"),
)


@dataclass(slots=True)
class Scene:
    """A desk where everything that can be done is prepared, and who asks there now."""

    kit: DeskKit
    records: sqlite3.Connection
    demo: EmbeddedDemo
    service_of_demo: Mock

    def state(self) -> tuple[object, ...]:
        """Return what every change changes: the version of our records, and what reached the service."""
        version = self.records.execute("PRAGMA data_version").fetchone()
        demo = self.service_of_demo
        return version, len(self.kit.fake.writes), len(demo.mock_calls), demo.switches

    def save(self, origin: Origin, **changes: set[str]) -> None:
        """Save changes to the item, and wait for the end."""
        key = f"{origin.kind.value}-{'-'.join(changes)}"
        request = a_request(ITEM, key=key, base=self.kit.fake.recipients_of(ITEM), **changes)
        removed = len(request.remove)
        self.kit.desk.save(replace(request, origin=origin, role=None, confirmed_count=removed or None))
        ended_save(self.kit.worker, key)


@dataclass(frozen=True, slots=True)
class UseCase:
    """Something that somebody may want to do, and the role that it needs."""

    needed: Role
    do: Callable[[Scene], object]


def _cases() -> dict[str, UseCase]:
    """Return every use case that reads the service or writes anything, by its place on the desk."""
    view, edit, admin = Role.VIEWER, Role.EDITOR, Role.ADMIN
    cases = {
        "read": UseCase(view, lambda s: s.kit.desk.read(OTHER_ITEM)),
        "items_of": UseCase(view, lambda s: s.kit.desk.items_of(ITEM.supplier)),
        "exports.of_reading": UseCase(view, lambda s: s.kit.desk.exports.of_reading(A_READING, FileKind.CSV)),
        "settle": UseCase(view, lambda s: s.kit.desk.settle(OTHER_ITEM)),
        "connection.glance": UseCase(view, lambda s: s.kit.desk.connection.glance()),
        "connection.examine": UseCase(view, lambda s: s.kit.desk.connection.examine(None)),
        "exports.export": UseCase(view, lambda s: s.kit.desk.exports.export([ITEM], FileKind.CSV)),
        "exports.start": UseCase(view, lambda s: _ended(s.kit.desk.exports.start([ITEM], FileKind.CSV))),
        "scans.start": UseCase(view, lambda s: s.kit.desk.scans.start(None)),
        "scans.resume": UseCase(view, lambda s: s.kit.desk.scans.resume(None)),
        "scans.cancel": UseCase(view, lambda s: s.kit.desk.scans.cancel(None)),
        "directory.write_names": UseCase(
            view, lambda s: s.kit.desk.directory.write_names(Kind.ITEM, FileKind.CSV)
        ),
        "sets.write_sets": UseCase(view, lambda s: s.kit.desk.sets.write_sets(FileKind.CSV)),
        "save": UseCase(edit, lambda s: s.save(Origin(), add={"C"})),
        "save (undo)": UseCase(edit, lambda s: s.save(Origin(kind=ChangeKind.UNDO), remove={"C"})),
        "sets.make": UseCase(edit, lambda s: s.kit.desk.sets.make("new", "R")),
        "sets.put_in": UseCase(edit, lambda s: s.kit.desk.sets.put_in("filled", "Q")),
        "sets.take_out": UseCase(edit, lambda s: s.kit.desk.sets.take_out("filled", "R")),
        "sets.rename": UseCase(edit, lambda s: s.kit.desk.sets.rename("renamed", "named anew")),
        "sets.delete": UseCase(edit, lambda s: s.kit.desk.sets.delete("deleted")),
        "directory.name": UseCase(
            edit, lambda s: s.kit.desk.directory.name(Kind.RECIPIENT, NameRow(("N",), "Name"))
        ),
        "directory.change": UseCase(
            edit, lambda s: s.kit.desk.directory.change(Kind.RECIPIENT, {("M",): {"name": "Name"}})
        ),
        "directory.forget": UseCase(edit, lambda s: s.kit.desk.directory.forget(Kind.RECIPIENT, [("F",)])),
        "directory.apply_names": UseCase(admin, _apply_names),
        "sets.apply_sets": UseCase(admin, _apply_sets),
        "bulk.start_preview": UseCase(edit, lambda s: s.kit.desk.bulk.start_preview([SOME_CHANGE], title="")),
        "demo.set_switches": UseCase(admin, lambda s: s.demo.set_switches(DemoSwitches())),
        "demo.someone_else_edits": UseCase(admin, lambda s: s.demo.someone_else_edits(ITEM)),
        "demo.reset": UseCase(admin, lambda s: s.demo.reset()),
    }
    cases |= {name: UseCase(view, make) for name, make in LOOKING.items()}
    for name in OWN_JOBS:
        cases[f"bulk.{name}"] = UseCase(edit, _with_job(name, f"{name} own"))
        cases[f"bulk.{name} (of somebody else)"] = UseCase(admin, _with_job(name, f"{name} other"))
    return cases


def _ended(run: ExportRun) -> None:
    wait_until(lambda: run.has_ended)


def _apply_names(scene: Scene) -> None:
    directory = scene.kit.desk.directory
    directory.apply_names(directory.preview_names(Kind.RECIPIENT, b"Recipient,Name\nO,Name\n"))


def _apply_sets(scene: Scene) -> None:
    sets = scene.kit.desk.sets
    sets.apply_sets(sets.preview_sets(b"Set,Recipient\nImported,R1\n"))


def _with_job(action: str, key: str) -> Callable[[Scene], object]:
    """Return what works with a job."""
    return lambda scene: getattr(scene.kit.desk.bulk, action)(key)


USE_CASES = _cases()
LOOKS = {
    *("save_status", "wait_for_save", "interrupted_save", "undo"),
    *("recent_items", "remember_use"),
    "sets.open",
    *("directory.found", "directory.preview_names", "sets.preview_sets", "directory.write_example"),
    *("bulk.summary", "bulk.may_work_with", "bulk.is_being_read", "exports.known_items", "exports.items_in"),
    "exports.changes_as_list",
    "scans.progress",
    "demo.read_switches",
}
"""Calls that only show our own records, read a file, keep one's own recent items, end the program, note
that a notice was read, or that a save makes once it was admitted. `admit` only checks.
"""

_PREPARED = {
    "pause": JobState.QUEUED,
    "resume": JobState.PAUSED,
    "retry_failed": JobState.ENDED,
    "undo": JobState.ENDED,
}
"""The states of jobs with which something is tried; all others are previewed."""


@contextmanager
def prepared(folder: Path, who: Callable[[], Person]) -> Iterator[Scene]:
    """Open a desk that this person asks, with sets and jobs of their own and of somebody else."""
    file = folder / "records.sqlite"  # on SQLite in any case: it counts what others write
    file.write_bytes(empty_records())
    items = {ITEM: "AB", OTHER_ITEM: "XY"}
    with open_kit(folder, items, database_url=f"sqlite:///{file}", person=who) as kit:
        service = Mock(switches=Switches())
        demo = EmbeddedDemo(service, kit.access)
        for name in ("filled", "renamed", "deleted"):
            kit.records.sets.make(StoredSet(name, frozenset("R"), START, "ann"))
        for action in OWN_JOBS:
            state = _PREPARED.get(action, JobState.PREVIEWED)
            _put_job(kit, f"{action} own", SUBJECT, state)
            _put_job(kit, f"{action} other", SOMEBODY_ELSE, state)
        with closing(sqlite3.connect(file)) as records:
            yield Scene(kit, records, demo, service)


def _put_job(kit: DeskKit, key: str, subject: str, state: JobState) -> None:
    """Keep a job of this person, in this state, with its preview."""
    job = Job(
        key=key,
        title="list.xlsx",
        person="ann",
        person_key=f"{ISSUER} {subject}",
        reason="",
        state=JobState.READING,
        created_at=START,
        item_count=1,
    )
    store = kit.records.jobs
    store.create(job, [SOME_CHANGE])
    read = ItemPreview(current=frozenset("AB"), read_at=START, add=frozenset("Z"))
    store.put_previews(key, {0: read})
    store.move(key, state, expected={JobState.READING}, at=START)


def tried(scene: Scene, case: UseCase) -> str:
    """Return whether the person could do it; LEAKED where it was refused, and something changed."""
    before = scene.state()
    try:
        case.do(scene)
    except (SignInError, RoleError):
        return CANNOT if scene.state() == before else LEAKED
    except ItemVisibilityError:  # they were let in; something else stands in the way: no failed rows
        return CAN
    return CAN


def column(folder: Path, name: str) -> dict[str, str]:
    """Return what a kind of person can do. Refused calls are tried first, on records that nobody changes."""
    who, _ = PEOPLE[name]
    with prepared(folder, who) as scene:
        if name == SIGNED_OUT:
            scene.kit.desk.access.sign_out()
        in_order = sorted(USE_CASES, key=lambda one: expected(name, one) == CAN)
        return {one: tried(scene, USE_CASES[one]) for one in in_order}


def expected(name: str, place: str) -> str:
    """Return what this kind of person should find there."""
    role = PEOPLE[name][1]
    may = role is not None and role >= USE_CASES[place].needed
    return CAN if may else CANNOT


def use_cases_of(scene: Scene) -> set[str]:
    """Return the places of all use cases on the desk: its methods, and those of the desks that it holds."""
    desk = scene.kit.desk
    held = {name: one for name, one in vars(desk).items() if type(one).__name__.endswith("Desk")}
    parts = {"": desk, "demo.": scene.demo} | {f"{name}.": one for name, one in held.items()}
    return {
        prefix + name
        for prefix, part in parts.items()
        for name, one in inspect.getmembers(part, inspect.ismethod)
        if not name.startswith("_") and one.__self__ is part
    }


def main() -> None:
    """Print the table, and how many writes there were that should not be."""
    columns = {}
    for name in PEOPLE:
        with tempfile.TemporaryDirectory() as folder:
            columns[name] = column(Path(folder), name)
    print("| |", " | ".join(PEOPLE), "|")
    print("|---" * (len(PEOPLE) + 1) + "|")
    for place in USE_CASES:
        print(f"| {place} |", " | ".join(columns[name][place] for name in PEOPLE), "|")
    cells = [(name, place) for name in PEOPLE for place in USE_CASES]
    wrong = sum(columns[name][place] != expected(name, place) for name, place in cells)
    print(f"{len(cells)} tried; {wrong} are not as they should be.")


if __name__ == "__main__":
    main()
