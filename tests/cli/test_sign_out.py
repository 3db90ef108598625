"""`item-visibility sign-out` ends sessions, in every open window."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from unittest.mock import Mock

import pytest
import time_machine

from item_visibility.access.access import Access
from item_visibility.access.claims import person_of_claims
from item_visibility.access.people import Role, machine_user
from item_visibility.cli import commands
from item_visibility.client.http_calls import utc_now
from item_visibility.storage.database import Database
from item_visibility.storage.open_records import open_records
from item_visibility.storage.sign_outs import SignOuts
from tests.access.signing_in import RULES, claims
from tests.cli.conftest import run

NOW = datetime(2026, 11, 24, 22, 13, 5, 300_000, tzinfo=UTC)


@pytest.fixture(autouse=True)
def configured_service() -> None:
    """Configure no service: this command needs only the database."""


@pytest.fixture(autouse=True)
def sleep(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Mock]:
    """Replace the wait at the end of the command.

    The time is fixed, and the folder has no secrets.toml.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    sleep = Mock()
    monkeypatch.setattr(commands.time, "sleep", sleep)
    monkeypatch.setattr(Database, "now", lambda _: NOW)
    with time_machine.travel(NOW, tick=False):
        yield sleep


@pytest.fixture
def records(
    sqlite_records_url: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Database]:
    monkeypatch.setenv("ITEM_VISIBILITY_DATABASE_URL", sqlite_records_url)
    opened = open_records(sqlite_records_url)
    yield opened
    opened.close()


def is_admitted(name: str, records: Database, *, at: datetime = NOW) -> bool:
    """Return whether somebody who signed in at this time is admitted.

    Providers give this time in seconds.
    """
    second = int(at.timestamp())
    said = {
        "sub": f"4F7A-{name}",
        "name": f"{name.title()} Müster",
        "preferred_username": name,
    }
    said |= {"email": f"{name}@example.com", "iat": second, "exp": second + 300}
    person = person_of_claims(claims(**said), RULES, now=at)
    return Access(lambda: person, clock=utc_now, sign_outs=SignOuts(records)).allows(
        Role.VIEWER
    )


@pytest.mark.parametrize(
    ("option", "who", "stays"),
    [
        *(
            (name, name.strip(), ["bob"])
            for name in ("ann muster", " ANN@example.com ", "4F7A-ann")
        ),
        ("--all", "everybody", []),
    ],
)
def test_a_person_is_signed_out_by_any_of_their_names_or_everybody(
    records: Database, option: str, who: str, stays: list[str]
) -> None:
    assert is_admitted("ann", records)
    result = run("sign-out", option)
    words = (
        f"Signed out {who}:"
        " every sign-in before 24 November 2026, 22:13 UTC has ended.\n"
    )
    assert result.exit_code == 0
    assert result.output == words
    assert [name for name in ("ann", "bob") if is_admitted(name, records)] == stays
    assert Access(machine_user, clock=utc_now, sign_outs=SignOuts(records)).allows(
        Role.ADMIN
    )


@pytest.mark.parametrize("who", ["ann", "--all"])
def test_a_sign_in_after_the_command_works(
    records: Database, sleep: Mock, who: str
) -> None:
    run("sign-out", who)
    assert is_admitted(
        "ann", records, at=NOW + timedelta(seconds=sleep.call_args.args[0])
    )


@pytest.mark.parametrize("arguments", [("ann", "--all"), (" ",)])
def test_sign_out_needs_one_person_or_all(
    records: Database, arguments: tuple[str, ...]
) -> None:
    result = run("sign-out", *arguments)
    assert result.exit_code != 0
    assert "Name one person, or give --all." in result.output
    assert is_admitted("ann", records)
