"""A save's requests and answers are still there tomorrow, beside its entry in the history."""

from dataclasses import replace
from datetime import timedelta

from item_visibility.client.call_records import CallRecord
from item_visibility.errors import ProblemDetail
from item_visibility.storage.history.saves import History
from tests.storage.entries import begin, minute
from tests.support.fake_visibilities import START

PATH = "/v1/itemvisibilities/S/I"
TOKEN = CallRecord("requestToken", 200, took_s=0.2, method="POST", path="/auth/realms/x", sent_at=START)
READ = CallRecord("getVisibilities", 200, request_id="f00d", method="GET", path=PATH, sent_at=START)
REFUSED = CallRecord(
    "addVisibility",
    400,
    request_id="beef",
    took_s=1.234,
    method="PUT",
    path=f"{PATH}/recipient/a%2Fb",
    problem=ProblemDetail(400, "No\x00", "Because \ud800.", "urn:x"),
    attempt=2,
    sent_at=START + timedelta(milliseconds=1_500),
)
LOST = CallRecord(
    "removeVisibility",
    None,
    "no answer came in time",
    method="DELETE",
    path=f"{PATH}/recipient/c",
    sent_at=minute(2),
)
ALL = (TOKEN, READ, REFUSED, LOST)


def test_the_exchanges_of_a_save_are_kept_with_its_entry(history: History) -> None:
    """Times, paths as sent and the service's words."""
    result = begin(history, "k", add=("A",))
    begin(history, "open", add=("A",))
    history.settle("k", replace(result, exchanges=ALL))
    assert [history.exchanges(key) for key in ("k", "open", "none")] == [ALL, (), ()]


def test_a_save_without_exchanges_keeps_none(history: History) -> None:
    """As one that was settled by a program from before."""
    history.settle("k", begin(history, "k", add=("A",)))
    assert history.exchanges("k") == ()
