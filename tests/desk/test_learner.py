"""The service's ways are learned from calls made anyway, and never concluded too early."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from item_visibility.api.answers import ListShape
from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import CallRecord
from item_visibility.desk.connection import fact_words as words
from item_visibility.desk.connection.fact_book import FactBook
from item_visibility.desk.connection.fact_words import OpenPoint, status_fact
from item_visibility.desk.connection.learner import Learner
from item_visibility.errors import RecordsError
from item_visibility.records.facts import ServiceFact
from item_visibility.timings_and_retries import FACT_FRESH
from tests.support.waiting import START

ITEM = ItemKey("S", "I")
GET = CallRecord("getVisibilities", 200, has_content=True, request_id="get", sent_at=START)
PUT = CallRecord("addVisibility", 204, sent_at=START)
DELETE = CallRecord("removeVisibility", 204, sent_at=START)
SET = CallRecord("setVisibilities", 204, sent_at=START)
TOKEN = CallRecord("requestToken", 200, sent_at=START)


class Lesson:
    """A learner, and what it learned; a step takes a tenth of a second unless it is told to take longer."""

    def __init__(self) -> None:
        self.noted: list[tuple[str, str, str]] = []
        self.learner = Learner(lambda fact, value, _call, note: self.noted.append((fact, value, note)))
        self.at = START

    def now(self, call: CallRecord, after_s: float = 0.1) -> CallRecord:
        """The call, made a little later."""
        self.at += timedelta(seconds=after_s)
        return replace(call, sent_at=self.at)

    def read(self, recipients: str, after_s: float = 0.1) -> None:
        """A read that shows these."""
        self.learner.read(ITEM, frozenset(recipients), self.now(GET, after_s))

    def add(self, recipient_id: str, *statuses: int | None, after_s: float = 0.1) -> None:
        """An addition with these answers, one an attempt."""
        self._change(recipient_id, PUT, statuses or (204,), after_s=after_s, is_in=True)

    def remove(self, recipient_id: str, *statuses: int | None, after_s: float = 0.1) -> None:
        """A removal with these answers, one an attempt."""
        self._change(recipient_id, DELETE, statuses or (204,), after_s=after_s, is_in=False)

    def set_to(self, recipients: str, *statuses: int) -> None:
        """A list that is set, with these answers."""
        calls = [self.now(replace(SET, status=status)) for status in statuses or (204,)]
        self.learner.list_was_set(ITEM, frozenset(recipients), calls)

    def _change(
        self,
        recipient_id: str,
        call: CallRecord,
        statuses: Sequence[int | None],
        *,
        after_s: float,
        is_in: bool,
    ) -> None:
        calls = [self.now(replace(call, status=status), after_s) for status in statuses]
        self.learner.changed(ITEM, recipient_id, calls, is_in=is_in)

    def of(self, fact: OpenPoint) -> list[tuple[str, str]]:
        """The values and notes that were learned of a fact."""
        return [(value, note) for name, value, note in self.noted if name == fact]


@pytest.mark.parametrize(
    ("call", "facts"),
    [
        (replace(GET, status=404, has_content=False), {(OpenPoint.EMPTY, words.NOT_FOUND, "")}),
        (replace(GET, status=404), set()),
        (
            replace(GET, shape=ListShape(0, has_duplicates=False, is_sorted=None)),
            {(OpenPoint.EMPTY, words.EMPTY_LIST, "")},
        ),
        (replace(GET, shape=ListShape(1, has_duplicates=False, is_sorted=None)), set()),
        (
            replace(GET, shape=ListShape(2, has_duplicates=False, is_sorted=True)),
            {(OpenPoint.DUPLICATES, words.ONCE, "")},
        ),
        (
            replace(GET, shape=ListShape(5, has_duplicates=True, is_sorted=False)),
            {(OpenPoint.DUPLICATES, words.TWICE, ""), (OpenPoint.ORDER, words.NOT_SORTED, "")},
        ),
        (
            replace(GET, shape=ListShape(5, has_duplicates=False, is_sorted=True)),
            {(OpenPoint.DUPLICATES, words.ONCE, ""), (OpenPoint.ORDER, words.SORTED, "")},
        ),
        (
            replace(GET, shape=ListShape(9_999, has_duplicates=False, is_sorted=None)),
            {(OpenPoint.DUPLICATES, words.ONCE, "")},
        ),
        (replace(TOKEN, expires_in=3.0), {(OpenPoint.TOKEN, words.SAID, "3 s")}),
        (TOKEN, {(OpenPoint.TOKEN, words.NOT_SAID, "")}),
        (replace(TOKEN, failure="no token in it"), set()),
        (replace(TOKEN, status=401), set()),
        (replace(PUT, status=503), set()),
    ],
)
def test_a_call_alone_shows(call: CallRecord, facts: set[tuple[str, str, str]]) -> None:
    """Its status, the form of its list, or the lifetime of its token."""
    lesson = Lesson()
    lesson.learner.observe(call)
    status = (status_fact(call.operation, call.status), str(call.status), "")
    assert set(lesson.noted) == {status, *facts}


def test_a_call_without_an_answer_shows_nothing() -> None:
    """Of the service nothing was seen."""
    lesson = Lesson()
    lesson.learner.observe(replace(GET, status=None, failure="no answer came in time"))
    assert lesson.noted == []


def shown_at_once(lesson: Lesson) -> None:
    """The read-back of a save shows it."""
    lesson.add("A")
    lesson.remove("B")
    lesson.read("A")


def shown_late(lesson: Lesson) -> None:
    """The first read does not show it, the second one does."""
    lesson.add("A")
    lesson.read("", after_s=0.2)
    lesson.read("", after_s=0.5)
    lesson.read("A")


def never_shown(lesson: Lesson) -> None:
    """Somebody else may have taken it away."""
    lesson.add("A")
    lesson.read("")


def read_much_later(lesson: Lesson) -> None:
    """A read that comes a while after the change."""
    lesson.add("A")
    lesson.read("A", after_s=1.0)


def partly_shown(lesson: Lesson) -> None:
    """One of two changes is shown."""
    lesson.add("A")
    lesson.add("B")
    lesson.read("A")


def outcome_unknown(lesson: Lesson) -> None:
    """No answer came: when it was applied is not known."""
    lesson.add("A", None)
    lesson.read("A")


@pytest.mark.parametrize(
    ("story", "learned"),
    [
        (shown_at_once, [(words.AT_ONCE, "")]),
        (shown_late, [(words.LATE, "still 0.7 s after it")]),
        (never_shown, []),
        (read_much_later, []),
        (partly_shown, []),
        (outcome_unknown, []),
    ],
)
def test_the_lag_of_reads_is_learned(story: Callable[[Lesson], None], learned: list[tuple[str, str]]) -> None:
    """From the reads after a change; a change that never shows says nothing."""
    lesson = Lesson()
    story(lesson)
    assert lesson.of(OpenPoint.LAG) == learned


def test_a_read_that_began_before_the_change_ended_shows_nothing_of_it() -> None:
    """Another thread's read is not late."""
    lesson = Lesson()
    slow = replace(PUT, sent_at=START, took_s=5.0)
    lesson.learner.changed(ITEM, "A", [slow], is_in=True)
    lesson.read("")
    lesson.read("A", after_s=6.0)
    assert lesson.of(OpenPoint.LAG) == []


