"""The authorisation matrix: each kind of person tries each use case.

It contains every use case that reads the service or writes.
"""

import inspect
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import pytest

from item_visibility.access.access_log import ACCESS_LOG, Event
from item_visibility.access.claims import person_of_claims
from item_visibility.access.people import Person, Role
from item_visibility.errors import (
    ItemVisibilityError,
    OtherEnvironmentError,
    RecordsError,
    RoleError,
    SignInError,
)
from item_visibility.lists.writer import FileKind
from item_visibility.model.change import ChangeKind
from item_visibility.model.job import BulkItem, ItemPreview, JobState
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.model.read_item import ReadItem
from item_visibility.storage.recipient_sets import StoredSet
from item_visibility.use_cases import (
    choose_recipients,
    connection_check,
    exports,
    ticket,
)
from item_visibility.use_cases.check import find_answer, question
from item_visibility.use_cases.check.answer import Answer, AnswerKind, Read
from item_visibility.use_cases.check.find_answer import answer_questions
from item_visibility.use_cases.check.question import Question, read_link, read_questions
from item_visibility.use_cases.connection_check import examine
from item_visibility.use_cases.demo import DemoControls
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.exports import export_file, start_export, write_reading
from item_visibility.use_cases.ticket import (
    ticket_of_answer,
    ticket_of_item,
    ticket_of_save,
)
from item_visibility_service.switches import Switches
from tests.access.signing_in import ISSUER, RULES, SUBJECT, claims, signed_in
from tests.storage.entries import a_job
from tests.support.desk import (
    ITEM,
    OTHER_ITEM,
    DeskKit,
    a_request,
    ended_save,
    open_kit,
    wait_until,
)
from tests.support.fake_visibilities import START

CAN = "yes"
CANNOT = "no"
LEAKED = "LEAKED"
SIGNED_OUT = "signed out in another tab"
READING = ReadItem(item=ITEM, recipients=frozenset("A"), asked_at=START, read_at=START)
CHANGE = BulkItem(item=ITEM, add=frozenset("Z"))
QUESTION = Question(
    ids=dict(zip(Kind, (ITEM.supplier, ITEM.supplier_item_id, "A"), strict=True))
)
ANSWER = Answer(
    question=QUESTION,
    kind=AnswerKind.YES,
    read=Read(START),
    rows={kind: NameRow(("", "A")) for kind in Kind},
)


def person(
    roles: object, *, issuer: str = ISSUER, hours_ago: int = 0
) -> Callable[[], Person]:
    began_at = START - timedelta(hours=hours_ago)
    times = {
        "iat": began_at.timestamp(),
        "exp": (began_at + timedelta(minutes=5)).timestamp(),
    }
    said = claims(iss=issuer, realm_access={"roles": roles}, **times)
    return lambda: person_of_claims(said, RULES, now=START)


def nobody() -> Person:
    raise SignInError("You are not signed in.", advice="Sign in.")


EDITOR = ["item-visibility-editor"]
ADMIN = ["item-visibility-admin"]
PEOPLE: dict[str, tuple[Callable[[], Person], Role | None]] = {
    "viewer": (person(["item-visibility-viewer"]), Role.VIEWER),
    "editor": (person(EDITOR), Role.EDITOR),
    "admin": (person(ADMIN), Role.ADMIN),
    "editor, signed in 8 h ago": (person(EDITOR, hours_ago=8), None),
    "admin, signed in 8 h ago": (person(ADMIN, hours_ago=8), None),
    "no role": (person(["offline_access"]), None),
    "a text for a list": (person("item-visibility-admin"), None),
    "wrong issuer": (person(ADMIN, issuer="https://other.example.com"), None),
    "not signed in": (nobody, None),
    SIGNED_OUT: (person(ADMIN), None),
}
"""Each kind of person with the role that counts, or None for those without rights."""


