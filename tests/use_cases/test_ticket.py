"""A ticket reports requests and answers without secrets.

Its cURL commands send the same requests again.
"""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from item_visibility.client.answers import NoAnswer
from item_visibility.client.call_records import CallRecord
from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey, refusal
from item_visibility.client.operations import (
    ADD_VISIBILITY,
    GET_VISIBILITIES,
    SET_VISIBILITIES,
    Request,
    item_request,
    recipient_request,
)
from item_visibility.errors import ProblemDetail, RecordsError
from item_visibility.model.change import ChangeKind
from item_visibility.model.known_ids import Kind
from item_visibility.storage.history import HistoryFilter
from item_visibility.use_cases import ticket
from item_visibility.use_cases.check.find_answer import answer_questions
from item_visibility.use_cases.check.question import Question
from item_visibility.use_cases.connection_check import examine, report_ticket
from item_visibility.use_cases.redaction import Redactor
from item_visibility.use_cases.ticket import (
    Ticket,
    call_line,
    curl_commands,
    ticket_of_answer,
    ticket_of_item,
    ticket_of_save,
)
from tests.support.desk import ITEM, DeskKit, a_request, open_kit, put_names
from tests.support.fake_visibilities import (
    START,
    Fault,
    not_sent,
    refused,
    unknown_outcome,
)
from tests.support.fault_service import CLIENT_ID, CLIENT_SECRET, FaultService
from tests.support.hostile_texts import HOSTILE_IDS
from tests.support.thorough import sample

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
  2026-11-21 13:59:59.966 UTC | PUT {PATH}/recipient/C | 204 in 34 ms | \
