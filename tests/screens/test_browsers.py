"""Two browsers on one item: what is staged in one is never sent by the other, and moves only as a whole."""

import asyncio
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from http.cookies import SimpleCookie
from pathlib import Path
from typing import cast
from unittest.mock import MagicMock, patch
from uuid import uuid4

import httpx
import pytest
import streamlit as st
from hypothesis import given, settings
from hypothesis import strategies as some
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from components import notices
from components.item import left_draft, window_drafts
from components.saving import press
from components.shell.browser_cookie import COOKIE, BrowserCookie, is_an_id
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.changes.request import SaveRequest
from item_visibility.desk.drafts import StoredDraft
from item_visibility.errors import TokenUnavailableError
from tests.screens.conftest import OpenDesk
from tests.support.desk import ITEM, DeskKit, break_records, open_kit
from tests.support.fake_visibilities import START
from tests.support.screens import Window

ROWS = tuple(f"R{number}" for number in range(1, 12))
AN_ID = "A-_9" * 10 + "abc"
FIRST_REQUEST = "/_stcore/host-config"


@pytest.fixture
def kit(open_desk: OpenDesk) -> DeskKit:
    """An item with five recipients."""
    return open_desk({ITEM: {"R1", "R2", "R3", "R4", "R5"}})


@pytest.mark.screen
def test_what_one_browser_staged_is_not_sent_by_the_other(kit: DeskKit) -> None:
    """It is shown with its time, and the other's Save sends the other's changes alone."""
    ann, ben = Window(ITEM, browser="ann"), Window(ITEM, browser="ben")
    ann.untick("R1")
    ben.untick("R2")
    assert ben.staged == ["Remove `R2`"]
    assert ben.says("Staged in another browser TIME.  \nTo remove: `R1`")
    ben.click("save")
    assert [call.recipient_id for call in kit.fake.writes] == ["R2"]
    assert ben.alerts == ["Removed R2 · verified TIME"]
    assert Window(ITEM, browser="ann").staged == ["Remove `R1`"]


@pytest.mark.screen
def test_who_staged_it_elsewhere_is_named_where_people_sign_in(kit: DeskKit) -> None:
    """So that one can ask."""
    nothing = Draft(ITEM, kit.fake.recipients_of(ITEM), START)
    staged = nothing.with_added(["R9"])
    kit.records.drafts.apply(nothing, staged, owner="ben", updated_at=START, staged_by="Ben")
    assert Window(ITEM, browser="ann").says("Staged by Ben in another browser TIME.  \nTo add: `R9`")


@pytest.mark.screen
def test_a_draft_that_is_taken_over_is_gone_from_where_it_was(kit: DeskKit) -> None:
    """Its browser is told, and a press of Save that came too late sends nothing."""
    ann = Window(ITEM, browser="ann")
    ann.untick("R1")
    ben = Window(ITEM, browser="ben")
    ben.click("take_over_0")
    assert ben.staged == ["Remove `R1`"]
    ann.click("save")
    assert kit.fake.writes == []
    assert ann.staged == []
    assert ann.alerts == [
        (
            "What you had staged here was taken over in another browser TIME. "
            "It is not staged here any more. Taking it over sent nothing."
        )
    ]
    ann.untick("R3")
    assert ann.staged == ["Remove `R3`"]
    ben.click("save")
    assert [call.recipient_id for call in kit.fake.writes] == ["R1"]


@pytest.mark.screen
def test_nothing_is_taken_over_on_top_of_what_is_staged(kit: DeskKit) -> None:
    """It is said how, and a press that the screen still offered changes nothing."""
    ann, ben = Window(ITEM, browser="ann"), Window(ITEM, browser="ben")
    ann.untick("R1")
    ben.leave()
    ben.forge_along({"edited_rows": {1: {"visible": False}}})
    ben.click("take_over_0")
    assert "Nothing was taken over: it was changed meanwhile, or something is staged here." in ben.alerts
    assert ben.staged == ["Remove `R2`"]
    assert ben.is_off("take_over_0")
    assert ben.says("To take it over, first save or discard what is staged here.")
    assert kit.fake.writes == []


@pytest.mark.screen
def test_what_is_staged_elsewhere_is_found_on_the_first_page(kit: DeskKit) -> None:
    """Also after a browser lost its cookie; each has its own last items."""
    Window(ITEM, browser="ann").untick("R1")
    start = Window(browser="ben")
    assert start.says("Staged in other browsers")
    assert not start.says("Staged changes")
    assert not start.says("Used last")
    start.click("staged_elsewhere_0")
    start.click("take_over_0")
    assert start.staged == ["Remove `R1`"]
    assert kit.fake.writes == []


