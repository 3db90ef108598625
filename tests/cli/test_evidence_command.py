"""The command that checks evidence: as it was made, edited, or none."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from item_visibility.cli.commands import main
from item_visibility.evidence.sealed_pack import Evidence
from item_visibility.records.opening import open_records
from item_visibility.records.seal_key import SealKey
from tests.evidence.packs import PACK


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The key of the installation that the command finds."""
    monkeypatch.chdir(tmp_path)
    url = f"sqlite:///{tmp_path / 'records.sqlite'}"
    monkeypatch.setenv("ITEM_VISIBILITY_DATABASE_URL", url)
    with closing(open_records(url)) as records:
        return SealKey(records).made()


def verify(content: bytes) -> Result:
    """The command on a file with this content."""
    Path("evidence.txt").write_bytes(content)
    return CliRunner().invoke(main, ["evidence", "verify", "evidence.txt"])


def test_evidence_of_this_installation_is_recognised(key: bytes) -> None:
    """In every form."""
    evidence = Evidence(PACK, key)
    results = [verify(content) for content in (evidence.text().encode(), evidence.page(), evidence.json())]
    assert {(one.exit_code, one.output) for one in results} == {
        (0, "As it was made, by this installation.\n")
    }


def test_evidence_of_another_installation_is_unedited_as_far_as_can_be_told(key: bytes) -> None:
    """Nobody can tell here that somebody wrote it anew."""
    result = verify(Evidence(PACK, key[::-1]).json())
    assert (result.exit_code, result.output.splitlines()[0][:41]) == (
        0,
        "As its digest says. Its seal is not of th",
    )


def test_without_records_the_digest_is_still_checked(monkeypatch: pytest.MonkeyPatch, key: bytes) -> None:
    """On another machine, say."""
    monkeypatch.setenv("ITEM_VISIBILITY_DATABASE_URL", "sqlite:////no/such/folder/records.sqlite")
    assert verify(Evidence(PACK, key).json()).output.startswith("As its digest says.")


def test_a_check_makes_no_records(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, key: bytes) -> None:
    """It needs none where there are none."""
    monkeypatch.setenv("ITEM_VISIBILITY_DATABASE_URL", f"sqlite:///{tmp_path / 'none.sqlite'}")
    result = verify(Evidence(PACK, key).json())
    assert (result.exit_code, result.stderr, [*tmp_path.glob("none*")]) == (0, "", [])


def test_a_check_leaves_records_of_another_version_as_they_are(tmp_path: Path, key: bytes) -> None:
    """The key is read, and nothing is brought up to date."""
    with closing(sqlite3.connect(tmp_path / "records.sqlite")) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = 'older'")
    result = verify(Evidence(PACK, key).json())
    assert result.output == "As it was made, by this installation.\n"


def test_edited_evidence_is_told_with_status_1(key: bytes) -> None:
    """One digit is enough."""
    result = verify(Evidence(PACK, key).page().replace(b"503", b"204"))
    assert (result.exit_code, result.output) == (1, "Error: It was edited: it is not as it was made.\n")


@pytest.mark.usefixtures("key")
def test_another_file_is_no_evidence() -> None:
    """It says what to give."""
    result = verify(b"hello")
    assert (result.exit_code, "There is no digest in this file." in result.output) == (1, True)
