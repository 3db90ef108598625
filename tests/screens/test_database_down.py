"""While our own database is down, the screens say what could not be read.

Nothing looks empty.
"""

from inspect import unwrap
from pathlib import Path
from unittest.mock import Mock

import pytest

from components import menu_and_header
from components.menu_and_header import has_changed, is_readable
from item_visibility.access.people import Role
from item_visibility.errors import RecordsError, SignInError
from tests.access.signing_in import signed_in
from tests.screens.bulk import BULK_PAGE
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, DeskKit, break_records, open_kit, saved_on
from tests.support.desk import a_request as asked
from tests.support.fake_visibilities import START, FakeCall
from tests.support.screens import (
    CHECK_PAGE,
    CONNECTION_PAGE,
    COVERAGE_PAGE,
    DIRECTORY_PAGE,
    HISTORY_PAGE,
    ITEM_PAGE,
    Window,
)

THE_ITEM = {"supplier": ITEM.supplier, "item": ITEM.supplier_item_id}
WHOLE = "The dashboard's own database cannot be used now."
NOTHING = (
    "Nothing was changed here yet",
    "No change is recorded",
    "No change on record fits",
    "There are no recipient sets yet",
    "are known yet",
    "No jobs yet",
)


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    kit = open_desk({ITEM: "AB"})
    saved_on(kit.desk, asked(ITEM, base="AB", add="C"))
    kit.desk.sets.make("Retailers", "A")
    return kit


@pytest.mark.parametrize(
    ("page", "address", "said"),
    [
        (ITEM_PAGE, {}, WHOLE),
        (ITEM_PAGE, THE_ITEM, WHOLE),
        (HISTORY_PAGE, {}, "The history could not be read. Nothing was changed."),
        (DIRECTORY_PAGE, {}, "Nothing was changed."),
        (BULK_PAGE, {}, "The jobs could not be read. Running jobs continue."),
        (
            BULK_PAGE,
            {"job": "running"},
            "The job could not be read. If it is running, it continues.",
        ),
        (CHECK_PAGE, {}, WHOLE),
        (
            COVERAGE_PAGE,
            {"recipient": "R"},
            "The coverage could not be read. Nothing was changed.",
        ),
        (CONNECTION_PAGE, {}, "Our side: our own database cannot be used."),
    ],
)
@pytest.mark.usefixtures("kit")
def test_every_screen_reports_a_failed_read(
    tmp_path: Path, page: str, address: dict[str, str], said: str
) -> None:
    break_records(tmp_path)
    window = Window.on(CONNECTION_PAGE)
    window.go_to(page, **address)
    assert window.says(said)
    assert window.says(WHOLE)
    assert [words for words in NOTHING if window.says(words)] == []


@pytest.mark.usefixtures("kit")
def test_closed_sections_also_report_a_failed_read(tmp_path: Path) -> None:
    window = Window(ITEM)
    sets = Window()
    sets.go_to(DIRECTORY_PAGE)
    sets.switch("directory_part", "Recipient sets")
    break_records(tmp_path)
    window.unfold_history()
    assert window.says("The history of this item could not be read.")
    sets.leave()
    assert "The recipient sets could not be read. Nothing was changed." in sets.alerts


def test_a_save_is_never_said_to_have_changed_nothing(
    kit: DeskKit, tmp_path: Path
) -> None:
    window = Window(ITEM)
    window.untick("A")

    def fail(call: FakeCall) -> None:
        assert call.operation == "getVisibilities" or break_records(tmp_path) is None

    kit.fake.before_call = fail
    window.save()
    assert "A" not in kit.fake.recipients_of(ITEM)
    assert window.says("Removed A")
    window.leave()
    assert window.says("Removed A")
    assert window.says(WHOLE)
    assert not window.says("Nothing was changed")


def test_an_undo_without_its_history_opens_no_plan(
    kit: DeskKit, tmp_path: Path
) -> None:
    window = Window(ITEM)
    window.untick("A")
    window.save()
    sent = len(kit.fake.writes)
    break_records(tmp_path)
    window.click("undo")
    assert window.plan == {}
    assert "Nothing was changed." in window.alerts
    assert len(kit.fake.writes) == sent


def test_an_unusable_queue_is_reported_before_apply(
    kit: DeskKit, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise RecordsError(
            "Bulk jobs cannot be applied here: no right.", advice="Let it."
        )

    monkeypatch.setattr(kit.desk.bulk.dispatcher, "check", refuse)
    window = Window.on(BULK_PAGE)
    assert window.says("Lists cannot be applied here now.")
    assert window.says("Bulk jobs cannot be applied here: no right.")


def test_a_page_reruns_once_when_the_database_stops_or_returns(
    open_desk: OpenDesk, tmp_path: Path
) -> None:
    desk = open_desk().desk
    assert [has_changed(desk, was_readable=before) for before in (True, False)] == [
        False,
        True,
    ]
    break_records(tmp_path)
    assert not is_readable(desk)
    assert [has_changed(desk, was_readable=before) for before in (True, False)] == [
        True,
        False,
    ]


def test_a_page_that_could_not_open_is_drawn_again_within_30_s(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(menu_and_header.st, "rerun", rerun := Mock())
    watch_page = menu_and_header._watch_page  # noqa: SLF001  # a fragment
    unwrap(watch_page)(None)
    rerun.assert_called_once()
    assert menu_and_header.LOOK_AT_PAGE_EVERY_S <= 30


def test_a_page_reruns_after_a_sign_out_elsewhere(tmp_path: Path) -> None:
    with open_kit(tmp_path, person=lambda: signed_in(Role.EDITOR)) as kit:
        assert not has_changed(kit.desk, was_readable=True)
        kit.access.sign_out()
        assert has_changed(kit.desk, was_readable=True)


def test_a_page_does_not_rerun_when_a_sign_in_expires(tmp_path: Path) -> None:
    with open_kit(
        tmp_path, person=lambda: signed_in(Role.EDITOR, ends_at=START)
    ) as kit:
        assert not has_changed(kit.desk, was_readable=True)
        with pytest.raises(SignInError, match="has ended"):
            kit.desk.read(ITEM)
