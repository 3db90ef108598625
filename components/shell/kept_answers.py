"""Answers to a browser, kept when the page begins to run before they are sent.

A browser asks where to send a file, and for a file that is made on the click. Streamlit 1.67 queues the
answer among what the page draws, and throws that away when the whole page runs again: the file that a person
had dropped was lost without a word, and a download never came.
"""

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

_ANSWERS = frozenset({"file_urls_response", "backend_operation_response"})


class AnsweringQueue(ForwardMsgQueue):
    """A window's queue, from which no run takes an answer."""

    def clear(
        self,
        retain_lifecycle_msgs: bool = False,  # noqa: FBT001, FBT002  (Streamlit's own signature)
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        """Empty the queue as Streamlit does, and keep the answers when the whole page runs."""
        is_whole_run = retain_lifecycle_msgs and fragment_ids_this_run is None
        answers = [message for message in self._queue if _is_answer(message)] if is_whole_run else []
        super().clear(retain_lifecycle_msgs, fragment_ids_this_run)
        self._queue.extend(answers)


def keep_answers() -> None:
    """Give every window that opens from now on such a queue."""
    app_session.ForwardMsgQueue = AnsweringQueue  # type: ignore[attr-defined]  # no setting does it


def _is_answer(message: ForwardMsg) -> bool:
    return message.WhichOneof("type") in _ANSWERS