@pytest.mark.parametrize(
    ("after", "learned"),
    [("BC", [words.REPLACES]), ("ABC", [words.MERGES]), ("AB", []), ("C", []), ("B", [])],
)
def test_a_list_that_is_set_replaces_or_merges(after: str, learned: list[str]) -> None:
    """The read after it shows all that it added, and what it omitted, or not; anything else says nothing."""
    lesson = Lesson()
    lesson.read("AB")
    lesson.set_to("BC")
    lesson.read(after)
    assert [value for value, _ in lesson.of(OpenPoint.SET)] == learned


def test_a_late_read_still_tells_what_a_list_did() -> None:
    """The first one that shows it."""
    lesson = Lesson()
    lesson.read("AB")
    lesson.set_to("BC")
    lesson.read("AB")
    lesson.read("BC")
    lesson.read("ABC")
    assert lesson.of(OpenPoint.SET) == [(words.REPLACES, "")]


def test_a_list_that_only_adds_or_only_omits_is_no_merge() -> None:
    """A read that lags would look the same."""
    lesson = Lesson()
    for wanted in ("ABC", "A"):
        lesson.read("AB")
        lesson.set_to(wanted)
        lesson.read("AB")
    lesson.read("AB")
    lesson.set_to("ABC")
    lesson.read("ABC")
    assert lesson.of(OpenPoint.SET) == []


