"""A configured service, a function that runs commands, and a desk for the commands."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from item_visibility.cli import job_output, shared
from item_visibility.cli.commands import main
from item_visibility.client.identifiers import ItemKey
from item_visibility.jobs.command_worker import CommandWorker
from item_visibility.model.job import JobOrigin
from tests.support.desk import DeskKit, FakeDispatcher, open_kit, put_names

FIRST = ItemKey("S1", "01")
SECOND = ItemKey("S1", "02")
THIRD = ItemKey("S1", "03")


@pytest.fixture(autouse=True)
def configured_service(monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure a service, because every command except `demo` needs one.

    No test calls it.
    """
    for name, value in {
        "BASE_URL": "http://127.0.0.1:9/v1",
        "AUTH_URL": "http://127.0.0.1:9",
        "CLIENT_ID": "us",
        "CLIENT_SECRET": "hush",
    }.items():
        monkeypatch.setenv(f"ITEM_VISIBILITY_{name}", value)


def run(
    *arguments: str, typed: str = "", environ: dict[str, str] | None = None
) -> Result:
    return CliRunner().invoke(main, arguments, input=typed, env=environ)


@contextmanager
def open_cli_kit(folder: Path, **options: object) -> Iterator[DeskKit]:
    """Open a kit whose desk the commands use.

    The directory knows the recipients A, B, C, X and Y. The desk stays open, so that a
    second command can use it.
    """
    items = {FIRST: set("ABC"), SECOND: {"A"}, THIRD: {"R3"}}
    with (
        pytest.MonkeyPatch.context() as patch,
        open_kit(folder, items, **options) as opened,
    ):
        patch.chdir(folder)
        patch.setattr(job_output, "LOOK_AT_JOB_EVERY_S", 0.001)
        patch.setattr(opened.desk, "close", lambda: None)
        patch.setattr(shared, "open_desk", lambda *_, **__: opened.desk)
        put_names(
            opened.records.directory, recipients=[(letter, "") for letter in "ABCXY"]
        )
        worker = CommandWorker(opened.runner)
        if "dispatcher" not in options:
            opened.desk.bulk.dispatcher = worker
        yield opened
        worker.close()


class IdleWorker(FakeDispatcher):
    """The worker of a command that never begins with its jobs."""

    origin = JobOrigin.COMMAND


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_cli_kit(tmp_path) as opened:
        yield opened


def a_file(content: bytes | str, name: str = "list.csv") -> str:
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    return name
