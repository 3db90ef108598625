"""One press shows evidence, on the item, the save, the entry and the job's row."""

from dataclasses import replace
from unittest.mock import patch

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord
from item_visibility.api.token.renewal import ClientCredentials
from item_visibility.errors import ProblemDetail, RecordsError
from item_visibility.records.history.search import HistoryFilter
from tests.evidence.plants import BEARER, OPAQUE, SECRET
from tests.screens.bulk import RESULTS, SUPPLIER
from tests.screens.conftest import OpenBulk, OpenDesk
from tests.support.desk import ITEM, TEST_ENVIRONMENT, a_request
from tests.support.fake_visibilities import START, Fault, refused
from tests.support.screens import (
    CHECK_PAGE,
    CONNECTION_PAGE,
    COVERAGE_PAGE,
    DIRECTORY_PAGE,
    HISTORY_PAGE,
    RECIPIENT_PAGE,
    Window,
)
from tests.support.telling_service import TellingService
from tests.support.thorough import this_is_thorough

pytestmark = pytest.mark.screen


def shown(window: Window) -> str:
    """The evidence that a window shows."""
    return "".join(one.value for one in window.app.code if one.value.startswith("EVIDENCE: "))


def test_one_press_shows_evidence_of_the_item_and_another_of_its_save(open_desk: OpenDesk) -> None:
    """Of the item as it is read now; of the save as it was verified. A link opens the item again."""
    open_desk(fake=TellingService({ITEM: {"A", "B"}}))
    window = Window(ITEM)
    window.click("evidence_item")
    assert window.actions == 1
    text = shown(window)
    assert text.startswith("EVIDENCE: 2 recipients can see the item\n")
    assert f"/?supplier={ITEM.supplier}&item=04012345678901%3A276\n" in text
    window.untick("B")
    window.click("save")
    window.click("evidence_save")
    assert "Verified by a read after the last write" in shown(window)
    assert "DELETE" in shown(window)


def test_what_could_not_be_read_is_evidence_too(open_desk: OpenDesk) -> None:
    """The press asks again, and shows what the service answered; also where nothing may be written."""
    fake = TellingService({ITEM: {"A"}})
    fake.faults += [Fault("getVisibilities", refused("getVisibilities", 403))] * 3
    open_desk(fake=fake, environment=replace(TEST_ENVIRONMENT, is_read_only=True))
    window = Window(ITEM)
    window.click("evidence_item")
    assert "→ 403" in shown(window)


def test_evidence_that_cannot_be_made_is_refused_in_words(open_desk: OpenDesk) -> None:
    """The records behind the press may be gone."""
    kit = open_desk({ITEM: {"A"}})
    gone = RecordsError("It is not on record.", advice="Load the page again.")
    with patch.object(kit.desk.evidence, "of_item", side_effect=gone):
        window = Window(ITEM)
        window.click("evidence_item")
    assert "The evidence could not be made." in window.alerts
    assert (window.says("It is not on record."), shown(window)) == (True, "")


def test_a_chosen_row_of_a_job_shows_its_evidence(open_bulk: OpenBulk) -> None:
    """To choose it is the one action."""
    bulk = open_bulk({ItemKey(SUPPLIER, "I1"): {"R1"}})
    bulk.drop((SUPPLIER, "I1", "R2"))
    bulk.rests()
    bulk.window.click("apply")
    bulk.rests()
    assert shown(bulk.window) == ""
    bulk.select(RESULTS, 0)
    assert shown(bulk.window).startswith("EVIDENCE: add R2: verified\n")


def test_no_page_and_no_session_holds_a_planted_secret(open_desk: OpenDesk) -> None:
    """Given as a reason: not on the item, in its evidence, or in the history."""
    environment = replace(TEST_ENVIRONMENT, credentials=ClientCredentials("us", SECRET))
    environment.credentials.tokens.note(OPAQUE)
    kit = open_desk(fake=TellingService({ITEM: {"A", "B"}}), environment=environment)
    window = Window(ITEM)
    window.untick("B")
    window.type("reason", f"{SECRET}, {OPAQUE} and Bearer {BEARER}")
    window.click("save")
    window.click("evidence_save")
    (line,) = kit.records.search.newest(HistoryFilter(), limit=9).lines
    seen = everything_in(window)
    window.go_to(HISTORY_PAGE, entry=line.key)
    seen += everything_in(window)
    assert "Why: [hidden] [hidden] and [hidden]" in seen
    assert [one for one in (SECRET, OPAQUE, BEARER) if one in seen] == []


@pytest.mark.skipif(not this_is_thorough(), reason="tests/desk tries the report: --thorough")
def test_no_other_page_holds_a_planted_secret(open_desk: OpenDesk) -> None:
    """Not where the service repeats it in its words, nor where it was given as a reason."""
    environment = replace(TEST_ENVIRONMENT, credentials=ClientCredentials("us", SECRET))
    environment.credentials.tokens.note(OPAQUE)
    kit = open_desk(fake=TellingService({ITEM: {"A", "B"}}), environment=environment)
    words = ProblemDetail(503, f"Not {OPAQUE}", f"nor {SECRET} nor Bearer {BEARER}")
    kit.watch.observe(CallRecord("getVisibilities", 503, problem=words, sent_at=START))
    kit.save(replace(a_request(ITEM, base="AB", remove="B"), reason=f"{SECRET} and {OPAQUE}"))
    window = Window()
    window.go_to(CONNECTION_PAGE)
    seen = everything_in(window)
    assert "Not [hidden]" in seen
    for_each = (CHECK_PAGE, DIRECTORY_PAGE, COVERAGE_PAGE, RECIPIENT_PAGE)
    seen += "".join(everything_at(window, page) for page in for_each)
    assert [one for one in (SECRET, OPAQUE, BEARER) if one in seen] == []


def everything_at(window: Window, page: str) -> str:
    """All of another page, opened on the item."""
    window.go_to(page, supplier=ITEM.supplier, item=ITEM.supplier_item_id, recipient="B")
    return everything_in(window)


def everything_in(window: Window) -> str:
    """All texts and tables of a screen, and the state of its session."""
    tables = [table.value.to_csv() for table in window.app.dataframe]
    return "\n".join((*window.words, *tables, repr(window.app.session_state)))