@pytest.mark.parametrize("statuses", [(500, 204), (404,)])
def test_a_list_whose_outcome_is_not_plain_says_nothing(statuses: tuple[int, ...]) -> None:
    """An earlier attempt may have been applied, or none."""
    lesson = Lesson()
    lesson.read("AB")
    lesson.set_to("BC", *statuses)
    lesson.read("BC")
    assert lesson.of(OpenPoint.SET) == []


def test_a_list_on_one_that_is_not_known_says_nothing() -> None:
    """Nobody knows what it omitted: never read, read long ago, or changed since."""
    lesson = Lesson()
    lesson.set_to("BC")
    lesson.read("BC")
    lesson.read("AB")
    lesson.add("D", after_s=9.0)
    lesson.set_to("BC")
    lesson.read("BC")
    assert lesson.of(OpenPoint.SET) == []


@pytest.mark.parametrize("status", [204, 404, 409])
def test_a_second_removal_shows_what_is_answered_for_one_that_is_not_there(status: int) -> None:
    """As when a person saves again, because reads still showed the recipient."""
    lesson = Lesson()
    lesson.remove("A")
    lesson.read("A")
    lesson.remove("A", status)
    assert lesson.of(OpenPoint.REMOVE_MISSING) == [(str(status), "")]


@pytest.mark.parametrize("status", [204, 409])
def test_a_second_addition_shows_what_is_answered_for_one_that_is_there(status: int) -> None:
    """In the same way."""
    lesson = Lesson()
    lesson.add("A")
    lesson.add("A", status)
    assert lesson.of(OpenPoint.ADD_PRESENT) == [(str(status), "")]


def test_a_list_just_read_tells_who_is_there() -> None:
    """The call asks for what the list shows already."""
    lesson = Lesson()
    lesson.read("A")
    lesson.add("A")
    lesson.remove("B", 404)
    assert (lesson.of(OpenPoint.ADD_PRESENT), lesson.of(OpenPoint.REMOVE_MISSING)) == (
        [("204", "")],
        [("404", "")],
    )


@pytest.mark.parametrize("first", [500, None])
def test_a_removal_that_is_not_found_the_second_time_was_of_one_that_was_gone(first: int | None) -> None:
    """The first attempt was applied, although it failed."""
    lesson = Lesson()
    lesson.remove("A", first, 404)
    assert lesson.of(OpenPoint.REMOVE_MISSING) == [("404", "")]


@pytest.mark.parametrize(("after", "learned"), [("", [("404", "")]), ("A", [])])
def test_a_removal_that_is_not_found_is_settled_by_the_read(
    after: str, learned: list[tuple[str, str]]
) -> None:
    """Somebody else was faster, and the list shows it; or the service refused for another reason."""
    lesson = Lesson()
    lesson.read("A")
    lesson.remove("A", 404)
    lesson.read(after)
    assert lesson.of(OpenPoint.REMOVE_MISSING) == learned


def retried(lesson: Lesson) -> None:
    """204 after a failure: whether the first attempt was applied is not known."""
    lesson.remove("A", 500, 204)
    lesson.add("B", 500, 204)


def long_ago(lesson: Lesson) -> None:
    """Meanwhile somebody else may have done anything."""
    lesson.remove("A")
    lesson.remove("A", after_s=60.0)
    lesson.read("B")
    lesson.add("B", after_s=60.0)


def refused(lesson: Lesson) -> None:
    """A refusal of another kind says nothing of who was there."""
    lesson.remove("A")
    lesson.remove("A", 403)
    lesson.remove("A")