@dataclass(slots=True)
class Scene:
    """A desk on which every use case has something to work on."""

    kit: DeskKit
    records: sqlite3.Connection
    demo: DemoControls
    service_of_demo: Mock

    @property
    def desk(self) -> Desk:
        return self.kit.desk

    def state(self) -> tuple[object, ...]:
        """Return what each change changes: our database's version, or the calls."""
        version = self.records.execute("PRAGMA data_version").fetchone()
        demo = self.service_of_demo
        return version, len(self.kit.fake.writes), len(demo.mock_calls), demo.switches

    def save(self, kind: ChangeKind, **changes: set[str]) -> None:
        request = a_request(
            ITEM, key=kind.value, base=self.kit.fake.recipients_of(ITEM), **changes
        )
        removed = len(request.remove)
        self.desk.save(
            replace(request, kind=kind, role=None, confirmed_count=removed or None)
        )
        ended_save(self.kit.worker, request.key)

    def ticket_of_save(self) -> None:
        """Ask for the ticket of an unknown save.

        Only a person with a role learns that it is unknown.
        """
        with suppress(RecordsError):
            ticket_of_save(self.desk, "no such save")

    def import_names(self) -> None:
        names = self.desk.directory
        names.apply_names(
            names.preview_names(Kind.RECIPIENT, b"Recipient,Name\nO,Name\n")
        )

    def import_sets(self) -> None:
        self.desk.sets.apply_sets(
            self.desk.sets.preview_sets(b"Set,Recipient\nImported,R1\n")
        )

    def export(self) -> None:
        run = start_export(self.desk, [ITEM], FileKind.CSV)
        wait_until(lambda: run.has_ended)


JOB_ACTIONS = (
    "apply",
    "cancel",
    "pause",
    "resume",
    "continue_interrupted",
    "drop_interrupted",
    "retry_failed",
    "undo",
)


def job_action(name: str, key: str) -> Callable[[Scene], object]:
    return lambda s: getattr(s.desk.bulk, name)(key)


OF_VIEWERS: dict[str, Callable[[Scene], object]] = {
    "read": lambda s: s.desk.read(OTHER_ITEM),
    "items_of": lambda s: s.desk.items_of(ITEM.supplier),
    "settle": lambda s: s.desk.settle(OTHER_ITEM),
    "examine": lambda s: examine(s.desk, None),
    "export_file": lambda s: export_file(
        s.desk, lambda: write_reading(READING, FileKind.CSV), item_count=1
    ),
    "start_export": lambda s: s.export(),
    "bulk.interrupted": lambda s: s.desk.bulk.interrupted(),
    "scans.start": lambda s: s.desk.scans.start(None),
    "scans.resume": lambda s: s.desk.scans.resume(None),
    "scans.cancel": lambda s: s.desk.scans.cancel(None),
    "directory.write_names": lambda s: s.desk.directory.write_names(
        Kind.ITEM, FileKind.CSV
    ),
    "sets.write_sets": lambda s: s.desk.sets.write_sets(FileKind.CSV),
    "read_questions": lambda s: read_questions(s.desk, "A"),
    "read_link": lambda s: read_link(s.desk, {Kind.RECIPIENT: "A"}),
    "answer_questions": lambda s: answer_questions(s.desk, [QUESTION]),
    "ticket_of_item": lambda s: ticket_of_item(s.desk, OTHER_ITEM),
    "ticket_of_save": lambda s: s.ticket_of_save(),
    "ticket_of_answer": lambda s: ticket_of_answer(s.desk, ANSWER),
}
OF_EDITORS: dict[str, Callable[[Scene], object]] = {
    "save": lambda s: s.save(ChangeKind.EDIT, add={"C"}),
    "save (undo)": lambda s: s.save(ChangeKind.UNDO, remove={"C"}),
    "sets.make": lambda s: s.desk.sets.make("new", "R"),
    "sets.change": lambda s: s.desk.sets.change("filled", add="Q", remove="R"),
    "sets.delete": lambda s: s.desk.sets.delete("deleted"),
    "directory.change": lambda s: s.desk.directory.change(
        Kind.RECIPIENT, {("M",): {"name": "Name"}}
    ),
    "directory.forget": lambda s: s.desk.directory.forget(Kind.RECIPIENT, [("F",)]),
    "bulk.start_preview": lambda s: s.desk.bulk.start_preview([CHANGE], title=""),
    **{f"bulk.{name}": job_action(name, f"{name} own") for name in JOB_ACTIONS},
}
OF_ADMINS: dict[str, Callable[[Scene], object]] = {
    "directory.apply_names": lambda s: s.import_names(),
    "sets.apply_sets": lambda s: s.import_sets(),
    "demo.set_switches": lambda s: s.demo.set_switches(s.demo.read_switches()),
    "demo.someone_else_edits": lambda s: s.demo.someone_else_edits(ITEM),
    "demo.reset": lambda s: s.demo.reset(),
    **{
        f"bulk.{name} (of somebody else)": job_action(name, f"{name} other")
        for name in JOB_ACTIONS
    },
}
USE_CASES = OF_VIEWERS | OF_EDITORS | OF_ADMINS
LOOKS = {
    "offered_groups",
    "open_group",
    "save_status",
    "interrupted_save",
    "undo",
    "recent_items",
    "remember_use",
    "directory.found",
    "directory.preview_names",
    "sets.preview_sets",
    "bulk.job",
    "bulk.results",
    "bulk.is_interrupted",
    "bulk.write_results",
    "bulk.write_skipped",
    "bulk.not_in_directory",
    "known_items",
    "scans.progress",
    "demo.read_switches",
}
"""Use cases that show our data, read a file, or store the person's recent items."""


