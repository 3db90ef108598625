"""What surrounds every page: opening it, heading, times, environment, and errors."""

import asyncio
import logging
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from pathlib import Path
from unittest.mock import MagicMock
from urllib.parse import parse_qs

import pytest
import streamlit as st
import time_machine
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.routing import Route
from streamlit.testing.v1 import AppTest

import app as launcher
from components import session
from components.markdown_escape import html_link
from components.middleware import SecurityHeaders, content_security_policy
from item_visibility import __version__
from item_visibility.access.access_log import ACCESS_LOG
from item_visibility.errors import SettingsError
from item_visibility.settings import Settings
from item_visibility.use_cases.desk import Desk
from tests.screens.conftest import OpenDesk, answer_of
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, break_records, put_names
from tests.support.screens import CHECK_PAGE, DIRECTORY_PAGE, Window


@pytest.fixture(autouse=True)
def launched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session.desks, "is_launched", True)


@pytest.fixture
def broken_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    session.desks.close()
    monkeypatch.setenv("ITEM_VISIBILITY_BASE_URL", "http://127.0.0.1:9/v1")


READY = Starlette(
    routes=[Route("/readyz", launcher.answer_ready)],
    middleware=[Middleware(SecurityHeaders, policy=content_security_policy())],
)
"""The launcher's own route, with the launcher's headers."""


async def run_lifespan(while_up: Callable[[], None]) -> None:
    async with launcher.lifespan(launcher.app):
        assert session.desks.is_launched
        while_up()
    assert not session.desks.is_launched


@pytest.mark.usefixtures("broken_settings")
def test_a_wrong_configuration_is_explained_without_a_traceback() -> None:
    window = Window()
    assert window.alerts == ["The dashboard cannot start. Nothing was changed."]
    assert window.says("ITEM_VISIBILITY_CLIENT_ID")
    assert window.says("Set what is missing, or remove the related settings.")
    assert window.keys == {"error_card"}
    answer = answer_of(READY, "/readyz")
    assert answer.status_code == 503
    assert answer.text == "not ready\n"


def test_without_a_service_the_demo_is_shown_to_this_machine_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session.desks.close()
    monkeypatch.delenv("ITEM_VISIBILITY_DEMO", raising=False)
    option = st.get_option
    monkeypatch.setattr(
        st,
        "get_option",
        lambda name: "0.0.0.0" if name == "server.address" else option(name),
    )
    window = Window()
    assert window.alerts == ["The dashboard cannot start. Nothing was changed."]
    assert window.says("Set ITEM_VISIBILITY_BASE_URL")
    assert answer_of(READY, "/readyz").status_code == 503


@pytest.mark.parametrize("name", ["Oat biscuits 250 g", ""])
def test_an_item_is_headed_by_its_name_or_number_and_its_market(
    open_desk: OpenDesk, name: str
) -> None:
    put_names(open_desk({ITEM: {"R1"}}).records.directory, items=[(ITEM, "276", name)])
    window = Window(ITEM)
    assert [title.value for title in window.app.title] == [
        f"{name or ITEM.supplier_item_id} · Germany"
    ]


def test_readyz_says_whether_our_database_answers(
    open_desk: OpenDesk, tmp_path: Path
) -> None:
    open_desk({ITEM: {"R1"}})
    ready = answer_of(READY, "/readyz")
    assert ready.status_code == 200
    assert ready.text == f"ready {__version__}\n"
    assert "default-src 'self'" in ready.headers["content-security-policy"]
    break_records(tmp_path)
    assert answer_of(READY, "/readyz").status_code == 503


