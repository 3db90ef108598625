"""A small world in which recipients cannot see items, for every reason that there is, and the cases in it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.bulk import BulkItem
from item_visibility.saving.job import JobState
from item_visibility.saving.outcome import Outcome, Verdict
from item_visibility.saving.request import ChangeKind
from item_visibility.storage.history.saves import History
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.use_cases.check.answer import Answer
from item_visibility.use_cases.check.answer_words import reason_words
from item_visibility.use_cases.check.question import Question
from tests.storage.entries import begin, minute, save
from tests.storage.jobs import a_job
from tests.support.desk import DeskKit, FakeService, open_kit
from tests.support.known_names import put_names

CASES = json.loads((Path(__file__).parent / "why_not_cases.json").read_text("utf-8"))
"""Questions made of real mistakes, each with the reasons that are to be told, and the words of the first."""

MILL, DAIRY, BAKERY = "4000002000004", "4000001000005", "4000003000003"
SONNENHOF, PANIER, NORDLICHT, CAFE = "4300000000038", "4300000000045", "4300000000052", "4300000000069"
KAUFHAUS, MARKT = "4300000000014", "4300000000021"


def of_mill(number: int, market: str = ":276") -> ItemKey:
    """The item of the mill with this place in its catalogue: its GTIN has 14 digits."""
    checks = "7418529630741852963074185296307418"
    return ItemKey(MILL, f"0952100001{number:03}{checks[number - 1]}{market}")


REMOVED, TAKEN_BACK, ELSEWHERE, REFUSED, UNCERTAIN = map(of_mill, (1, 2, 3, 5, 6))
QUIET, JOBS, ADDING, WRITINGS, MANY_THINGS, EMPTY, IN_BULK, NOT_SENT, JUST_ADDED = map(of_mill, range(7, 16))
AUSTRIAN, SWISS = of_mill(1, ":040"), of_mill(16, ":756")
ENGLISH = ItemKey(DAIRY, "9521000020016:826")
"""An item of another supplier whose number has 13 digits."""
OF_BAKERY = replace(of_mill(17), supplier=BAKERY)
CASE = ItemKey(MILL, "19521000010182:276")
"""A case of pieces that are not in the directory."""
_VERDICTS = {
    Outcome.REFUSED: Verdict.DIFFERS,
    Outcome.UNKNOWN: Verdict.NOT_CONFIRMED,
    Outcome.NOT_SENT: Verdict.NOTHING_SENT,
}
LISTS = {
    REMOVED: {KAUFHAUS, SONNENHOF},
    AUSTRIAN: {PANIER, "4300000000083"},
    TAKEN_BACK: {KAUFHAUS},
    ELSEWHERE: {KAUFHAUS},
    REFUSED: {KAUFHAUS},
    UNCERTAIN: {KAUFHAUS},
    QUIET: {KAUFHAUS},
    JOBS: {KAUFHAUS},
    ADDING: {KAUFHAUS},
    WRITINGS: {"04300000000021", "CUST-0042", "4300000000083 ", "4300000000025", "Kund-77", KAUFHAUS},
    MANY_THINGS: {KAUFHAUS},
    EMPTY: set[str](),
    IN_BULK: {KAUFHAUS},
    NOT_SENT: {KAUFHAUS},
    JUST_ADDED: {KAUFHAUS},
    SWISS: {KAUFHAUS},
    ENGLISH: {KAUFHAUS},
    OF_BAKERY: {MARKT},
    CASE: {MARKT},
}
TITLES = {
    REMOVED: "Oat biscuits",
    AUSTRIAN: "Oat biscuits",
    EMPTY: "Bran",
    SWISS: "Muesli",
    ENGLISH: "Whole milk",
    CASE: "Case of crackers",
}


@contextmanager
def why_not_world(folder: Path, *, fake: FakeService | None = None) -> Iterator[DeskKit]:
    """Open the desk of this world, or one on another service with the same lists. A question only reads."""
    with open_kit(folder, LISTS, fake=fake) as kit:
        put_names(
            kit.records.directory,
            suppliers=[(MILL, "Harbour Mill"), (DAIRY, "Nordmilch"), (BAKERY, "Old Bakery")],
            items=[(item, item.supplier_item_id[-3:], TITLES.get(item, "")) for item in LISTS],
            recipients=[
                (KAUFHAUS, "Kaufhaus"),
                (MARKT, "Marktplatz"),
                (SONNENHOF, "Sonnenhof"),
                (PANIER, "Le Panier"),
                (NORDLICHT, "Nordlicht"),
                (CAFE, "Café Łódź"),
            ],
        )
        _live(kit)
        for item in LISTS:  # each read makes more known: so no case depends on those before
            kit.desk.read(item)
        yield kit


def answer_to(kit: DeskKit, supplier: str, own_id: str, recipient_id: str) -> Answer:
    """The answer to a question."""
    question = Question(supplier=supplier, supplier_item_id=own_id, recipient_id=recipient_id)
    return kit.desk.check.answer([question])[0]


def summary(answer: Answer) -> list[str]:
    """The answer, its reason, and the reason in words."""
    assert answer.reason is not None
    return [answer.kind.value, answer.reason.kind.value, reason_words(answer, when=clock)]


def clock(at: datetime) -> str:
    """A time of the day."""
    return f"{at:%H:%M}"


def _live(kit: DeskKit) -> None:
    history = kit.records.history
    save(
        history, "r", at=-60, item=REMOVED, before=[KAUFHAUS, SONNENHOF, MARKT], remove=[MARKT], person="Anna"
    )
    save(history, "t1", at=-50, item=TAKEN_BACK, before=[KAUFHAUS], add=[MARKT], person="Ben")
    save(
        history,
        "t2",
        at=-45,
        item=TAKEN_BACK,
        before=[KAUFHAUS, MARKT],
        remove=[MARKT],
        person="Ben",
        kind=ChangeKind.UNDO,
    )
    seen = ReadItem(
        item=ELSEWHERE, recipients=frozenset({KAUFHAUS, MARKT}), asked_at=minute(-40), read_at=minute(-40)
    )
    history.seen.note_reads([seen])
    _add_in_vain(history, "f", REFUSED, Outcome.REFUSED, message="The service refused it (400).")
    _add_in_vain(history, "u", UNCERTAIN, Outcome.UNKNOWN)
    _add_in_vain(history, "n", NOT_SENT, Outcome.NOT_SENT)
    begin(history, "open", at=-1, item=ADDING, before=[KAUFHAUS], add=[MARKT], person="Anna")
    save(
        history,
        "b:7",
        at=-30,
        item=IN_BULK,
        before=[KAUFHAUS, MARKT],
        remove=[MARKT],
        person="Jana",
        kind=ChangeKind.BULK,
    )
    save(history, "now", at=-0.05, item=JUST_ADDED, before=[KAUFHAUS], add=[MARKT], person="Anna")
    _prepare_jobs(kit)
    _do_many_things(kit)


def _add_in_vain(  # noqa: PLR0913  (a save has many sides)
    history: History,
    key: str,
    item: ItemKey,
    outcome: Outcome,
    *,
    message: str = "",
    at: float = -30,
) -> None:
    result = begin(history, key, at=at, item=item, before=[KAUFHAUS], add=[MARKT], person="Anna")
    steps = tuple(replace(one, outcome=outcome, message=message) for one in result.steps)
    after = frozenset({KAUFHAUS})
    history.settle(key, replace(result, steps=steps, verdict=_VERDICTS[outcome], after=after))


def _prepare_jobs(kit: DeskKit) -> None:
    for state, recipient_id in (
        (JobState.QUEUED, MARKT),
        (JobState.RUNNING, PANIER),
        (JobState.WAITING, SONNENHOF),
        (JobState.PREVIEWED, NORDLICHT),
        (JobState.PAUSED, CAFE),
    ):
        job = replace(
            a_job(state.value, created_at=minute(-15), state=state), person="Tomasz", reason="SUP-9"
        )
        kit.records.jobs.create(job, [BulkItem(item=JOBS, add=frozenset({recipient_id}))])


def _do_many_things(kit: DeskKit) -> None:
    """One item on which several things happened, one after the other, to several recipients."""
    history, item = kit.records.history, MANY_THINGS
    everybody = [KAUFHAUS, MARKT, SONNENHOF, PANIER]
    save(history, "m1", at=-90, item=item, before=everybody, remove=[MARKT, SONNENHOF, PANIER], person="Anna")
    _add_in_vain(history, "m2", item, Outcome.REFUSED, at=-70)
