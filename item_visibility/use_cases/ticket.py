"""Tickets: requests and answers for support, as text, cURL commands and JSON.

Secrets are hidden, also in the reasons of changes and in the service's errors. Times
are in UTC. The functions that return a ticket raise SignInError and RoleError.
"""

import json
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from urllib.parse import urlsplit

from item_visibility.access.people import Role
from item_visibility.client.call_records import MOST_COLLECTED, CallRecord, collected
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.operations import (
    ACCEPT,
    GET_VISIBILITIES,
    JSON_BODY,
    REQUEST_TOKEN,
    SET_VISIBILITIES,
)
from item_visibility.errors import ItemVisibilityError, ProblemDetail, RecordsError
from item_visibility.model.change import ChangeKind, Goal
from item_visibility.model.change_words import done_in_words, result_in_words
from item_visibility.model.outcome import StepResult
from item_visibility.model.words import many, one_line
from item_visibility.storage.database_errors import or_else
from item_visibility.use_cases.check.answer import (
    Answer,
    in_utc,
    reason_words,
    sentence_of,
)
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.redaction import redactor_for

_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class Ticket:
    """The three forms of a ticket. `curl` is empty when no request was sent."""

    text: str
    curl: str
    json: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Content:
    sentence: str
    item: ItemKey
    details: tuple[tuple[str, str], ...]
    """Labels and texts. An empty text is left out."""
    changes: tuple[StepResult, ...] = ()
    recipients: tuple[str, ...] | None = None
    requests: tuple[CallRecord, ...]


def ticket_of_item(desk: Desk, item: ItemKey) -> Ticket:
    """Read the item and return the ticket.

    If the read fails, the ticket contains the error.
    """
    desk.access.require(Role.VIEWER)
    recipients = None
    advice = ""
    with collected() as requests:
        try:
            recipients = tuple(sorted(desk.read(item).recipients or ()))
            sentence = f"{many(len(recipients), 'recipient')} can see the item"
        except ItemVisibilityError as error:
            sentence = error.message
            advice = error.advice

    content = _Content(
        sentence=sentence,
        item=item,
        details=(("Next step", advice),),
        recipients=recipients,
        requests=tuple(requests),
    )
    return _ticket(desk, content)


def ticket_of_save(desk: Desk, key: str) -> Ticket:
    """Return the ticket of a change, made here or elsewhere.

    Raises RecordsError if it has not ended.
    """
    desk.access.require(Role.VIEWER)
    status = desk.save_status(key)
    if status is None or status.result is None:
        raise RecordsError(
            "This change was not recorded or has not ended yet.",
            advice="Load the page again.",
        )

    request = status.request
    result = status.result
    names = desk.names.recipient_names(
        [*result.added[:_MOST_LINES], *result.removed[:_MOST_LINES]]
    )
    if request.kind is ChangeKind.OBSERVED:
        person = ""
        done = done_in_words(result.added, result.removed, names)
        sentence = f"Changed elsewhere: {done}"
    else:
        person = request.person
        sentence = result_in_words(result, names)

    history = desk.records.history
    content = _Content(
        sentence=sentence,
        item=request.item,
        details=(
            ("By", person),
            ("Started", in_utc(result.started_at)),
            ("Ended", f"{in_utc(result.ended_at)}, {result.verdict}"),
            ("Reason", request.reason),
            ("Message", result.message),
            ("Next step", result.advice),
            ("Key", key),
        ),
        changes=result.steps,
        requests=result.exchanges or or_else((), lambda: history.exchanges(key)),
    )
    return _ticket(desk, content)


def ticket_of_answer(desk: Desk, answer: Answer) -> Ticket:
    """Return a support ticket about the answer.

    It names no other recipient of the item.
    """
    desk.access.require(Role.VIEWER)
    item = answer.question.item
    recipient_id = answer.question.recipient_id
    if item is None or recipient_id is None:
        raise ValueError("the question has no item or no recipient")

    names = desk.names.recipient_names([recipient_id])
    read = answer.read
    content = _Content(
        sentence=sentence_of(answer, when=in_utc),
        item=item,
        details=(
            ("Recipient", _with_name(recipient_id, names)),
            ("Asked", in_utc(read.at) if read.exchanges else ""),
            ("Why", reason_words(answer, when=in_utc)),
            ("Next step", read.error.advice if read.error else ""),
        ),
        requests=read.exchanges,
    )
    return _ticket(desk, content)


