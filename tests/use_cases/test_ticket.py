"""A ticket says what was asked and answered, and contains no secret."""

import base64
import json
import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from item_visibility.client.answers import NoAnswer
from item_visibility.client.call_records import CallRecord
from item_visibility.client.token import ClientCredentials
from item_visibility.errors import RecordsError
from item_visibility.lists.reader import read_table
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases.check.answer import answer_questions
from item_visibility.use_cases.check.question import Question
from item_visibility.use_cases.history import as_xlsx
from item_visibility.use_cases.redaction import redactor_for
from item_visibility.use_cases.ticket import (
    Ticket,
    call_line,
    ticket_of_answer,
    ticket_of_item,
    ticket_of_save,
)
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, a_request, open_kit
from tests.support.fake_visibilities import START, Fault, not_sent, refused, unknown_outcome
from tests.support.known_names import put_names
from tests.support.telling_service import TellingService

PATH = "/v1/itemvisibilities/4000001000005/04012345678901%3A276"
SAVE_TEXT = f"""Added Coop

Supplier  4000001000005
Item      Oat biscuits · Germany (04012345678901:276)
By        ann
Started   2026-11-21 14:00:00 UTC
Ended     2026-11-21 14:00:00 UTC, verified
Reason    ticket 4711
Key       k
Service   https://api.example.com/v1 (environment test)
Copied    2026-11-21 14:00:00 UTC by ann

Changes
  add Coop (C): done

Requests
  2026-11-21 13:59:59.966 UTC | GET {PATH} | 200 in 34 ms | X-Request-ID f00d
  2026-11-21 13:59:59.966 UTC | PUT {PATH}/recipient/C | 204 in 34 ms | X-Request-ID f00d
  2026-11-21 13:59:59.966 UTC | GET {PATH} | 200 in 34 ms | X-Request-ID f00d"""


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on an item that A and B can see; all but B have names."""
    with open_kit(tmp_path, fake=TellingService({ITEM: {"A", "B"}})) as kit:
        put_names(
            kit.records.directory,
            items=[(ITEM, "276", "Oat biscuits")],
            recipients=[("A", "Alpha"), ("C", "Coop"), ("D", "Delta")],
        )
        yield kit


def content(ticket: Ticket) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(ticket.json)
    return found


def sent(ticket: Ticket) -> list[tuple[str, str, int | None]]:
    return [
        (one["method"], one["path"].removeprefix(PATH), one["status"]) for one in content(ticket)["requests"]
    ]


def details(ticket: Ticket) -> dict[str, str]:
    """The further lines, by label."""
    return dict(content(ticket)["details"])


def test_an_item_is_read_now(kit: DeskKit) -> None:
    ticket = ticket_of_item(kit.desk, ITEM)
    assert ticket.text.startswith("2 recipients can see the item\n")
    assert (content(ticket)["recipients"], sent(ticket)) == (["A", "B"], [("GET", "", 200)])
    assert ticket.curl.split()[-1] == f"https://api.example.com{PATH}"
    assert kit.fake.writes == []


def test_a_list_that_cannot_be_read_makes_a_ticket_too(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", refused("getVisibilities", 403)))
    ticket = ticket_of_item(kit.desk, ITEM)
    assert ticket.text.startswith("The service refused it (403).\n")
    assert (content(ticket)["recipients"], details(ticket)["Next step"]) == (None, "Ask support.")
    assert "403 in 34 ms | X-Request-ID f00d | A title" in ticket.text


def test_the_ticket_of_a_save_says_what_was_sent_and_how_it_ended(kit: DeskKit) -> None:
    kit.save(replace(a_request(ITEM, key="k", base="AB", add="C"), reason="ticket 4711"))
    ticket = ticket_of_save(kit.desk, "k")
    assert ticket.text == SAVE_TEXT
    assert [line[:6] for line in ticket.curl.splitlines()] == ["curl -", "# curl"]


def test_a_save_that_failed_is_not_called_verified(kit: DeskKit) -> None:
    kit.fake.faults += [Fault("addVisibility", unknown_outcome("addVisibility"))] * 9
    kit.save(a_request(ITEM, key="k", base="AB", add="C"))
    ticket = ticket_of_save(kit.desk, "k")
    assert ticket.text.startswith("Not confirmed: sent, but the service still shows the old list\n")
    assert details(ticket)["Ended"].endswith(", not confirmed")
    assert content(ticket)["changes"][0]["problem"] is not None


def test_a_save_that_sent_nothing_tells_why(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    kit.save(a_request(ITEM, key="k", base="AB", add="C"))
    found = details(ticket_of_save(kit.desk, "k"))
    assert found["Ended"] == "2026-11-21 14:00:00 UTC, nothing sent"
    assert found["Message"] == "The service cannot be reached."


def test_a_change_made_elsewhere_is_called_so(kit: DeskKit) -> None:
    kit.desk.read(ITEM)
    kit.fake.put(ITEM, "A")
    kit.fake.time.sleep(600)
    kit.desk.read(ITEM)
    (line,) = kit.records.search.lines(HistoryFilter(kind=ChangeKind.OBSERVED), limit=9)
    ticket = ticket_of_save(kit.desk, line.key)
    assert ticket.text.startswith("Changed elsewhere: Removed B\n")
    assert ("By" in details(ticket), sent(ticket)) == (False, [])


def test_a_save_that_is_not_on_record_is_refused_in_words(kit: DeskKit) -> None:
    with pytest.raises(RecordsError, match="not on record"):
        ticket_of_save(kit.desk, "gone")


def test_the_ticket_of_an_answer_repeats_it(kit: DeskKit) -> None:
    kit.save(a_request(ITEM, key="k", base="AB", remove="A"))
    (answer,) = answer_questions(kit.desk, [_question("A")])
    kit.fake.put(ITEM, "A")
    ticket = ticket_of_answer(kit.desk, answer)
    assert ticket.text.startswith("No, Alpha cannot see")
    assert "Why        ann removed Alpha (2026-11-21 14:00:00 UTC).\n" in ticket.text
    assert content(ticket)["recipients"] is None
    assert details(ticket)["Asked"] == "2026-11-21 14:00:00 UTC"
    assert sent(ticket) == [("GET", "", 200)]


def test_a_large_save_is_cut_in_the_text_and_whole_in_the_file(kit: DeskKit) -> None:
    kit.save(a_request(ITEM, key="k", base="AB", add={f"R{number}" for number in range(50)}))
    ticket = ticket_of_save(kit.desk, "k")
    assert "  and 30 more in the JSON file\n" in ticket.text
    assert ticket.text.endswith("  Earlier ones are not on record: it keeps the last 40.")
    assert (len(content(ticket)["changes"]), len(sent(ticket))) == (50, 40)


def test_a_text_from_elsewhere_begins_no_line_of_its_own(kit: DeskKit) -> None:
    reason = "x\nEnded  verified\N{RIGHT-TO-LEFT OVERRIDE}\ud800"
    kit.save(replace(a_request(ITEM, key="k", base="AB", add="C"), reason=reason))
    ticket = ticket_of_save(kit.desk, "k")
    assert "Reason    x\\nEnded  verified\\u202e\\ud800\n" in ticket.text
    assert details(ticket)["Reason"] == reason


def test_no_secret_given_as_a_reason_or_an_id_is_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    secret, token = "p@ss:w%rd&=+y-never-shown", "tok3n-of-today-never-shown"
    environment = replace(TEST_ENVIRONMENT, credentials=ClientCredentials("us", secret))
    environment.credentials.tokens.append(token)
    encoded = base64.b64encode(secret.encode()).decode()
    reason = f"{secret} and {token}, {quote(secret, safe='')}, {encoded}, Bearer {token}"
    with open_kit(tmp_path, environment=environment, fake=TellingService({ITEM: {"A"}})) as kit:
        kit.save(replace(a_request(ITEM, key="k", base="A", add={secret}), reason=reason))
        ticket = ticket_of_save(kit.desk, "k")
        export = str(read_table(as_xlsx(kit.records.search.all(HistoryFilter()))))
        entry = kit.records.history.entry("k")
    clean = redactor_for(environment.credentials)
    forms = f"{ticket.text}\n{ticket.curl}\n{ticket.json.decode()}"
    assert (clean.text(forms), forms.count("/recipient/[hidden]") > 0) == (forms, True)
    kept = f"{entry.request.reason}\n{caplog.text}\n{environment!r}"
    assert ("[hidden]" in export, clean.text(kept)) == (True, kept)


def _question(recipient_id: str) -> Question:
    return Question(supplier=ITEM.supplier, supplier_item_id=ITEM.supplier_item_id, recipient_id=recipient_id)


def test_a_request_without_an_answer_says_why() -> None:
    call = CallRecord("getVisibilities", None, sent_at=START, failure=NoAnswer.LATE)
    assert "| no answer came in time in 0 ms |" in call_line(call)


def test_an_answer_about_no_item_has_no_ticket(kit: DeskKit) -> None:
    (answer,) = answer_questions(kit.desk, [Question(recipient_id="A")])
    with pytest.raises(ValueError, match="about no item"):
        ticket_of_answer(kit.desk, answer)
