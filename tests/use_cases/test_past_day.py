"""Who could see an item on a day, from the lists that were read."""

from item_visibility.use_cases.history.past_day import Span, spans_of
from tests.storage.entries import minute


def test_spans_say_since_when_and_until_when() -> None:
    """One from before the first reading has no beginning, one that still holds at the last has no end."""
    lists = [(minute(at), frozenset(ids)) for at, ids in ((0, "AB"), (1, "AC"), (9, "AC"), (10, "AB"))]
    assert set(spans_of(lists)) == {
        Span("A", None, None),
        Span("B", None, minute(1)),
        Span("B", minute(10), None),
        Span("C", minute(1), minute(10)),
    }


def test_without_readings_there_are_no_spans() -> None:
    """Nothing is on record."""
    assert spans_of([]) == ()
