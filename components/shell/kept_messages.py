"""Messages between a browser and its window, kept when the page begins to run in that moment.

A browser asks where to send a file, and for a file that is made on the click. Streamlit 1.67 queues the
answer among the drawings of the page, and throws it away when the whole page runs again. A dropped file was
lost without a word, and a download never came.

And it breaks a callback off, at its next look into the session, when another message comes from the browser.
A press of Save was taken in, half carried out and forgotten. The page that answers the other message is drawn
beside the callback, in a thread of its own: it showed as staged what was just being saved, and kept doing so.
"""

from collections.abc import Callable
from threading import Event
from typing import Any
from weakref import WeakValueDictionary

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime import app_session
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.runtime.state.safe_session_state import SafeSessionState
from streamlit.runtime.state.session_state import SessionState

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
    """A window's state, which knows while it takes in a message: while callbacks run.

    It begins once `is_taken_in_before` says that the message before this one is taken in.
    """

    is_taking_in = False
    is_taken_in: Event
    _is_taken_in_before: Event

    def __init__(
        self, state: SessionState, yield_callback: Callable[[], None], *, is_taken_in_before: Event
    ) -> None:
        super().__init__(state, yield_callback)
        self._note("is_taken_in", Event())
        self._note("_is_taken_in_before", is_taken_in_before)

    def on_script_will_rerun(self, *message: Any, **options: Any) -> None:  # noqa: ANN401  (Streamlit's own)
        """Take in a message of the browser, and call what waits for it."""
        self._is_taken_in_before.wait()
        self.is_taken_in.clear()
        self._note("is_taking_in", True)  # noqa: FBT003  (a value, no switch)
        try:
            super().on_script_will_rerun(*message, **options)
        finally:
            self._note("is_taking_in", False)  # noqa: FBT003  (the same)
            self.is_taken_in.set()

    def _note(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)  # a plain one would go into the session


class WholeCallbacks(ScriptRunner):
    """A runner of pages that ends what it takes in. Right after it Streamlit looks for the next message.

    Streamlit makes a new runner for a message that comes while one runs, and the two run side by side until
    the old one notices. So the new one takes in its message after the old one has, in the order in which the
    messages came.
    """

    _session_state: _State

    def __init__(self, session_id: str, *arguments: Any, **options: Any) -> None:  # noqa: ANN401  (Streamlit's own)
        super().__init__(session_id, *arguments, **options)
        before = _LAST_OF_WINDOW.get(session_id)
        self._session_state = _State(
            self._session_state._state,  # noqa: SLF001  (no public way)
            self._maybe_handle_execution_control_request,
            is_taken_in_before=_nothing_before() if before is None else before.is_taken_in,
        )
        _LAST_OF_WINDOW[session_id] = self

    @property
    def is_taken_in(self) -> Event:
        """Set while this runner takes in no message, once it has taken in its first or has ended."""
        return self._session_state.is_taken_in

    def _run_script_thread(self) -> None:
        try:
            super()._run_script_thread()
        finally:
            self.is_taken_in.set()  # one that was stopped before it began keeps nobody waiting

    def _maybe_handle_execution_control_request(self) -> None:
        if not self._session_state.is_taking_in:
            super()._maybe_handle_execution_control_request()


_LAST_OF_WINDOW: WeakValueDictionary[str, WholeCallbacks] = WeakValueDictionary()
"""The last runner of each window, by its session."""


def _nothing_before() -> Event:
    event = Event()
    event.set()
    return event


def keep_messages() -> None:
    """Give every window that opens from now on such a queue and such a runner."""
    app_session.ForwardMsgQueue = AnsweringQueue  # type: ignore[attr-defined]  # no setting does it
    app_session.ScriptRunner = WholeCallbacks  # type: ignore[attr-defined]  # the same


def _is_answer(message: ForwardMsg) -> bool:
    return message.WhichOneof("type") in _ANSWERS