X-Request-ID f00d
  2026-11-21 13:59:59.966 UTC | GET {PATH} | 200 in 34 ms | X-Request-ID f00d"""


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    with open_kit(tmp_path, {ITEM: {"A", "B"}}) as kit:
        put_names(
            kit.records.directory,
            items=[(ITEM, "276", "Oat biscuits")],
            recipients=[("A", "Alpha"), ("C", "Coop"), ("D", "Delta")],
        )
        yield kit


def content(ticket: Ticket) -> dict[str, Any]:
    in_json: dict[str, Any] = json.loads(ticket.json)
    return in_json


def sent(ticket: Ticket) -> list[tuple[str, str, int | None]]:
    return [
        (request["method"], request["path"].removeprefix(PATH), request["status"])
        for request in content(ticket)["requests"]
    ]


def details(ticket: Ticket) -> dict[str, str]:
    return dict(content(ticket)["details"])


def test_an_item_is_read_now(kit: DeskKit) -> None:
    ticket = ticket_of_item(kit.desk, ITEM)
    assert ticket.text.startswith("2 recipients can see the item\n")
    assert content(ticket)["recipients"] == ["A", "B"]
    assert sent(ticket) == [("GET", "", 200)]
    assert ticket.curl.split()[-1] == f"https://api.example.com{PATH}"
    assert kit.fake.writes == []


def test_a_list_that_cannot_be_read_makes_a_ticket_too(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", refused(403)))
    ticket = ticket_of_item(kit.desk, ITEM)

    assert ticket.text.startswith("The service refused it (403).\n")
    assert content(ticket)["recipients"] is None
    assert details(ticket)["Next step"] == "Ask support."
    assert "403 in 34 ms | X-Request-ID f00d | A title" in ticket.text


def test_the_ticket_of_a_save_says_what_was_sent_and_how_it_ended(kit: DeskKit) -> None:
    kit.save(
        replace(a_request(ITEM, key="k", base="AB", add="C"), reason="ticket 4711")
    )
    ticket = ticket_of_save(kit.desk, "k")

    assert ticket.text == SAVE_TEXT
    assert [line[:6] for line in ticket.curl.splitlines()] == ["curl -", "# curl"]


def test_a_save_that_failed_is_not_called_verified(kit: DeskKit) -> None:
    kit.fake.faults += [Fault("addVisibility", unknown_outcome())] * 9
    kit.save(a_request(ITEM, key="k", base="AB", add="C"))
    ticket = ticket_of_save(kit.desk, "k")

    assert ticket.text.startswith(
        "Not confirmed: sent, but the service still shows the old list\n"
    )
    assert details(ticket)["Ended"].endswith(", not confirmed")
    assert content(ticket)["changes"][0]["problem"] is not None


def test_a_ticket_says_why_nothing_was_sent(kit: DeskKit) -> None:
    kit.fake.faults.append(Fault("getVisibilities", not_sent()))
    kit.save(a_request(ITEM, key="k", base="AB", add="C"))
    labelled = details(ticket_of_save(kit.desk, "k"))

    assert labelled["Ended"] == "2026-11-21 14:00:00 UTC, nothing sent"
    assert labelled["Message"] == "The service cannot be reached."


def test_a_ticket_says_that_a_change_was_made_elsewhere(kit: DeskKit) -> None:
    kit.desk.read(ITEM)
    kit.fake.put(ITEM, "A")
    kit.fake.time.sleep(600)
    kit.desk.read(ITEM)
    (line,) = kit.records.history.lines(
        HistoryFilter(kind=ChangeKind.OBSERVED), limit=9
    )
    ticket = ticket_of_save(kit.desk, line.key)

    assert ticket.text.startswith("Changed elsewhere: Removed B\n")
    assert "By" not in details(ticket)
    assert sent(ticket) == []


def test_a_ticket_of_an_unknown_save_is_refused(kit: DeskKit) -> None:
    with pytest.raises(RecordsError, match="not recorded"):
        ticket_of_save(kit.desk, "gone")


def test_the_ticket_of_an_answer_contains_the_answer(kit: DeskKit) -> None:
    kit.save(a_request(ITEM, key="k", base="AB", remove="A"))
    question = Question(
        ids=dict(zip(Kind, (ITEM.supplier, ITEM.supplier_item_id, "A"), strict=True))
    )
    (answer,) = answer_questions(kit.desk, [question])
    kit.fake.put(ITEM, "A")
    ticket = ticket_of_answer(kit.desk, answer)

    assert ticket.text.startswith("No, Alpha cannot see")
    assert "Why        ann removed Alpha (2026-11-21 14:00:00 UTC).\n" in ticket.text
    assert content(ticket)["recipients"] is None
    assert details(ticket)["Asked"] == "2026-11-21 14:00:00 UTC"
    assert sent(ticket) == [("GET", "", 200)]


def test_a_large_save_is_shortened_in_the_text_and_complete_in_the_file(
    kit: DeskKit,
) -> None:
    kit.save(
        a_request(ITEM, key="k", base="AB", add={f"R{number}" for number in range(50)})
    )
    ticket = ticket_of_save(kit.desk, "k")

    assert "  and 30 more in the JSON file\n" in ticket.text
    assert ticket.text.endswith("  Only the last 40 requests are recorded.")
    assert len(content(ticket)["changes"]) == 50
    assert len(sent(ticket)) == 40


def test_a_text_from_elsewhere_begins_no_line_of_its_own(kit: DeskKit) -> None:
    reason = "x\nEnded  verified\N{RIGHT-TO-LEFT OVERRIDE}\ud800"
    kit.save(replace(a_request(ITEM, key="k", base="AB", add="C"), reason=reason))
    ticket = ticket_of_save(kit.desk, "k")

    assert "Reason    x\\nEnded  verified\\u202e\\ud800\n" in ticket.text
    assert details(ticket)["Reason"] == reason


def test_a_report_without_requests_has_no_list_of_them(kit: DeskKit) -> None:
    report = replace(examine(kit.desk, ITEM), last_hour=(), calls=())
    text = report_ticket(report, base_url="https://api.example.com/v1").text
    assert "The last hour" not in text
    assert "The last exchanges" not in text


def test_a_request_without_an_answer_says_why() -> None:
    call = CallRecord(
        "getVisibilities", None, sent_at=START, failure=NoAnswer.LATE.value.fact
    )
    assert "| no answer came in time in 0 ms |" in call_line(call)


def test_an_answer_without_an_item_has_no_ticket(kit: DeskKit) -> None:
    (answer,) = answer_questions(kit.desk, [Question(ids={Kind.RECIPIENT: "A"})])
    with pytest.raises(ValueError, match="no item or no recipient"):
        ticket_of_answer(kit.desk, answer)


SENT = [own_id for own_id in HOSTILE_IDS if refusal(own_id, name="item") is None]
ORIGIN = "https://api.example.com"
SET = item_request(SET_VISIBILITIES, ORIGIN, ItemKey("S", "I"), b'["R"]')
SHOW = 'curl() { printf "%s\\n" "$@"; }\n'
"""A shell function that replaces curl and prints each of its arguments on a line."""


def run(script: str, **environ: str) -> str:
    command = ["/bin/sh", "-c", script]
    variables = os.environ | environ
    return subprocess.run(
        command, capture_output=True, env=variables, check=True
    ).stdout.decode()


def commands(*requests: Request) -> str:
    calls = [
        CallRecord(
            request.operation.name,
            200,
            method=request.operation.method,
            path=request.path,
            sent_at=START,
        )
        for request in requests
    ]
    return curl_commands(
        calls, base_url=requests[0].url.partition("/itemvisibilities")[0]
    )


def test_any_id_is_quoted_exactly_in_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ticket, "_MOST_LINES", len(SENT))
    base_url = f"{ORIGIN}/a'b$TOKEN&c/v1"
    requests = [
        item_request(GET_VISIBILITIES, base_url, ItemKey(call, call)) for call in SENT
    ]
    arguments = run(SHOW + commands(*requests), TOKEN="abc d").splitlines()

    assert [argument for argument in arguments if argument.startswith("https:")] == [
        request.url for request in requests
    ]
    assert arguments.count("Authorization: Bearer abc d") == len(requests)


@pytest.mark.parametrize(
    "request_", [recipient_request(ADD_VISIBILITY, ORIGIN, ItemKey("S", "I"), "R"), SET]
)
def test_a_command_that_changes_something_does_nothing_when_it_is_pasted(
    request_: Request,
) -> None:
    line = commands(request_)
    assert run(SHOW + line) == ""
    assert "-X\nPUT\n" in run(SHOW + line.removeprefix("# "))
    assert ("--data-binary @list.json" in line) is (request_ is SET)


def test_each_request_is_named_once_and_a_request_for_a_token_never() -> None:
    read = CallRecord(
        "getVisibilities",
        200,
        method="GET",
        path="/v1/itemvisibilities/S/I",
        sent_at=START,
    )
    token = CallRecord("requestToken", 200, method="POST", path="/token", sent_at=START)

    assert len(curl_commands([token, read, read], base_url=ORIGIN).splitlines()) == 1


@pytest.mark.contract
@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here")
def test_a_command_asks_the_service_for_exactly_this_item() -> None:
    ids = sample(SENT, 10)
    with FaultService() as service:
        with VisibilityClient(
            service.base_url, service.auth_url, CLIENT_ID, CLIENT_SECRET
        ) as client:
            client.request_token()
        (token,) = service.tokens.issued
        requests = [
            recipient_request(
                ADD_VISIBILITY, service.base_url, ItemKey(own_id, own_id), own_id
            )
            for own_id in ids
        ]
        lines = commands(*requests).splitlines()
        answers = run("\n".join(line.removeprefix("# ") for line in lines), TOKEN=token)

        for own_id in ids:
            recipients = service.fake.recipients_of(ItemKey(own_id, own_id))
            assert recipients == {own_id}

    assert answers.count("HTTP/1.1 204") == len(ids)


SECRET = "s3cr3t/of+ours ä&\"<'"
LONG = "opaque-token." + "x1Y2" * 40
WAYS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "in an address": lambda text: quote(text, safe=""),
    "in an address, small": lambda text: quote(text, safe="").replace("%2F", "%2f"),
    "in a form": quote_plus,
    "in JSON": lambda text: json.dumps(text)[1:-1],
    "in JSON, unescaped": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "in base64": lambda text: base64.b64encode(text.encode()).decode(),
    "in base64 of an address": lambda text: base64.urlsafe_b64encode(
        text.encode()
    ).decode(),
}


@pytest.mark.parametrize("secret", [SECRET, LONG])
@pytest.mark.parametrize("way", WAYS)
def test_a_known_secret_is_hidden_in_each_usual_writing(secret: str, way: str) -> None:
    written = WAYS[way](secret)
    hidden = Redactor([secret]).text(f"before {written} after")

    assert written not in hidden
    assert hidden.split()[0] == "before"
    assert hidden.split()[-1] == "after"
    assert "[hidden]" in hidden


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Authorization: Bearer abc123def456ghi7 no", "[hidden] no"),
        ("the Bearer%20abc-123-def-456-ghi was", "the [hidden] was"),
        ("said bearer AAAA.bbbb.CCCC.dddd.EEEE", "said [hidden]"),
        ("Basic dXM6bmV2ZXItc2hvd24tMQ== ", "[hidden] "),
        ("x eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln y", "x [hidden] y"),
        ('{"client_secret": "abc"}', '{"[hidden]"}'),
        ("grant_type=x&client_secret=abc&y=1", "grant_type=x&[hidden]&y=1"),
        ("access_token%22%3A%22abc%22", "[hidden]"),
        ("password = hunter2, then", "[hidden], then"),
        ("Bearer authentication required for this document", None),
        ("Basic Baguette 04012345678901:276", None),
        ("The password was reset; ticket 4711", None),
        ("demo", None),
        ('curl -H "Authorization: Bearer $TOKEN" -H x', None),
    ],
)
def test_what_looks_like_a_secret_is_hidden_and_words_are_not(
    text: str, expected: str | None
) -> None:
    assert Redactor(["demo"]).text(text) == (text if expected is None else expected)


def test_every_text_of_a_value_is_cleaned() -> None:
    hide = Redactor([SECRET]).value
    call = CallRecord(
        "addVisibility",
        400,
        path="/S/I",
        problem=ProblemDetail(400, "No"),
        sent_at=START,
    )
    planted = replace(
        call, path=f"/{quote(SECRET)}", problem=ProblemDetail(400, SECRET)
    )
    clean = replace(call, path="/[hidden]", problem=ProblemDetail(400, "[hidden]"))

    assert hide((planted, SECRET, call)) == (clean, "[hidden]", call)
