"""One evidence pack: all that is told of an item, a save, an answer or a job's row. No secret is in it.

`redaction` makes it so; `ticket_text`, `html_page` and `attached_json` write it.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from item_visibility.errors import ProblemDetail


class Subject(StrEnum):
    """The thing that a pack is about."""

    ITEM = "item"
    SAVE = "save"
    SEEN = "change made elsewhere"
    CHECK = "answer to a question"
    JOB_ROW = "row of a bulk job"


@dataclass(frozen=True, slots=True)
class Named:
    """An id exactly as the service stores it, and its name here; empty when it has none."""

    id: str
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestAndAnswer:
    """One request and its answer.

    `path` is as it was sent, percent-encoded. `failure` says why there was no answer; then `status` is None.
    """

    at: datetime
    operation: str
    method: str
    path: str
    status: int | None
    failure: str = ""
    problem: ProblemDetail | None = None
    attempt: int = 1
    took_ms: int = 0
    request_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One recipient that a save was asked to add or to remove, and how that ended."""

    recipient: Named
    change: str
    outcome: str
    calls: int = 0
    message: str = ""
    problem: ProblemDetail | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChange:
    """One earlier change from the history, of the recipient or of the whole item."""

    at: datetime
    what: str
    by: str
    outcome: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """One more thing that is known, such as who did it, or why."""

    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """Everything that is told, in words and in values.

    `sentence` says what happened, `verification` how that is known. `before` and `after` are whole lists,
    None where no read showed one; `names` are those of some recipients, `added` and `removed` tell the lists
    apart. `exchanges` are in order, without `skipped` of them; `not_on_record` says why there are none.
    `curls` ask the same again.
    """

    subject: Subject
    sentence: str
    verification: str
    supplier: Named
    item: Named
    recipient: Named | None = None
    facts: tuple[Fact, ...] = ()
    changes: tuple[Change, ...] = ()
    before: tuple[str, ...] | None = None
    after: tuple[str, ...] | None = None
    names: tuple[Named, ...] = ()
    added: tuple[Named, ...] = ()
    removed: tuple[Named, ...] = ()
    exchanges: tuple[RequestAndAnswer, ...] = ()
    skipped: int = 0
    not_on_record: str = ""
    history: tuple[PastChange, ...] = ()
    curls: tuple[str, ...] = ()
    link: str = ""
    environment: str
    service: str
    made_at: datetime
    made_by: str
    program: str
