"""The past of a new demo, on the bundled service over real HTTP."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from item_visibility.bootstrap.open_desk import Use, open_desk
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.settings.settings import Settings, read_settings
from item_visibility.storage.history import HistoryFilter, HistoryLine
from item_visibility.use_cases.desk import Desk

pytestmark = pytest.mark.contract


def lines_of(desk: Desk) -> tuple[HistoryLine, ...]:
    return desk.records.search.lines(HistoryFilter(), limit=100)


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """Nothing configured, and a data folder of their own."""
    return read_settings({}, data_folder=tmp_path_factory.mktemp("past") / "data", may_be_demo=True)


@pytest.fixture(scope="module")
def desk(settings: Settings) -> Iterator[Desk]:
    """A demo that was just opened for the first time; it is only read."""
    desk = open_desk(settings)
    yield desk
    desk.close()


def test_a_new_demo_has_a_history_of_people_with_reasons(desk: Desk) -> None:
    saved = [one for one in lines_of(desk) if one.kind is not ChangeKind.OBSERVED]
    now = datetime.now(UTC)
    assert len(saved) == 9
    assert {one.verdict for one in saved} == {Verdict.VERIFIED}
    assert all(one.added + one.removed for one in saved)
    assert {one.person for one in saved} == {"Jana Peters", "Marie Blanc", "Tomasz Lis"}
    assert all(one.reason for one in saved)
    assert all(now - timedelta(days=40) < one.started_at < now for one in saved)
    assert {ChangeKind.EDIT, ChangeKind.UNDO} == {one.kind for one in saved}


def test_it_knows_most_items_of_its_first_supplier(desk: Desk) -> None:
    assert desk.showcase is not None
    assert desk.showcase not in {one.item for one in lines_of(desk)}
    seen = [one.seen_at for one in desk.records.seen.all(desk.showcase.supplier)]
    read = [at for at in seen if at is not None]
    assert (len(seen), 20 < len(read) < 30) == (40, True)
    assert max(read) < datetime.now(UTC) - timedelta(days=2)


def test_its_sets_hold_recipients_with_names(desk: Desk) -> None:
    sets = desk.records.sets.all()
    assert [(one.name, one.updated_by) for one in sets] == [
        ("Online shops", "Marie Blanc"),
        ("Supermarkets", "Jana Peters"),
    ]
    assert [len(desk.names.recipient_names(one.recipients)) for one in sets] == [3, 3]


def test_one_of_its_items_is_withdrawn(desk: Desk) -> None:
    (withdrawn,) = (one for one in lines_of(desk) if one.reason == "QA-311: recall of one batch")
    assert (withdrawn.removed, withdrawn.person) == (5, "Jana Peters")
    assert desk.read(withdrawn.item).recipients is None


def test_a_demo_has_its_past_once(desk: Desk, settings: Settings) -> None:
    before = lines_of(desk)
    with closing(open_desk(settings)) as second:
        assert lines_of(second) == before


def test_a_look_at_the_connection_makes_no_past(tmp_path: Path) -> None:
    settings = read_settings({}, data_folder=tmp_path / "looked at", may_be_demo=True)
    read_only = read_settings(
        {"ITEM_VISIBILITY_READ_ONLY": "true"}, data_folder=tmp_path / "read only", may_be_demo=True
    )
    looking, reading = open_desk(settings, use=Use.LOOK), open_desk(read_only)
    found = lines_of(looking), lines_of(reading)
    switches = reading.demo
    looking.close()
    reading.close()
    assert (found, switches) == (((), ()), None)