@contextmanager
def prepared(
    folder: Path, who: Callable[[], Person], *, is_shown: bool = True
) -> Iterator[Scene]:
    states = {"pause": JobState.QUEUED, "resume": JobState.PAUSED}
    states |= {"retry_failed": JobState.ENDED, "undo": JobState.ENDED}
    with open_kit(
        folder, {ITEM: "AB", OTHER_ITEM: "XY"}, person=who, is_shown=lambda: is_shown
    ) as kit:
        service = Mock(switches=Switches())
        for name in ("filled", "deleted"):
            kit.records.sets.make(StoredSet(name, frozenset("R"), START, "ann"))
        for action in JOB_ACTIONS:
            state = states.get(action, JobState.PREVIEWED)
            put_job(kit, f"{action} own", SUBJECT, state)
            put_job(kit, f"{action} other", "0815", state)
        with closing(sqlite3.connect(folder / "records.sqlite")) as records:
            yield Scene(kit, records, DemoControls(service, kit.access), service)


def put_job(kit: DeskKit, key: str, subject: str, state: JobState) -> None:
    job = a_job(
        key, person_key=f"{ISSUER} {subject}", state=JobState.READING, item_count=1
    )
    kit.records.jobs.create(job, [CHANGE])
    read = ItemPreview(current=frozenset("AB"), read_at=START, add=frozenset("Z"))
    kit.records.jobs.put_previews(key, {0: read})
    kit.records.jobs.move(key, state, expected={JobState.READING}, at=START)


def tried(scene: Scene, use_case: Callable[[Scene], object]) -> str:
    """Return CAN or CANNOT, or LEAKED if a refused use case changed something."""
    before = scene.state()
    try:
        use_case(scene)
    except (SignInError, RoleError, OtherEnvironmentError):
        return CANNOT if scene.state() == before else LEAKED
    except ItemVisibilityError:
        return CAN  # allowed, but failed for another reason, such as no failed rows
    return CAN


def expected_of(role: Role | None) -> dict[str, str]:
    allowed = {Role.VIEWER: OF_VIEWERS, Role.EDITOR: OF_EDITORS, Role.ADMIN: OF_ADMINS}
    expected = {}
    for needed, use_cases in allowed.items():
        is_allowed = role is not None and role >= needed
        expected |= dict.fromkeys(use_cases, CAN if is_allowed else CANNOT)
    return expected


@pytest.mark.parametrize("name", PEOPLE)
def test_each_use_case_checks_the_sign_in_and_the_role(
    tmp_path: Path, name: str
) -> None:
    who, role = PEOPLE[name]
    expected = expected_of(role)
    refused_first = sorted(USE_CASES, key=lambda use_case: expected[use_case] == CAN)
    with prepared(tmp_path, who) as scene:
        if name == SIGNED_OUT:
            scene.desk.access.sign_out()
        results = {
            use_case: tried(scene, USE_CASES[use_case]) for use_case in refused_first
        }
    assert results == expected


