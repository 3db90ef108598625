"""The use cases that make tickets or say why not, each on a prepared desk: they only look."""

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

from item_visibility.errors import RecordsError
from item_visibility.saving.bulk import BulkAction
from item_visibility.saving.outcome import Outcome
from item_visibility.use_cases.bulk.results import ResultRow
from item_visibility.use_cases.check.answer import Answer, AnswerKind
from item_visibility.use_cases.check.question import Question
from item_visibility.use_cases.directory import Kind
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit
from tests.support.fake_visibilities import START

_QUESTION = Question(supplier=ITEM.supplier, supplier_item_id=ITEM.supplier_item_id, recipient_id="A")
_ANSWER = Answer(
    question=_QUESTION, kind=AnswerKind.YES, answered_at=START, recipient="A", title="Milk", supplier="S"
)
_ROW = ResultRow(ITEM, "A", BulkAction.ADD, Outcome.DONE, "", 0)


class HasKit(Protocol):
    """A scene on a desk."""

    kit: DeskKit


def _of_save(scene: HasKit) -> None:
    """Ask about a save that is not on record: who may look is told so."""
    with suppress(RecordsError):
        scene.kit.desk.tickets.of_save("no such save")


LOOKING: dict[str, Callable[[HasKit], object]] = {
    "tickets.of_item": lambda s: s.kit.desk.tickets.of_item(OTHER_ITEM),
    "tickets.of_save": _of_save,
    "check.read": lambda s: s.kit.desk.check.read("A"),
    "check.read_link": lambda s: s.kit.desk.check.read_link({Kind.RECIPIENT: "A"}),
    "check.answer": lambda s: s.kit.desk.check.answer([_QUESTION]),
    "tickets.of_answer": lambda s: s.kit.desk.tickets.of_answer(_ANSWER),
    "tickets.of_row": lambda s: s.kit.desk.tickets.of_row(s.kit.records.jobs.jobs(limit=1)[0], _ROW),
}
