"""The recording fake, with a record of each call as the client makes one: for tickets."""

from collections.abc import Callable
from datetime import timedelta

from item_visibility.client import operations
from item_visibility.client.answers import UNEXPECTED, Answer, Failure, Success
from item_visibility.client.call_records import ignore, observe, record_of
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    REMOVE_VISIBILITIES,
    REMOVE_VISIBILITY,
)
from item_visibility.errors import CallError
from tests.support.desk import TEST_ENVIRONMENT, FakeService
from tests.support.fake_visibilities import FakeCall


class TellingService(FakeService):
    """The fake; whoever collects exchanges gets one for each call."""

    def _run(self, call: FakeCall, change: Callable[[frozenset[str]], frozenset[str] | None]) -> None:
        try:
            super()._run(call, change)
        except CallError as error:
            self._tell(call, error)
            raise
        self._tell(call, None)

    def _tell(self, call: FakeCall, error: CallError | None) -> None:
        is_read = call.operation == GET_VISIBILITIES.name
        problem = None if error is None else error.problem
        status = (200 if is_read else 204) if problem is None else problem.status
        answer = Answer(status, request_id="f00d")
        record = record_of(
            _request(call),
            Success(answer) if error is None else Failure(UNEXPECTED, "", answer, problem),
            request_id=answer.request_id,
            sent_at=self.time.now() - timedelta(milliseconds=34),
            took_s=0.034,
        )
        observe(record, ignore)


def _request(call: FakeCall) -> operations.Request:
    base_url, item, recipient_id = TEST_ENVIRONMENT.base_url, call.item, call.recipient_id or ""
    match call.operation:
        case GET_VISIBILITIES.name:
            return operations.get_visibilities(base_url, item)
        case ADD_VISIBILITY.name:
            return operations.add_visibility(base_url, item, recipient_id)
        case REMOVE_VISIBILITY.name:
            return operations.remove_visibility(base_url, item, recipient_id)
        case REMOVE_VISIBILITIES.name:
            return operations.remove_visibilities(base_url, item)
        case _:
            return operations.set_visibilities(base_url, item, call.recipients or ())
