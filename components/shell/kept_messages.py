"""Messages between a browser and its window, kept when the page begins to run in that moment.

A browser asks where to send a file, and for a file that is made on the click. Streamlit 1.67 queues the
answer among the drawings of the page, and throws it away when the whole page runs again. A dropped file was
lost without a word, and a download never came.

And it breaks a callback off, at its next look into the session, when another message comes from the browser.
A press of Save was taken in, half carried out and forgotten.
"""

from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.runtime.state.safe_session_state import SafeSessionState

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


class _State(SafeSessionState):
    """A window's state, which knows while it takes in a message: while callbacks run."""

    is_taking_in = False

    def on_script_will_rerun(self, *message: Any, **options: Any) -> None:  # noqa: ANN401  (Streamlit's own)
        """Take in a message of the browser, and call what waits for it."""
        object.__setattr__(self, "is_taking_in", True)  # a plain one would go into the session
        try:
            super().on_script_will_rerun(*message, **options)
        finally:
            object.__setattr__(self, "is_taking_in", False)


class WholeCallbacks(ScriptRunner):
    """A runner of pages that ends what it takes in. Right after it Streamlit looks for the next message."""

    _session_state: _State

    def __init__(self, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  (Streamlit's own)
        super().__init__(*arguments, **options)
        state = self._session_state._state  # noqa: SLF001  (no public way)
        self._session_state = _State(state, self._maybe_handle_execution_control_request)

    def _maybe_handle_execution_control_request(self) -> None:
        if not self._session_state.is_taking_in:
            super()._maybe_handle_execution_control_request()


def keep_messages() -> None:
    """Give every window that opens from now on such a queue and such a runner."""
    app_session.ForwardMsgQueue = AnsweringQueue  # type: ignore[attr-defined]  # no setting does it
    app_session.ScriptRunner = WholeCallbacks  # type: ignore[attr-defined]  # the same


def _is_answer(message: ForwardMsg) -> bool:
    return message.WhichOneof("type") in _ANSWERS
