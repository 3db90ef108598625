"""The client of the service, from whose calls a learner learns; it sends nothing of its own."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from item_visibility.api import requests
from item_visibility.api.client import VisibilityClient
from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord, collected
from item_visibility.api.operations import ADD_VISIBILITY, REMOVE_VISIBILITY, SET_VISIBILITIES, Operation
from item_visibility.desk.connection.learner import Learner

logger = logging.getLogger(__name__)


class LearningClient(VisibilityClient):
    """Makes each call as it is asked for, and tells `learner` what came of it. Set it before any call.

    It makes the calls itself, and not through its parent: from Save to the wire there are few frames.
    """

    learner: Learner

    def get_visibilities(self, item: ItemKey) -> frozenset[str] | None:
        """Return the recipients that can see the item, None for an empty 404. Spec: "Endpoints"; Note N4."""
        with collected() as asked:
            recipients = self._calls.run(requests.get_visibilities(self._base_url, item))
        _try_to(partial(self.learner.read, item, recipients or frozenset(), asked.records[-1]))
        return recipients

    def set_visibilities(self, item: ItemKey, recipients: Iterable[str]) -> None:
        """Set the recipients of the item from a list. Spec: "Endpoints"; Note N3."""
        wanted = recipients if isinstance(recipients, str) else frozenset(recipients)
        with _learning(SET_VISIBILITIES, partial(self.learner.list_was_set, item, frozenset(wanted))):
            self._calls.run(requests.set_visibilities(self._base_url, item, wanted))

    def remove_visibilities(self, item: ItemKey) -> None:
        """Remove all recipients of the item. Spec: "Endpoints"."""
        try:
            self._calls.run(requests.remove_visibilities(self._base_url, item))
        finally:
            self.learner.forget(item)

    def add_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Make the item visible for one recipient. Spec: "Endpoints"."""
        with _learning(ADD_VISIBILITY, partial(self.learner.changed, item, recipient_id, is_in=True)):
            self._calls.run(requests.add_visibility(self._base_url, item, recipient_id))

    def remove_visibility(self, item: ItemKey, recipient_id: str) -> None:
        """Remove the visibility of the item for one recipient. Spec: "Endpoints"; Note N5."""
        with _learning(REMOVE_VISIBILITY, partial(self.learner.changed, item, recipient_id, is_in=False)):
            self._calls.run(requests.remove_visibility(self._base_url, item, recipient_id))


@contextmanager
def _learning(operation: Operation, learn: Callable[[Sequence[CallRecord]], None]) -> Iterator[None]:
    """Learn from the requests of this operation in the block, also when it fails."""
    with collected() as asked:
        try:
            yield
        finally:
            calls = [call for call in asked.records if call.operation == operation.name]
            if calls:
                _try_to(partial(learn, calls))


def _try_to(learn: Callable[[], None]) -> None:
    """Learn; a fault in that must not harm the call, whose outcome the caller waits for."""
    try:
        learn()
    except Exception:
        logger.exception("A call could not be learned from")
