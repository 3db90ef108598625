"""Answers reach a browser and its presses are done, also when the page runs again meanwhile."""

import inspect
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event
from unittest.mock import MagicMock

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, get_script_run_ctx
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest, app_test
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from components.shell.kept_messages import AnsweringQueue, WholeCallbacks, keep_messages


def where_to_send() -> ForwardMsg:
    """Return the answer to a browser that has a file to send."""
    message = ForwardMsg()
    message.file_urls_response.response_id = "upload"
    return message


def made_file() -> ForwardMsg:
    """Return the answer to a browser that asked for a file."""
    message = ForwardMsg()
    message.backend_operation_response.request_id = "download"
    return message


def drawn() -> ForwardMsg:
    """Return a part of the screen."""
    message = ForwardMsg()
    message.delta.new_element.text.body = "drawn before"
    return message


ANSWERS = [where_to_send(), made_file()]


def filled(queue: ForwardMsgQueue) -> ForwardMsgQueue:
    """Return the queue with answers, and with what was drawn."""
    for message in (drawn(), *ANSWERS):
        queue.enqueue(message)
    return queue


def test_a_run_of_the_whole_page_leaves_the_answers() -> None:
    """Drawings from before it go."""
    queue = filled(AnsweringQueue())
    queue.clear(retain_lifecycle_msgs=True)
    assert queue.flush() == ANSWERS


def test_a_run_of_a_part_leaves_each_answer_once() -> None:
    """Streamlit keeps them there by itself, as it keeps what other parts drew."""
    queue = filled(AnsweringQueue())
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["part"])
    assert queue.flush() == [drawn(), *ANSWERS]


def test_what_was_sent_is_not_kept() -> None:
    """An answer is sent once."""
    queue = filled(AnsweringQueue())
    queue.flush()
    queue.clear(retain_lifecycle_msgs=True)
    assert queue.is_empty()


def test_the_queue_of_streamlit_loses_them() -> None:
    """When this fails, ours is no longer needed."""
    queue = filled(ForwardMsgQueue())
    queue.clear(retain_lifecycle_msgs=True)
    assert queue.is_empty()


class Whole(LocalScriptRunner, WholeCallbacks):
    """A runner of tests that ends what it takes in."""


def page() -> None:
    """A page with a button; another message of the browser comes while its press is taken in."""
    import streamlit as st  # noqa: PLC0415  (AppTest runs the source of this function alone)
    from streamlit.runtime.scriptrunner import RerunData, get_script_run_ctx  # noqa: PLC0415  (the same here)

    def press() -> None:
        ctx = get_script_run_ctx()
        assert ctx is not None
        ctx.script_requests.request_rerun(RerunData())
        st.query_params["look"] = "here"  # what is sent to the browser is a look at its messages, too
        st.session_state["saved"] = True

    st.button("Save", on_click=press)


def pressed(monkeypatch: pytest.MonkeyPatch, runner: type[LocalScriptRunner]) -> AppTest:
    """Return the page after its button was pressed."""
    monkeypatch.setattr(app_test, "LocalScriptRunner", runner)
    opened = AppTest.from_function(page).run()
    opened.button[0].click().run()
    return opened


def test_a_press_is_taken_in_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a change of the address nor one of the session breaks it off."""
    shown = pressed(monkeypatch, Whole)
    assert shown.session_state["saved"] is True
    assert not shown.exception


def test_a_press_is_taken_in_though_another_message_comes_right_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It comes after the press was chosen to be next, and before anything was called."""
    monkeypatch.setattr(app_test, "LocalScriptRunner", Whole)
    opened = AppTest.from_function(page).run()
    waiting = [RerunData()]
    begin = SafeSessionState.on_script_will_rerun

    def come(state: SafeSessionState, *message: object, **options: object) -> None:
        ctx = get_script_run_ctx()
        assert ctx is not None
        assert ctx.script_requests is not None
        ctx.script_requests.request_rerun_batch(waiting[:])
        waiting.clear()
        begin(state, *message, **options)

    monkeypatch.setattr(SafeSessionState, "on_script_will_rerun", come)
    opened.button[0].click().run()
    assert not waiting
    assert opened.session_state["saved"] is True


def test_the_runner_of_streamlit_breaks_a_press_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """When this fails, ours is no longer needed."""
    assert "saved" not in pressed(monkeypatch, LocalScriptRunner).session_state


class Pressed(SessionState):
    """The state of a window whose press takes a while; `seen` are the messages that were taken in."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[object] = []
        self.is_pressed, self.may_end = Event(), Event()

    def on_script_will_rerun(self, fresh_widget_states: object, **_: object) -> None:
        """Take in a press, which waits for `may_end`, or another message."""
        if fresh_widget_states == "press":
            self.is_pressed.set()
            assert self.may_end.wait(60)
        self.seen.append(fresh_widget_states)


def runner_for(state: SessionState) -> WholeCallbacks:
    """Return the runner that Streamlit makes for a message of this window."""
    others = dict.fromkeys(list(inspect.signature(ScriptRunner.__init__).parameters)[2:], MagicMock())
    return WholeCallbacks("window", **others | {"session_state": state, "initial_rerun_data": RerunData()})


def take_in(runner: WholeCallbacks, message: str) -> None:
    """Take in a message, as a runner does before it draws the page."""
    runner._session_state.on_script_will_rerun(message)  # noqa: SLF001  (no public way)


def test_a_page_waits_for_the_press_before_it() -> None:
    """Else it is drawn beside the save, and shows as staged what is being saved."""
    state = Pressed()
    earlier, later = runner_for(state), runner_for(state)
    with ThreadPoolExecutor() as threads:
        press = threads.submit(take_in, earlier, "press")
        assert state.is_pressed.wait(60)
        tick = threads.submit(take_in, later, "tick")
        early = wait([tick], timeout=0.2).done
        state.may_end.set()
        wait([press, tick])
    assert (early, state.seen) == (set(), ["press", "tick"])


def test_a_message_that_is_never_taken_in_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its runner was stopped before it began."""
    monkeypatch.setattr(ScriptRunner, "_run_script_thread", lambda _: None)
    state = Pressed()
    earlier, later = runner_for(state), runner_for(state)
    earlier.start()
    take_in(later, "tick")
    assert state.seen == ["tick"]


def test_new_windows_have_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit makes the queue and the runner of a window by these names."""
    monkeypatch.setattr(app_session, "ForwardMsgQueue", ForwardMsgQueue)
    monkeypatch.setattr(app_session, "ScriptRunner", ScriptRunner)
    keep_messages()
    assert app_session.ForwardMsgQueue is AnsweringQueue
    assert app_session.ScriptRunner is WholeCallbacks
