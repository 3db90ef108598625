"""The result of a save in words."""

import pytest

from item_visibility.model.change import (
    ChangeKind,
)
from item_visibility.model.change_words import by_whom, named, result_in_words
from item_visibility.model.outcome import Verdict
from tests.saving.saving import ITEM, Bench, ask, fail_read_backs
from tests.support.fake_visibilities import (
    FakeVisibilities,
    Fault,
    not_sent,
    refused,
    unexpected_answer,
    unknown_outcome,
)

NAMES = {"2": "Sonnenhof", "1": "Le Panier", "3": "migros", "N": "Nina"}
ADD = "addVisibility"
REMOVE = "removeVisibility"
GET = "getVisibilities"
NOT_SHOWN = "sent, but the service still shows the old list"
LONGER_THAN_READ_BACKS_S = 60.0


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("", ""),
        ("2", "Sonnenhof"),
        ("12", "Le Panier and Sonnenhof"),
        ("123", "Le Panier, migros and Sonnenhof"),
        ("1239", "Le Panier, migros and 2 more"),
        ("98", "8 and 9"),
        ("91", "Le Panier and 9"),
    ],
)
def test_some_names_are_listed_and_the_rest_is_counted(who: str, words: str) -> None:
    assert named(frozenset(who), NAMES) == words


@pytest.mark.parametrize(
    ("kind", "who"),
    [(ChangeKind.EDIT, "ann"), (ChangeKind.OBSERVED, "somebody elsewhere")],
)
def test_a_change_made_elsewhere_has_no_person(kind: ChangeKind, who: str) -> None:
    assert by_whom(kind, "ann") == who


@pytest.mark.parametrize(
    ("faults", "lag_s", "verdict", "words"),
    [
        ([], 0, Verdict.VERIFIED, "Added Nina, removed A"),
        (
            [],
            LONGER_THAN_READ_BACKS_S,
            Verdict.NOT_CONFIRMED,
            f"Not confirmed: {NOT_SHOWN}",
        ),
        ([Fault(ADD, refused())], 0, Verdict.DIFFERS, "Removed A · 1 refused"),
        (
            [
                Fault(ADD, refused()),
                Fault(REMOVE, unexpected_answer(), is_applied=True),
            ],
            LONGER_THAN_READ_BACKS_S,
            Verdict.NOT_CONFIRMED,
            f"Not confirmed: {NOT_SHOWN}",
        ),
        (
            [Fault(ADD, refused(409)), Fault(REMOVE, refused(403))],
            0,
            Verdict.DIFFERS,
            "Nothing was changed",
        ),
        (
            [Fault(GET, unknown_outcome())],
            0,
            Verdict.NOTHING_SENT,
            "Nothing was changed",
        ),
        (
            [Fault(ADD, not_sent()) for _ in range(9)],
            0,
            Verdict.NOTHING_SENT,
            "Nothing was changed",
        ),
    ],
)
def test_a_result_says_only_known_facts(
    faults: list[Fault], lag_s: float, verdict: Verdict, words: str
) -> None:
    bench = Bench(FakeVisibilities({ITEM: "AB"}, lag_s=lag_s))
    bench.fake.faults = list(faults)
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert result.verdict == verdict
    assert result_in_words(result, NAMES) == words


def test_an_accepted_change_that_was_not_read_is_not_called_added() -> None:
    bench = Bench(FakeVisibilities({ITEM: "AB"}))
    fail_read_backs(bench.fake)
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert (
        result_in_words(result, NAMES)
        == "Not confirmed: sent, but the list could not be read afterwards"
    )


def test_unconfirmed_changes_are_listed_beside_the_others() -> None:
    bench = Bench(FakeVisibilities({ITEM: "AB"}))
    bench.fake.before_call = lambda call: (
        bench.fake.put(ITEM, "B")
        if call.operation == GET and len(bench.fake.writes) > 1
        else None
    )
    result = bench.save(ask(base="AB", add="N", remove="A"))
    assert (
        result_in_words(result, NAMES)
        == f"Not confirmed: {NOT_SHOWN} for Nina · Removed A"
    )


def test_a_save_without_changes_says_so() -> None:
    result = Bench(FakeVisibilities({ITEM: "AB"})).save(ask(base="AB", add="A"))
    assert result.verdict is Verdict.VERIFIED
    assert (
        result_in_words(result, NAMES)
        == "Nothing to change: the list is already as requested"
    )


def test_changes_already_in_place_are_counted_beside_the_others() -> None:
    result = Bench(FakeVisibilities({ITEM: "AB"})).save(
        ask(base="AC", add="BN", remove="C")
    )
    assert result_in_words(result, NAMES) == "Added Nina · 2 already in place"
