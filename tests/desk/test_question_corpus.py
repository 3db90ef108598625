"""What customers and colleagues paste into the check page, and what may be answered."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.desk.check.answer_sentences import CheckAnswer
from item_visibility.desk.check.question import read_questions
from item_visibility.desk.use_cases import Desk
from tests.support.desk import open_kit
from tests.support.known_names import put_names

SUPPLIER = "4000001000005"
GERMAN, AUSTRIAN = ItemKey(SUPPLIER, "04012345678901:276"), ItemKey(SUPPLIER, "04012345678901:040")
ONE, TWO = "4300000000014", "4300000000021"
CORPUS = json.loads((Path(__file__).parent / "questions.json").read_text("utf-8"))


def told(answer: CheckAnswer) -> str:
    """Kind, item and recipient of an answer; the kind alone where nothing could be asked."""
    if answer.item is None:
        return answer.kind.value
    return f"{answer.kind.value} {answer.item.supplier_item_id} {answer.recipient_id}"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk that knows an item in two markets and two recipients, all with names; it is only read."""
    with open_kit(tmp_path_factory.mktemp("corpus"), {GERMAN: {ONE}, AUSTRIAN: {TWO}}) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(SUPPLIER, "Nordmilch")],
            items=[(GERMAN, "276", "Whole milk"), (AUSTRIAN, "040", "Whole milk")],
            recipients=[(ONE, "Kaufhaus 1"), (TWO, "Kaufhaus 2")],
        )
        yield kit.desk


@pytest.mark.parametrize("line", CORPUS, ids=lambda line: line["text"])
def test_a_pasted_text_is_answered_for_exactly_what_it_asks(line: dict[str, object], desk: Desk) -> None:
    """Each row gets its answer, and none gets a no for ids that were misread."""
    answers = [desk.check(one) for one in read_questions(str(line["text"]), known=desk.names)]
    assert [told(answer) for answer in answers] == line["answers"]
