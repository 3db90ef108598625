"""A save's requests and answers are still there tomorrow, beside its entry in the history."""

from dataclasses import replace
from datetime import timedelta

from item_visibility.api.observing import CallRecord
from item_visibility.changes.outcome import Exchanges
from item_visibility.errors import ProblemDetail
from item_visibility.records.database.connecting import Database
from item_visibility.records.history.recorded_saves import History
from item_visibility.records.history.stored_exchanges import SavesExchanges, as_stored
from tests.records.entries import begin, minute
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
ALL = Exchanges((TOKEN, READ, REFUSED, LOST), 7)


def test_the_exchanges_of_a_save_are_kept_with_its_entry(records: Database, history: History) -> None:
    """Times, paths as sent, the service's words and what was skipped."""
    result = begin(history, "k", add=("A",))
    begin(history, "open", add=("A",))
    history.settle("k", replace(result, exchanges=ALL))
    kept = SavesExchanges(records, "default")
    assert (kept.of("k"), kept.of("open"), kept.of("none")) == (ALL, Exchanges(), Exchanges())


def test_a_save_without_exchanges_keeps_none(records: Database, history: History) -> None:
    """As one that was settled by a program from before."""
    history.settle("k", begin(history, "k", add=("A",)))
    assert SavesExchanges(records, "default").of("k") == Exchanges()


def test_what_only_asked_for_a_token_is_kept_too(records: Database, history: History) -> None:
    """There is no path of an item then."""
    history.settle("k", replace(begin(history, "k", add=("A",)), exchanges=Exchanges((TOKEN,))))
    assert SavesExchanges(records, "default").of("k") == Exchanges((TOKEN,))


def test_an_ordinary_save_takes_little_room() -> None:
    """A job has 100,000 of them: three requests in less than 250 bytes."""
    done = CallRecord(
        "addVisibility",
        204,
        request_id="0123456789abcdef",
        method="PUT",
        path=f"{PATH}/recipient/9522000130002",
        sent_at=START,
    )
    assert len(as_stored(Exchanges((READ, done, READ)), since=START)) < 250