def test_a_window_that_shows_another_environment_changes_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, ACCESS_LOG)
    use_cases = OF_EDITORS | OF_ADMINS
    with prepared(tmp_path, PEOPLE["admin"][0], is_shown=False) as scene:
        found = {name: tried(scene, use_case) for name, use_case in use_cases.items()}
    assert found == dict.fromkeys(use_cases, CANNOT)
    assert {record.message for record in caplog.records} == {Event.REFUSED}


@pytest.mark.parametrize(
    ("role", "is_own_offered", "is_other_offered"),
    [
        (Role.VIEWER, False, False),
        (Role.EDITOR, True, False),
        (Role.ADMIN, True, True),
    ],
)
def test_screens_offer_a_job_to_those_who_may_work_with_it(
    tmp_path: Path, role: Role, *, is_own_offered: bool, is_other_offered: bool
) -> None:
    with prepared(tmp_path, lambda: signed_in(role)) as scene:
        own = scene.desk.bulk.store.job("undo own")
        other = scene.desk.bulk.store.job("undo other")
        assert scene.desk.access.allows_owner(own.person_key) is is_own_offered
        assert scene.desk.access.allows_owner(other.person_key) is is_other_offered


MODULES = (
    find_answer,
    choose_recipients,
    connection_check,
    exports,
    question,
    ticket,
)
"""The modules with use cases that are functions of the desk."""


def methods_of(part: object) -> set[str]:
    names = {name for name in dir(part) if not name.startswith("_")}
    members = {name: getattr(part, name) for name in names}
    return {
        name
        for name, member in members.items()
        if inspect.ismethod(member) and member.__self__ is part
    }


def functions_of_the_desk(module: ModuleType) -> set[str]:
    return {
        name
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and "desk" in inspect.signature(function).parameters
    }


def test_no_use_case_is_missing_in_the_matrix(tmp_path: Path) -> None:
    with prepared(tmp_path, lambda: signed_in(Role.ADMIN)) as scene:
        use_cases = methods_of(scene.desk)
        desks = {
            name: part
            for name, part in vars(scene.desk).items()
            if type(part).__name__.endswith("Desk")
        }
        for prefix, part in [("demo", scene.demo), *desks.items()]:
            use_cases |= {f"{prefix}.{name}" for name in methods_of(part)}
    for module in MODULES:
        use_cases |= functions_of_the_desk(module)
    assert use_cases == {name.partition(" (")[0] for name in USE_CASES} | LOOKS


@pytest.mark.parametrize(
    ("name", "who", "expected"),
    [
        ("read", "viewer", (Event.READ, 1)),
        ("answer_questions", "viewer", (Event.READ, 1)),
        ("scans.start", "viewer", (Event.READ, "")),
        ("bulk.start_preview", "editor", (Event.READ, 1)),
        ("export_file", "viewer", (Event.EXPORT, 1)),
        ("directory.write_names", "viewer", (Event.EXPORT, "")),
        ("sets.write_sets", "viewer", (Event.EXPORT, "")),
        ("start_export", "viewer", (Event.EXPORT, 1)),
        ("save", "editor", (Event.CHANGE, 1)),
        ("bulk.apply", "editor", (Event.CHANGE, 1)),
        ("save", "viewer", (Event.REFUSED, "")),
        ("bulk.undo (of somebody else)", "editor", (Event.REFUSED, "")),
        ("read", "no role", (Event.REFUSED, "")),
    ],
)
def test_the_access_log_says_who_did_what(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    name: str,
    who: str,
    expected: tuple[Event, object],
) -> None:
    caplog.set_level(logging.INFO, ACCESS_LOG)
    ask, role = PEOPLE[who]
    with prepared(tmp_path, ask) as scene, suppress(RoleError):
        USE_CASES[name](scene)
    (line,) = [vars(record) for record in caplog.records if record.name == ACCESS_LOG]
    assert (line["message"], line["item_count"]) == expected
    assert line["person"] == f"{ISSUER} {SUBJECT}"
    assert line["person_name"] == "Anna Muster"
    assert line["role"] == ("none" if role is None else role.word)
    assert isinstance(line["request_id"], str)