@pytest.mark.screen
def test_a_result_says_where_it_was_saved(kit: DeskKit) -> None:
    """In another browser; and one that changed nothing concerns nobody else."""
    ann = Window(ITEM, browser="ann")
    ann.untick("R1")
    ann.click("save")
    assert Window(ITEM, browser="ben").alerts == ["Removed R1 · verified TIME · saved in another browser"]
    kit.fake.time.sleep(1)
    held = Window(ITEM, browser="ann")
    held.untick("R2")
    kit.fake.put(ITEM, set())
    held.click("save")
    assert not Window(ITEM, browser="ben").says("Nothing was changed")


class TwoBrowsers:
    """Ann's and Ben's windows on one item, without screens; `held` is what each staged or took over."""

    def __init__(self, kit: DeskKit) -> None:
        self.desk = MagicMock(wraps=kit.desk, drafts=kit.desk.drafts, environment=kit.desk.environment)
        self.desk.save = self._save
        self._time = kit.fake.time
        self.item = ItemKey("S", uuid4().hex)
        self.held: dict[str, frozenset[str]] = {"ann": frozenset(), "ben": frozenset()}
        self.wrong: list[frozenset[str]] = []
        self._states: dict[str, dict[str, object]] = {"ann": {}, "ben": {}}
        self._shown: dict[str, Draft] = {}
        for who in self.held:
            kit.fake.put(self.item, ROWS)
            self.open(who, ROWS)

    def open(self, who: str, recipients: Sequence[str]) -> None:
        """Open another window of theirs, with the list as it was read then."""
        self._states[who] = {}
        with self._as(who):
            draft = Draft(self.item, frozenset(recipients), START)
            self._shown[who] = window_drafts.open_kept(self.desk, draft, None)

    def told(self, who: str) -> str:
        """The headline of their notice; empty without one."""
        notice = self._states[who].get(notices._KEPT)  # noqa: SLF001  (no screen is drawn)
        return "" if notice is None else cast("notices.Notice", notice).headline

    def take(self, who: str, others: Iterable[StoredDraft]) -> None:
        """Let one press the buttons that were drawn for these."""
        with self._as(who):
            for other in others:
                left_draft._take_over(self.desk, other)  # noqa: SLF001  (no screen is drawn)

    def play(self, who: str, move: str, row: int) -> None:
        """Let one of them do something; the screen is drawn anew after it, but not before."""
        self._time.sleep(1)
        with self._as(who):
            hands = {"turn": self._turn, "save": self._press, "take": self._take, "look": self._look}
            hands[move](who, row)
            if window_drafts.let_go(self.desk, self.item) is not None:
                self.held[who] = frozenset()
            self._shown[who] = cast("Draft", window_drafts.kept_draft(self.desk, self.item))

    def _turn(self, who: str, row: int) -> None:
        draft = cast("Draft", window_drafts.kept_draft(self.desk, self.item))
        window_drafts.keep_draft(self.desk, draft.with_wanted({ROWS[row]: ROWS[row] in draft.remove}))
        self.held[who] ^= {ROWS[row]}

    def _press(self, who: str, _row: int) -> None:
        press.start_save(self.desk, self._shown[who])

    def _take(self, who: str, _row: int) -> None:
        for other in self.desk.drafts.of_others(who, item=self.item):
            left_draft._take_over(self.desk, other)  # noqa: SLF001  (no screen is drawn)
            staged = cast("Draft", window_drafts.kept_draft(self.desk, self.item)).remove
            is_taken = self.desk.drafts.latest(other.owner) == ()
            self.held |= {who: staged, other.owner: frozenset()} if is_taken else {}

    def _look(self, _who: str, _row: int) -> None:
        """The screen is drawn anew, and nothing else."""

    def _save(self, request: SaveRequest) -> None:
        asked = request.add | request.remove
        is_right = asked <= self.held[request.owner] and asked <= self._shown[request.owner].remove
        self.wrong += [] if is_right else [asked]

    def _as(self, who: str) -> ExitStack:
        stack = ExitStack()
        stack.enter_context(patch.object(st, "session_state", self._states[who]))
        for module in (window_drafts, left_draft, press):
            stack.enter_context(patch.object(module, "this_browser", lambda: who))
        return stack


@pytest.fixture
def two(tmp_path: Path) -> Iterator[TwoBrowsers]:
    """Ann has staged that R1 goes."""
    with open_kit(tmp_path) as kit:
        browsers = TwoBrowsers(kit)
        browsers.play("ann", "turn", 0)
        yield browsers


def test_what_is_taken_over_is_held_against_the_list_as_it_is_now(two: TwoBrowsers) -> None:
    """In a list that was read long ago it may look as if all of it were already in place."""
    two.open("ben", ROWS[1:])
    two.play("ben", "take", 0)
    assert two.held == {"ann": frozenset(), "ben": {"R1"}}
    assert two.told("ben") == ""


