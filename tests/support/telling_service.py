"""The recording fake, with a record of each call as the client makes one: for tickets."""

from collections.abc import Callable
from datetime import timedelta

from item_visibility.client import operations
from item_visibility.client.call_records import CallRecord, ignore, observe
from item_visibility.client.operations import Operation, item_request, recipient_request
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
        known = [one for one in vars(operations).values() if isinstance(one, Operation)]
        (operation,) = (one for one in known if one.name == call.operation)
        request = (
            item_request(operation, TEST_ENVIRONMENT.base_url, call.item)
            if call.recipient_id is None
            else recipient_request(operation, TEST_ENVIRONMENT.base_url, call.item, call.recipient_id)
        )
        problem = None if error is None else error.problem
        status = (200 if operation.is_read else 204) if problem is None else problem.status
        record = CallRecord(
            operation.name,
            status,
            request_id="f00d",
            took_s=0.034,
            method=operation.method,
            path=request.path,
            problem=problem,
            sent_at=self.time.now() - timedelta(milliseconds=34),
        )
        observe(record, ignore)