def after_all_were_removed(lesson: Lesson) -> None:
    """Nothing is known any more."""
    lesson.read("A")
    lesson.learner.forget(ITEM)
    lesson.add("A")


def too_many(lesson: Lesson) -> None:
    """Very many changes are not remembered one by one."""
    for number in range(501):
        lesson.add(str(number), after_s=0.0)
    lesson.add("0")


def other_items(lesson: Lesson) -> None:
    """Only the items of late are remembered."""
    lesson.remove("A")
    for number in range(100):
        lesson.learner.forget(ItemKey("S", str(number)))
    lesson.remove("A")


def a_very_long_list(lesson: Lesson) -> None:
    """It is not kept."""
    lesson.learner.read(ITEM, frozenset(map(str, range(5_001))), lesson.now(GET))
    lesson.add("1")


@pytest.mark.parametrize(
    "story", [retried, long_ago, refused, after_all_were_removed, too_many, other_items, a_very_long_list]
)
def test_who_was_there_is_not_guessed(story: Callable[[Lesson], None]) -> None:
    """Nothing is learned where it is not known."""
    lesson = Lesson()
    story(lesson)
    assert (lesson.of(OpenPoint.ADD_PRESENT), lesson.of(OpenPoint.REMOVE_MISSING)) == ([], [])


def kept(book_of: list[ServiceFact]) -> list[tuple[str, str]]:
    """Value and request id of what was written."""
    return [(one.value, one.request_id) for one in book_of]


def test_the_book_writes_only_what_is_news() -> None:
    """A value again only after an hour; another value, and the first one after it, soon."""
    written: list[ServiceFact] = []
    book = FactBook(written.append)
    steps = [(0, "a"), (1, "a"), (2, "b"), (3, "a"), (4, "a"), (5, "b"), (6, "a"), (4 + 3_600, "a")]
    for number, (after_s, value) in enumerate(steps):
        call = replace(GET, request_id=str(number), sent_at=START + timedelta(seconds=after_s))
        book.note("fact", value, call, "")
    assert timedelta(hours=1) == FACT_FRESH
    assert kept(written) == [("a", "0"), ("b", "2"), ("a", "3"), ("b", "5"), ("a", "6")]


def test_a_value_with_another_note_is_news_after_a_while() -> None:
    """As of tokens that live shorter from now on; one that is another each time is not written each time."""
    written: list[ServiceFact] = []
    book = FactBook(written.append)
    for after_s, note in ((0, "300 s"), (1, "3 s"), (2, "3 s"), (3, "3 s"), (60, "300 s")):
        book.note("fact", "a", replace(GET, sent_at=START + timedelta(seconds=after_s)), note)
    assert [one.note for one in written] == ["300 s", "3 s", "300 s"]


def test_a_fact_that_could_not_be_written_is_written_when_it_is_seen_again() -> None:
    """Our own database may be away for a while."""
    written: list[ServiceFact] = []
    faults = [RecordsError("Gone.", advice="Wait.")]

    def put(seen: ServiceFact) -> None:
        for fault in faults[:1]:
            faults.clear()
            raise fault
        written.append(seen)

    book = FactBook(put)
    for number in range(3):
        book.note("fact", "a", replace(GET, request_id=str(number)), "")
    assert kept(written) == [("a", "1")]


def test_an_answer_that_changed_is_told_with_the_one_before() -> None:
    """The newest holds; the older one stands with its day."""
    now = ServiceFact(
        fact=OpenPoint.SET, value="b", note="n", operation="o", request_id="1", observed_at=START
    )
    before = replace(now, value="a", observed_at=START - timedelta(days=2))
    (told, *_) = words.told_facts([now, before])
    assert told.answer == "b (n); before: a on 2026-11-19"


def test_the_statuses_of_an_operation_are_told_together() -> None:
    """With the last one as evidence."""
    seen = [
        ServiceFact(
            fact=status_fact("addVisibility", status),
            value=str(status),
            operation="addVisibility",
            request_id=str(status),
            observed_at=START,
        )
        for status in (503, 204)
    ]
    (told,) = (one for one in words.told_facts(seen) if one.question == "Statuses of addVisibility")
    assert (told.answer, told.evidence) == ("204, 503", seen[0])
