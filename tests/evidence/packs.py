"""Packs for tests."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from item_visibility.errors import ProblemDetail
from item_visibility.evidence.pack import Change, Fact, Named, Pack, PastChange, RequestAndAnswer, Subject

AT = datetime(2026, 11, 22, 14, 2, 5, 120_000, UTC)
KEY = b"k" * 32

READ = RequestAndAnswer(
    at=AT,
    operation="getVisibilities",
    method="GET",
    path="/v1/itemvisibilities/S/I",
    status=200,
    took_ms=34,
    request_id="f00d",
)
FAILED = RequestAndAnswer(
    at=AT + timedelta(seconds=1),
    operation="addVisibility",
    method="PUT",
    path="/v1/itemvisibilities/S/I/recipient/R",
    status=503,
    problem=ProblemDetail(503, "Down", "Try later"),
    attempt=2,
    took_ms=1_030,
)
UNANSWERED = replace(FAILED, status=None, failure="no answer came in time", problem=None)
PACK = Pack(
    subject=Subject.SAVE,
    sentence="Added Sonnenhof",
    verification="Read back.",
    supplier=Named("S", "Nord"),
    item=Named("I", "Rye crackers · Germany"),
    recipient=Named("R", "Sonnenhof"),
    facts=(Fact("Why", "ticket 4711"), Fact("Advice", "")),
    changes=(
        Change(recipient=Named("R", "Sonnenhof"), change="add", outcome="done", calls=1),
        Change(
            recipient=Named("Q"),
            change="remove",
            outcome="refused",
            calls=2,
            message="No.",
            problem=FAILED.problem,
        ),
    ),
    before=("Q",),
    after=("Q", "R"),
    added=(Named("R", "Sonnenhof"),),
    removed=(Named("P"),),
    exchanges=(READ, FAILED, UNANSWERED),
    skipped=3,
    history=(
        PastChange(at=AT, what="removed Sonnenhof", by="Anna", outcome="done", reason="ticket 1"),
        PastChange(at=AT, what="seen to be gone", by="", outcome="done"),
    ),
    curls=("curl x", "# curl y"),
    link="https://dash.example.com/?supplier=S&item=I",
    environment="test",
    service="https://api.example.com/v1",
    made_at=AT,
    made_by="Berta",
    program="Item Visibility Dashboard 0.1.0",
)