def _ticket(desk: Desk, content: _Content) -> Ticket:
    # Add the labels that all tickets have.
    environment = desk.environment
    item = content.item
    item_id = item.supplier_item_id
    supplier_names = desk.names.supplier_names([item.supplier])
    details = (
        ("Supplier", _with_name(item.supplier, supplier_names)),
        ("Item", _with_name(item_id, {item_id: desk.names.item_name(item)})),
        *content.details,
        ("Service", f"{environment.base_url} (environment {environment.name})"),
        ("Copied", f"{in_utc(desk.clock())} by {desk.access.person().name}"),
    )
    filled = tuple((label, text) for label, text in details if text)

    # Hide secrets before anything is written.
    redactor = redactor_for(environment.credentials)
    content = redactor.value(replace(content, details=filled))

    changed = [change.step.recipient_id for change in content.changes]
    names = desk.names.recipient_names(changed)
    changes = [redactor.text(_change_line(change, names)) for change in content.changes]
    requests = [call_line(call) for call in content.requests] or ["none recorded"]
    width = max(len(label) for label, _ in content.details)
    lines = [
        content.sentence,
        "",
        *(f"{label:<{width}}  {text}" for label, text in content.details),
        *_section("Changes", changes),
        *_section("Requests", requests),
    ]
    if len(content.requests) == MOST_COLLECTED:
        lines.append(f"  Only the last {MOST_COLLECTED} requests are recorded.")

    return Ticket(
        text="\n".join(map(one_line, lines)),
        curl=curl_commands(content.requests, base_url=environment.base_url),
        json=as_json(asdict(content)),
    )


def call_line(call: CallRecord) -> str:
    """Return a request and its answer in one line.

    It contains the request id, which the service's log can be searched for.
    """
    milliseconds = f"{call.sent_at:%Y-%m-%d %H:%M:%S.%f}"[:-3]
    attempt = f", attempt {call.attempt}" if call.attempt > 1 else ""
    parts = (
        f"{milliseconds} UTC",
        f"{call.method} {call.path}",
        f"{answer_words(call)} in {call.took_s * 1000:.0f} ms{attempt}",
        f"X-Request-ID {call.request_id}",
        problem_words(call.problem),
    )
    return " | ".join(filter(None, parts))


def answer_words(call: CallRecord) -> str:
    """Return the status and the error of an answer, or why there was no answer."""
    if call.status is None:
        return call.failure
    renewed = "sent again with a new token" if call.is_renewed else ""
    return ", ".join(filter(None, [str(call.status), call.failure, renewed]))


def problem_words(problem: ProblemDetail | None) -> str:
    """Return the text of the service's error, or an empty text."""
    if problem is None:
        return ""
    return ": ".join(filter(None, [problem.title, problem.detail, problem.instance]))


def curl_commands(requests: Iterable[CallRecord], *, base_url: str) -> str:
    """Return commands that send the same requests again, one per line.

    `$TOKEN` is the access token. Commands that would change something are commented
    out, so it is safe to paste all lines.
    """
    base = urlsplit(base_url)
    origin = f"{base.scheme}://{base.netloc}"
    commands = [
        _curl(call, f"{origin}{call.path}")
        for call in requests
        if call.operation != REQUEST_TOKEN.name
    ]
    distinct = [*dict.fromkeys(commands)]
    return "\n".join(distinct[:_MOST_LINES])


def as_json(content: Mapping[str, object]) -> bytes:
    """Return the content as a JSON file."""
    return json.dumps(content, default=str, indent=1).encode("ascii")


def _curl(call: CallRecord, url: str) -> str:
    words = [
        # Without these two options, curl rewrites brackets and dots.
        f"curl -sS -i --globoff --path-as-is -X {call.method}",
        '-H "Authorization: Bearer $TOKEN"',
        f"-H {shlex.quote(': '.join(ACCEPT))}",
    ]
    if call.operation == SET_VISIBILITIES.name:
        words.append(f"-H {shlex.quote(': '.join(JSON_BODY))}")
        words.append("--data-binary @list.json")
    words.append(shlex.quote(url))

    command = " ".join(words)
    return command if call.operation == GET_VISIBILITIES.name else f"# {command}"


def _section(heading: str, lines: Sequence[str]) -> list[str]:
    if not lines:
        return []

    section = ["", heading, *(f"  {line}" for line in lines[:_MOST_LINES])]
    if len(lines) > _MOST_LINES:
        section.append(f"  and {len(lines) - _MOST_LINES:,} more in the JSON file")
    return section


def _change_line(result: StepResult, names: Mapping[str, str]) -> str:
    verb = "add" if result.step.goal is Goal.VISIBLE else "remove"
    recipient = _with_name(result.step.recipient_id, names)
    parts = (
        f"{verb} {recipient}: {result.outcome}",
        result.message,
        problem_words(result.problem),
    )
    return " | ".join(filter(None, parts))


def _with_name(own_id: str, names: Mapping[str, str]) -> str:
    name = names.get(own_id)
    return f"{name} ({own_id})" if name else own_id