def test_without_the_launcher_a_server_shows_nothing(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_desk({ITEM: {"R1"}})
    session.desks.is_launched = False
    assert Window(ITEM).ticks
    assert answer_of(READY, "/readyz").status_code == 503
    monkeypatch.setattr(
        session, "Runtime", MagicMock
    )  # without a server, AppTest has no runtime
    window = Window(ITEM)
    assert window.markdown == window.alerts
    assert window.texts == []
    assert window.keys == set()
    assert window.says(
        "The dashboard did not start completely, so it shows nothing. Nothing was "
        "changed."
    )


def test_a_desk_is_opened_until_it_works_and_closed_when_the_server_ends(
    open_desk: OpenDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    kit = open_desk({ITEM: {"R1"}})

    def fail(*_: object, **__: object) -> Desk:
        raise SettingsError("Not now.", advice="Later.")

    monkeypatch.setattr(session, "open_desk", fail)
    assert not session.is_ready()
    monkeypatch.setattr(session, "open_desk", lambda *_, **__: kit.desk)
    closed: list[str] = []
    monkeypatch.setattr(kit.desk, "close", lambda: closed.append("desk"))
    assert session.get_desk() is kit.desk
    st.cache_resource.clear()
    assert session.get_desk() is kit.desk
    asyncio.run(run_lifespan(lambda: closed.append("running")))
    assert session.desks.metrics.count_access in logging.getLogger(ACCESS_LOG).filters
    assert closed == ["running", "desk"]


def test_an_unexpected_error_shows_a_reference_and_no_traceback(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session.desks.metrics, "screen_errors", counter := MagicMock())

    def draw() -> None:
        from components.notices import show_unexpected_error  # noqa: PLC0415

        assert show_unexpected_error(ValueError("secret words"))

    with caplog.at_level(logging.ERROR):
        shown = AppTest.from_function(draw).run()
    counter.inc.assert_called_once()
    reference = shown.code[0].value
    assert shown.error[0].value.startswith("This screen could not be shown.")
    assert "secret words" not in str(shown)
    assert f"A screen could not be drawn, reference {reference}" in caplog.text
    assert "secret words" in caplog.text


NOW = datetime(2026, 11, 21, 22, 30, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)


def draw_times() -> None:
    """Draw a page.

    All imports are here, because AppTest runs only the source of this function.
    """
    from datetime import UTC, datetime  # noqa: PLC0415

    import streamlit as st  # noqa: PLC0415

    from components.clock import full_time, time_of_day  # noqa: PLC0415

    moment = datetime(2026, 11, 21, 22, 30, 5, tzinfo=UTC)
    st.text(time_of_day(moment))
    st.text(full_time(moment))


@pytest.mark.parametrize(
    ("zone", "now", "expected"),
    [
        ("Europe/Berlin", NOW, ["today 23:30", "2026-11-21 23:30:05 +0100"]),
        ("Asia/Tokyo", NOW, ["today 07:30", "2026-11-22 07:30:05 +0900"]),
        (None, NOW, ["today 22:30", "2026-11-21 22:30:05 +0000"]),
        ("Nowhere/Land", NOW, ["today 22:30", "2026-11-21 22:30:05 +0000"]),
        ("../etc/passwd", NOW, ["today 22:30", "2026-11-21 22:30:05 +0000"]),
        ("Europe/Berlin", NOW + HOUR, ["yesterday 23:30", "2026-11-21 23:30:05 +0100"]),
        (
            "Europe/Berlin",
            NOW + 40 * HOUR,
            ["21 Nov 23:30", "2026-11-21 23:30:05 +0100"],
        ),
        (
            "Europe/Berlin",
            NOW + 1000 * HOUR,
            ["21 Nov 2026 23:30", "2026-11-21 23:30:05 +0100"],
        ),
    ],
)
def test_a_time_is_shown_in_the_persons_zone(
    zone: str | None, now: datetime, expected: list[str]
) -> None:
    page = AppTest.from_function(draw_times)
    page.context["timezone"] = zone
    with time_machine.travel(now, tick=True):
        assert [text.value for text in page.run().text] == expected


LIVE = replace(
    TEST_ENVIRONMENT, name="live", base_url="https://live.example.com/v1", color="red"
)
LOCKED = replace(
    TEST_ENVIRONMENT,
    name="locked",
    base_url="https://locked.example.com/v1",
    is_read_only=True,
)
ABC = frozenset("ABC")


@pytest.fixture
def kits(
    open_desk: OpenDesk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, DeskKit]:
    """Three environments with the same item and one database, each with a service."""
    environments = (TEST_ENVIRONMENT, LIVE, LOCKED)
    kits = {
        environment.name: open_desk({ITEM: ABC}, environment=environment)
        for environment in environments
    }

    def open_kit(
        _: Settings, name: str, *, is_shown: Callable[[], bool], **__: object
    ) -> Desk:
        kits[name].access.is_shown = is_shown
        return kits[name].desk

    settings = Settings(
        environments=environments, database_url="", data_folder=tmp_path
    )
    monkeypatch.setattr(session, "read_settings", lambda *_, **__: settings)
    monkeypatch.setattr(session, "open_desk", open_kit)
    return kits


def writes(kits: dict[str, DeskKit]) -> dict[str, int]:
    return {name: len(kit.fake.writes) for name, kit in kits.items()}


def calls(kits: dict[str, DeskKit]) -> dict[str, int]:
    return {name: len(kit.fake.calls) for name, kit in kits.items()}


NOTHING = {"test": 0, "live": 0, "locked": 0}
OTHER_ADDRESS = (
    "The address now names another environment than this window. Nothing was read or "
    "changed."
)
NOT_CONFIGURED = (
    "The environment in this link is not configured here. Nothing was read or changed."
)


def shows(window: Window, environment: str) -> bool:
    """Return True if the badge names only this environment."""
    badges = [words for words in window.markdown if "-badge[:material/cloud:" in words]
    return len(badges) == 1 and f" {environment}]" in badges[0]


def links(window: Window) -> list[str]:
    """Return the addresses of the links to the environments."""
    bodies = "".join(element.proto.body for element in window.app.get("html"))
    return [unescape(link) for link in re.findall(r'<a href="([^"]*)">', bodies)]


def test_a_link_opens_its_environment(kits: dict[str, DeskKit]) -> None:
    window = Window(ITEM, env="live")
    assert shows(window, "live")
    assert window.address["env"] == "live"
    assert calls(kits) == NOTHING | {"live": 1}
    window.go_to(CHECK_PAGE)
    assert shows(window, "live")
    assert window.address == {"env": "live"}


@pytest.mark.parametrize("address", [{}, {"env": ""}])
def test_an_address_without_an_environment_opens_the_default_one(
    kits: dict[str, DeskKit], address: dict[str, str]
) -> None:
    window = Window(ITEM, **address)
    assert shows(window, "test")
    assert window.address["env"] == "test"
    assert calls(kits) == NOTHING | {"test": 1}


@pytest.mark.usefixtures("kits")
def test_an_address_with_two_environments_keeps_the_one_that_is_shown() -> None:
    window = Window(ITEM, env=["live", "test"])
    assert shows(window, "live")
    assert window.address["env"] == "live"


@pytest.mark.usefixtures("kits")
def test_the_menu_has_a_link_to_each_other_environment() -> None:
    assert links(Window(ITEM, env="live")) == ["?env=test", "?env=locked"]


def test_a_link_to_an_unknown_environment_opens_none(kits: dict[str, DeskKit]) -> None:
    window = Window(ITEM, env="gone ![x](http://evil)")
    assert window.alerts == [NOT_CONFIGURED]
    assert "gone ![x](http://evil)" in window.texts
    assert links(window) == ["?env=test", "?env=live", "?env=locked"]
    assert calls(kits) == NOTHING


@pytest.mark.parametrize(
    ("other", "alert"), [("live", OTHER_ADDRESS), ("gone", NOT_CONFIGURED)]
)
@pytest.mark.parametrize("move", ["go_back_to", "send_address"])
def test_a_window_shows_nothing_under_the_address_of_another_environment(
    kits: dict[str, DeskKit], move: str, other: str, alert: str
) -> None:
    window = Window(ITEM)
    window.add_as_number("N1")
    getattr(window, move)(env=other, supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    window.leave()
    assert window.alerts == [alert]
    assert window.editors == 0
    assert not shows(window, "test")
    assert window.address["env"] == other
    assert links(window) == ["?env=test", "?env=live", "?env=locked"]
    assert calls(kits) == NOTHING | {"test": 1}


@pytest.mark.usefixtures("kits")
def test_back_to_an_address_without_an_environment_stays_in_this_one() -> None:
    window = Window(ITEM, env="live")
    window.go_back_to(supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert shows(window, "live")
    assert window.address["env"] == "live"
    assert window.editors == 1


def test_a_save_under_the_address_of_another_environment_is_refused(
    kits: dict[str, DeskKit],
) -> None:
    window = Window(ITEM)
    window.untick("A")
    window.send_address(env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    window.save()
    assert writes(kits) == NOTHING
    window.go_back_to(env="test", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.says(
        "This window no longer shows the environment of this change. Nothing was "
        "changed."
    )
    assert writes(kits) == NOTHING


def test_a_confirmed_plan_under_the_address_of_another_environment_is_refused(
    kits: dict[str, DeskKit],
) -> None:
    window = Window(ITEM)
    window.untick("A")
    window.untick("B")
    window.save()
    assert window.plan["remove"] == ["A", "B"]
    window.send_address(env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    window.confirm("2")
    assert writes(kits) == NOTHING


def test_an_undo_under_the_address_of_another_environment_is_refused(
    kits: dict[str, DeskKit],
) -> None:
    window = Window(ITEM)
    window.add_as_number("N1")
    window.save()
    assert writes(kits) == NOTHING | {"test": 1}
    window.send_address(env="live", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    window.click("undo")
    window.go_back_to(env="test", supplier=ITEM.supplier, item=ITEM.supplier_item_id)
    assert window.says(
        "This window no longer shows the environment of this change. Nothing was "
        "changed."
    )
    assert window.plan == {}
    assert writes(kits) == NOTHING | {"test": 1}


def test_names_under_the_address_of_another_environment_are_not_saved(
    kits: dict[str, DeskKit],
) -> None:
    window = Window.on(DIRECTORY_PAGE, env="test")
    window.type("new_name_0", "4300000000014")
    window.type("new_name_1", "Shop")
    window.send_address(env="live")
    window.click("keep_name")
    for kit in kits.values():
        assert "Shop" not in kit.desk.names.recipient_names(["4300000000014"]).values()


def test_windows_in_different_environments_save_to_their_own(
    kits: dict[str, DeskKit],
) -> None:
    first = Window(ITEM, env="test")
    second = Window(ITEM, env="live")
    first.add_as_number("N1")
    second.add_as_number("N2")
    assert first.found()["chosen"][0]["id"] == "N1"
    second.save()
    first.save()
    assert kits["test"].fake.recipients_of(ITEM) == ABC | {"N1"}
    assert kits["live"].fake.recipients_of(ITEM) == ABC | {"N2"}
    assert kits["locked"].fake.recipients_of(ITEM) == ABC


def test_a_link_shows_the_name_of_its_environment_exactly() -> None:
    name = "<b onclick=\"alert('x')\">&amp;"
    link = html_link(session.address_to_open(name), name)
    found = re.fullmatch(r'<a href="([^"<>]*)">([^"<>]*)</a>', link)
    assert found is not None
    assert parse_qs(unescape(found[1]).removeprefix("?")) == {"env": [name]}
    assert unescape(found[2]) == name
