"""Answers reach a browser and its presses are done, also when the page runs again meanwhile."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner, get_script_run_ctx
from streamlit.runtime.state.safe_session_state import SafeSessionState
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


def test_new_windows_have_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit makes the queue and the runner of a window by these names."""
    monkeypatch.setattr(app_session, "ForwardMsgQueue", ForwardMsgQueue)
    monkeypatch.setattr(app_session, "ScriptRunner", ScriptRunner)
    keep_messages()
    assert app_session.ForwardMsgQueue is AnsweringQueue
    assert app_session.ScriptRunner is WholeCallbacks
