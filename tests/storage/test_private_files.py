"""Only their owner can read our files, which contain the history, names and reasons."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from item_visibility.client.identifiers import ItemKey
from item_visibility.storage import private_files
from item_visibility.storage.database import queue_url
from item_visibility.storage.directory import Directory
from item_visibility.storage.open_records import open_records
from item_visibility.storage.private_files import make_private_database

pytestmark = pytest.mark.skipif(
    os.name != "posix", reason="rights of this kind are POSIX's"
)

OWNER_ONLY = 0o600


@pytest.fixture(autouse=True)
def loose_umask() -> Iterator[None]:
    """Use the usual umask, with which everyone can read new files."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def rights(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in sorted(folder.iterdir())}


def test_a_new_database_is_its_owners_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'records.sqlite'}"
    with closing(open_records(url)) as records:
        Directory(records, service="default").remember([ItemKey("S", "I")])
        make_private_database(queue_url(url))
        found = rights(tmp_path)
    names = (
        "records.sqlite",
        "records.sqlite-shm",
        "records.sqlite-wal",
        "records-jobs.sqlite",
    )
    assert found == dict.fromkeys(names, OWNER_ONLY)


def test_an_existing_database_is_made_private(tmp_path: Path) -> None:
    for name in ("records.sqlite", "records.sqlite-wal", "other.sqlite"):
        (tmp_path / name).touch(mode=0o644)
    (tmp_path / "old").mkdir(mode=0o755)
    make_private_database(f"sqlite:///{tmp_path / 'records.sqlite'}")
    private_files.make_private_folder(tmp_path / "old")
    private_files.make_private_folder(tmp_path / "new")
    ours = dict.fromkeys(("records.sqlite", "records.sqlite-wal"), OWNER_ONLY)
    assert rights(tmp_path) == ours | {
        "other.sqlite": 0o644,
        "old": 0o700,
        "new": 0o700,
    }


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://us:x@127.0.0.1/x",
        "sqlite:///file:made?mode=memory&uri=true",
        "sqlite:///no/such/x",
    ],
)
def test_other_files_are_left_alone(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_private_database(url)
    assert rights(tmp_path) == {}


def test_a_file_of_somebody_else_is_used_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    (tmp_path / "records.sqlite").touch(mode=0o644)
    monkeypatch.setattr(Path, "chmod", refuse)
    open_records(f"sqlite:///{tmp_path / 'records.sqlite'}").close()
    assert "records.sqlite can be read by other users" in caplog.text