def test_without_an_answer_of_the_service_nothing_is_taken_over(two: TwoBrowsers) -> None:
    """Nobody knows then what is left to do."""
    two.desk.read.side_effect = TokenUnavailableError("No answer.", advice="Wait.")
    two.play("ben", "take", 0)
    assert two.told("ben") == "Nothing was taken over: the recipients could not be read."
    assert two.held == {"ann": {"R1"}, "ben": frozenset()}


def test_a_take_over_whose_end_is_not_known_is_told_as_that(two: TwoBrowsers, tmp_path: Path) -> None:
    """Our own database may fail when it has made the change already."""
    others = two.desk.drafts.of_others("ben", item=two.item)
    break_records(tmp_path)
    two.take("ben", others)
    assert two.told("ben") == "It is not known whether it was taken over. Load the page again."


def test_what_is_staged_after_a_take_over_is_not_taken_for_a_part_of_it(two: TwoBrowsers) -> None:
    """A second window of the browser, with nothing staged, did not look since."""
    two.open("ann", ROWS)
    two.play("ben", "take", 0)
    two.play("ann", "turn", 1)
    assert two.held == {"ann": {"R2"}, "ben": {"R1"}}
    assert two.told("ann") == ""


@settings(max_examples=40, deadline=None)
@given(
    some.lists(
        some.tuples(
            some.sampled_from(["ann", "ben"]),
            some.sampled_from(["turn", "turn", "save", "take", "look"]),
            some.integers(0, 4),
        ),
        max_size=20,
    )
)
def test_a_save_sends_only_what_its_own_browser_staged_or_took_over(
    tmp_path_factory: pytest.TempPathFactory, moves: list[tuple[str, str, int]]
) -> None:
    """And showed, in whatever order the two stage, look, take over and save."""
    with open_kit(tmp_path_factory.mktemp("two")) as kit:
        browsers = TwoBrowsers(kit)
        [browsers.play(*move) for move in moves]
    assert browsers.wrong == []


def ask(path: str = FIRST_REQUEST, *, scheme: str = "http", base: str = "", **headers: str) -> httpx.Response:
    """The response to a browser that sends these headers."""

    async def answer(_: Request) -> Response:
        return PlainTextResponse("{}")

    server = Starlette(
        routes=[Route("/{path:path}", answer)], middleware=[Middleware(BrowserCookie, base_path=base)]
    )

    async def get() -> httpx.Response:
        transport = httpx.ASGITransport(app=server)
        async with httpx.AsyncClient(transport=transport, base_url=f"{scheme}://127.0.0.1") as client:
            return await client.get(
                path, headers={name.replace("_", "-"): text for name, text in headers.items()}
            )

    return asyncio.run(get())


def test_a_browser_gets_an_id_that_no_script_and_no_other_site_can_use() -> None:
    """Another one each time, for this dashboard's addresses alone."""
    first, second = (ask().headers["set-cookie"] for _ in range(2))
    assert re.fullmatch(
        rf"{COOKIE}=[A-Za-z0-9_-]{{43}}; Path=/; Max-Age=[0-9]+; HttpOnly; SameSite=Strict", first
    )
    assert first != second


def test_the_cookie_belongs_to_the_dashboards_path() -> None:
    """Below a base path, too."""
    sent = ask("/desk" + FIRST_REQUEST, base="/desk/").headers["set-cookie"]
    assert SimpleCookie(sent)[COOKIE]["path"] == "/desk/"


@pytest.mark.parametrize(("scheme", "forwarded"), [("https", ""), ("http", "https"), ("http", "HTTPS, http")])
def test_over_https_it_is_sent_over_https_only(scheme: str, forwarded: str) -> None:
    """Also behind a proxy."""
    sent = ask(scheme=scheme, x_forwarded_proto=forwarded).headers["set-cookie"]
    assert sent.endswith("; Secure")


def test_an_id_that_is_there_stays() -> None:
    """Among others."""
    assert "set-cookie" not in ask(cookie=f"other=1; {COOKIE}={AN_ID}").headers


@given(some.text(some.characters(min_codepoint=33, max_codepoint=126, exclude_characters=";")))
def test_a_value_that_was_never_set_here_is_replaced(value: str) -> None:
    """Its form does not matter."""
    assert ("set-cookie" in ask(cookie=f"{COOKIE}={value}").headers) is not is_an_id(value)


@pytest.mark.parametrize("path", ["/", "/bulk", "/readyz", "/x" + FIRST_REQUEST])
def test_no_page_sets_it(path: str) -> None:
    """A browser that follows a link from another site holds a strict cookie back: it must not lose it so."""
    assert "set-cookie" not in ask(path).headers
