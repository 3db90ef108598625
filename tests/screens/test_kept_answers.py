"""What a browser asked for reaches it, also when the page runs again in that moment."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from components.shell.kept_answers import AnsweringQueue, keep_answers


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
    """What was drawn before it goes."""
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


def test_new_windows_have_such_a_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit makes the queue of a window by this name."""
    monkeypatch.setattr(app_session, "ForwardMsgQueue", ForwardMsgQueue)
    keep_answers()
    assert app_session.ForwardMsgQueue is AnsweringQueue
