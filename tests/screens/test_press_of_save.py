"""A press of Save sends what was staged and shown by then, whatever comes late. No screen is drawn."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import MagicMock, patch

import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some

from components.finder.combobox import Act, acts_key, typed_key
from components.item import add_box
from components.item.table.mounted_table import VISIBLE, Mount, mounted
from components.item.window_drafts import keep_draft, kept_draft
from components.saving.press import (
    discard,
    refused_save,
    settle_save,
    start_early_save,
    start_save,
    tell_why_not,
    told,
)
from item_visibility.changes.draft import Draft
from item_visibility.changes.outcome import SaveResult, StepOutcome, StepResult, Verdict
from item_visibility.changes.plan import ChangeStep, Goal
from item_visibility.changes.request import ChangeKind, Origin, SaveRequest
from item_visibility.changes.saving.save_worker import SaveState, SaveStatus
from item_visibility.desk.finder.entered_texts import EnteredTexts
from item_visibility.desk.finder.find_by_name import Finder, Matches
from item_visibility.desk.named_lists import NamedList
from item_visibility.desk.use_cases import Desk
from item_visibility.errors import RecordsError
from tests.support.desk import ITEM
from tests.support.fake_visibilities import START

ROWS = ("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9")
ONE_LATE = "1 change came after Save was pressed: press Save again."


class Unknown:
    """Nothing is known of recipients."""

    def known_recipients(self, _ids: object) -> frozenset[str]:
        """None of them."""
        return frozenset()

    def recipients_called(self, _names: object) -> dict[str, tuple[tuple[str, str], ...]]:
        """None either."""
        return {}

    changes_of_recipients = 0

    def recipient_names(self, _ids: object) -> dict[str, str]:
        """None has a name."""
        return {}

    def recipients_like(self, _text: str) -> tuple[tuple[str, str], ...]:
        """None either."""
        return ()


@dataclass
class SlowDesk:
    """A desk whose saves end when the test says so; everything that is asked of the service is kept."""

    recipients: frozenset[str] = frozenset(ROWS)
    asked: list[SaveRequest] = field(default_factory=list)
    results: dict[str, SaveResult] = field(default_factory=dict)
    names: Unknown = field(default_factory=Unknown)
    environment: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(name="test"))
    drafts: MagicMock = field(
        default_factory=lambda: MagicMock(**{"taken_over_at.return_value": None, "keep.return_value": True})
    )

    @property
    def lists(self) -> SimpleNamespace:
        """Nobody has a name."""
        return SimpleNamespace(named=lambda recipients: NamedList(recipients, {}))

    @property
    def entered(self) -> EnteredTexts:
        """Nobody is known."""
        nobody = SimpleNamespace(find=lambda *_: Matches(), nearest=lambda *_: (), some_ids=lambda _kind: ())
        return EnteredTexts(cast("Finder", nobody), cast("Any", Unknown()))

    def person(self) -> str:
        """Somebody."""
        return "ann"

    def save(self, request: SaveRequest) -> None:
        """Begin it, once."""
        if request.key not in {known.key for known in self.asked}:
            self.asked.append(request)

    def save_status(self, key: str) -> SaveStatus | None:
        """The progress of the save."""
        request = next(known for known in self.asked if known.key == key)
        result = self.results.get(key)
        return SaveStatus(request, SaveState.ENDED if result else SaveState.RUNNING, 0, 1, result)

    def latest_save(self, _item: object) -> SaveStatus | None:
        """The last one of all."""
        return self.save_status(self.asked[-1].key) if self.asked else None

    def end_saves(self) -> None:
        """Let the service do all that was asked, and every save end verified."""
        for request in self.asked:
            if request.key not in self.results:
                self.recipients = (self.recipients | request.add) - request.remove
                self.results[request.key] = self._result(request)

    def _result(self, request: SaveRequest) -> SaveResult:
        steps = [StepResult(ChangeStep(one, Goal.VISIBLE), StepOutcome.DONE) for one in request.add]
        steps += [StepResult(ChangeStep(one, Goal.NOT_VISIBLE), StepOutcome.DONE) for one in request.remove]
        at = START + timedelta(seconds=len(self.results) + 1)
        return SaveResult(
            item=ITEM,
            verdict=Verdict.VERIFIED,
            steps=tuple(steps),
            after=self.recipients,
            started_at=START,
            ended_at=at,
        )


class Browser:
    """A window: ticks are sent some time after they were made, and messages may arrive together."""

    def __init__(self) -> None:
        self.desk = SlowDesk()
        self.wanted: list[frozenset[str]] = []
        self.told: list[str] = []
        self._sent: dict[int, dict[str, bool]] = {}
        self._queue: list[tuple[str, dict[int, dict[str, bool]], bool]] = []
        keep_draft(self._desk, Draft(ITEM, self.desk.recipients, START))
        self._draw()

    @property
    def _desk(self) -> Desk:
        return cast("Desk", self.desk)

    def turn(self, row: int) -> None:
        """Click a tick; nothing is sent yet. A tick that is as it was mounted is forgotten."""
        as_mounted = self._mount.rows[row] not in self._mount.unticked
        others = {known: edit for known, edit in self._edits.items() if known != row}
        self._edits = others if row in self._edits else others | {row: {VISIBLE: not as_mounted}}

    def send(self) -> None:
        """Send the ticks as they are."""
        self._sent = self._edits
        self._queue.append((self._mount.key, self._sent, False))

    def press(self) -> None:
        """Press Save: the message takes along the ticks that were sent before."""
        self.wanted.append(self._shown.add | self._shown.remove)
        self._queue.append((self._mount.key, self._sent, True))

    def enter(self, text: str) -> None:
        """Enter a text into the field of additions: it arrives before any later press."""
        st.session_state[acts_key("add_recipients")] = [Act("entered", text)]
        add_box.take_in_entered(self._desk, ITEM)

    def leave_in_box(self, text: str) -> None:
        """Type into the field of additions, and leave it."""
        st.session_state[typed_key("add_recipients")] = text

    def arrive(self) -> None:
        """Let all that was sent arrive in one run of the script."""
        queue, self._queue = self._queue, []
        for key, edits, _ in queue:
            st.session_state[key] = {"edited_rows": edits}
        if any(is_press for _, _, is_press in queue):
            start_save(self._desk, self._shown)
        self._draw()

    def end(self) -> None:
        """Let the saves end."""
        self.desk.end_saves()

    @property
    def staged(self) -> Draft:
        """The draft as it is now."""
        return cast("Draft", kept_draft(self._desk, ITEM))

    def _draw(self) -> None:
        draft, _ = settle_save(self._desk, cast("Draft", kept_draft(self._desk, ITEM)))
        notice = told()
        self.told += [notice.headline] if notice else []
        mount = mounted(self._desk, draft, "", is_locked=False)
        assert mount is not None
        if getattr(self, "_mount", None) is not mount:
            self._edits: dict[int, dict[str, bool]] = {}
            self._sent = {}
            st.session_state[mount.key] = {"edited_rows": {}}
        self._mount: Mount = mount
        self._shown = draft


@pytest.fixture
def browser() -> Iterator[Browser]:
    """A window on an item with nine recipients."""
    with without_screen():
        yield Browser()


def without_screen() -> ExitStack:
    """Streamlit with a state of its own, and nothing that draws or waits."""
    stack = ExitStack()
    stack.enter_context(patch.object(st, "session_state", {}))
    stack.enter_context(patch.object(st, "empty", MagicMock()))
    stack.enter_context(patch.object(st, "bottom", MagicMock()))
    stack.enter_context(patch.object(st, "progress", MagicMock()))
    stack.enter_context(patch("components.saving.press.WAIT_FOR_SAVE_S", 0.0))
    return stack


def played(moves: list[tuple[str, int]]) -> Browser:
    """A window in which all this was done, in this order."""
    browser = Browser()
    hands = {"send": browser.send, "press": browser.press, "arrive": browser.arrive, "end": browser.end}
    for move, row in moves:
        if move == "turn":
            browser.turn(row % len(browser._mount.rows))  # noqa: SLF001  (rows come and go)
        else:
            hands[move]()
    browser.arrive()
    return browser


@given(
    some.lists(
        some.tuples(some.sampled_from(["turn", "send", "press", "arrive", "end"]), some.integers(0, 3)),
        max_size=25,
    )
)
def test_what_is_written_was_staged_and_shown_when_save_was_pressed(moves: list[tuple[str, int]]) -> None:
    """Ticks may be made, sent, overtaken and taken together with a press in any order."""
    with without_screen():
        browser = played(moves)
    asked = [request.add | request.remove for request in browser.desk.asked]
    assert [one for one in asked if not any(one <= wanted for wanted in browser.wanted)] == []


def test_a_tick_after_a_press_with_nothing_staged_is_not_written(browser: Browser) -> None:
    """It stays staged."""
    browser.press()
    browser.arrive()
    browser.turn(0)
    browser.send()
    browser.arrive()
    assert (browser.desk.asked, browser.staged.remove) == ([], {"R1"})


def test_a_press_that_waited_saves_what_the_screen_shows_by_then(browser: Browser) -> None:
    """A tick, and Save before the screen shows it: the press waits in the browser for this."""
    browser.turn(0)
    browser.send()
    browser.arrive()
    start_early_save(cast("Desk", browser.desk), browser.staged)
    assert [request.remove for request in browser.desk.asked] == [{"R1"}]


def test_a_press_that_waited_saves_nothing_doubtful(browser: Browser) -> None:
    """The remarks came on the screen in the same moment: nobody has read them."""
    browser.enter("4000001000006")
    browser.arrive()
    start_early_save(cast("Desk", browser.desk), browser.staged)
    browser.arrive()
    assert browser.desk.asked == []
    assert browser.told == ["Nothing was saved yet: look at the remarks on what you added, then save."]


@pytest.mark.parametrize(
    ("text", "words"),
    [("", []), ("Sonn", ["Text in Add recipients is not staged: press Add there, then Save."])],
)
def test_a_press_while_nothing_is_staged_says_what_it_misses(
    browser: Browser, text: str, words: list[str]
) -> None:
    """Half a name in the field is the likely reason."""
    browser.leave_in_box(text)
    tell_why_not()
    browser.arrive()
    assert browser.told == words


def test_a_tick_that_comes_together_with_the_press_is_not_written(browser: Browser) -> None:
    """Nobody knows which of the two was first."""
    browser.turn(0)
    browser.send()
    browser.press()
    browser.arrive()
    assert (browser.desk.asked, browser.staged.remove, browser.told) == ([], {"R1"}, [ONE_LATE])


def test_what_is_staged_while_a_save_runs_stays_staged(browser: Browser) -> None:
    """The save writes what was there when it was pressed; the rest is told of when it has ended."""
    browser.turn(0)
    browser.send()
    browser.arrive()
    browser.press()
    browser.arrive()
    browser.turn(1)
    browser.send()
    browser.arrive()
    browser.end()
    browser.arrive()
    assert [request.remove for request in browser.desk.asked] == [{"R1"}]
    assert (browser.staged.remove, browser.told) == ({"R2"}, [ONE_LATE])


def test_what_is_taken_back_while_a_save_runs_is_staged_the_other_way(browser: Browser) -> None:
    """The removal was sent; the tick that came after it is a change to be saved."""
    browser.turn(0)
    browser.send()
    browser.arrive()
    browser.press()
    browser.arrive()
    browser.turn(0)
    browser.send()
    browser.arrive()
    browser.end()
    browser.arrive()
    assert (browser.desk.recipients, browser.staged.add) == (frozenset(ROWS) - {"R1"}, {"R1"})


def test_an_addition_that_is_taken_back_while_it_is_saved_is_staged_to_go(browser: Browser) -> None:
    """As the removal above."""
    draft = browser.staged.with_added(["N1"])
    keep_draft(cast("Desk", browser.desk), draft)
    start_save(cast("Desk", browser.desk), draft)
    keep_draft(cast("Desk", browser.desk), draft.with_wanted({"N1": False}))
    browser.end()
    browser.arrive()
    assert browser.staged.remove == {"N1"}


def test_discard_takes_nothing_back_that_is_being_saved(browser: Browser) -> None:
    """It would look as if it had not been sent."""
    browser.turn(0)
    browser.send()
    browser.arrive()
    browser.press()
    browser.arrive()
    discard(cast("Desk", browser.desk), ITEM)
    browser.arrive()
    assert browser.staged.remove == {"R1"}
    assert browser.told == ["Nothing was discarded: the save had begun. Wait for it, then undo it."]


@pytest.mark.parametrize("is_running", [False, True], ids=["refused", "refused the second time"])
def test_only_what_was_handed_over_cannot_be_discarded(
    browser: Browser, monkeypatch: pytest.MonkeyPatch, *, is_running: bool
) -> None:
    """A press that was refused has begun no save; one that is refused later ends none."""
    desk = cast("Desk", browser.desk)
    draft = browser.staged.with_changed({"R1": False})
    keep_draft(desk, draft)
    [start_save(desk, draft) for _ in range(is_running)]
    monkeypatch.setattr(
        desk, "save", MagicMock(side_effect=RecordsError("It cannot be kept.", advice="Ask."))
    )
    start_save(desk, draft)
    assert refused_save() is not None
    discard(desk, ITEM)
    assert browser.staged.is_empty is not is_running


def test_a_save_in_one_environment_holds_nothing_in_another(browser: Browser) -> None:
    """The same item there is another one."""
    desk = cast("Desk", browser.desk)
    draft = browser.staged.with_changed({"R1": False})
    keep_draft(desk, draft)
    start_save(desk, draft)
    browser.desk.environment.name = "other"
    keep_draft(desk, draft)
    discard(desk, ITEM)
    assert browser.staged.is_empty
    assert told() is None


def test_what_was_entered_just_before_the_press_is_part_of_it(browser: Browser) -> None:
    """Paste and Save are enough, also before the screen shows what was pasted."""
    browser.enter("4300000000014")
    browser.press()
    browser.arrive()
    assert [request.add for request in browser.desk.asked] == [{"4300000000014"}]


@pytest.mark.parametrize("text", ["4000001000006", "4300000000014, SHOP"], ids=["damaged", "no number"])
def test_what_is_doubtful_and_was_not_shown_yet_is_not_saved(browser: Browser, text: str) -> None:
    """The first press shows it."""
    browser.enter(text)
    browser.press()
    browser.arrive()
    assert browser.desk.asked == []
    assert browser.told == ["Nothing was saved yet: look at the remarks on what you added, then save."]


def test_what_stands_in_the_field_is_not_saved(browser: Browser) -> None:
    """It may be half a number: it stays in the field, and the window says so."""
    browser.leave_in_box("43000")
    browser.turn(0)
    browser.send()
    browser.arrive()
    browser.press()
    browser.arrive()
    assert [request.add | request.remove for request in browser.desk.asked] == [{"R1"}]
    assert browser.told == ["Text in Add recipients is not staged: press Add there, then Save."]


@given(some.text(), some.booleans())
def test_what_is_entered_and_staged_unasked_has_the_form_of_a_number(text: str, is_save: bool) -> None:  # noqa: FBT001  (drawn by chance)
    """It is a GLN or a form like R1, for any text, with or without a press of Save at once."""
    with without_screen():
        browser = Browser()
        browser.enter(text)
        [browser.press() for _ in range(is_save)]
        browser.arrive()
        staged = browser.staged.add.union(*(request.add for request in browser.desk.asked))
    assert [one for one in staged if not re.fullmatch(r"[^\W\d_]\d+|[0-9]{13}", one)] == []


def test_a_part_of_an_undo_is_an_undo() -> None:
    """The shown part came from the undo; the late part is by hand."""
    undo = Draft(ITEM, frozenset(ROWS), START, remove=frozenset({"R1", "R2"}))
    undo = replace(undo, origin=Origin(kind=ChangeKind.UNDO, undo_of="save-1"))
    late = undo.with_wanted({"R3": False})
    assert late.part_shown(undo, entered=frozenset()) == replace(undo, version=late.version)
