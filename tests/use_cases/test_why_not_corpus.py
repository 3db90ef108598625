"""Each case is made of a real mistake, and the right reason comes first."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from item_visibility.client.operations import GET_VISIBILITIES
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.why_not.reasons import ReasonKind, WhyNot
from tests.support.desk import DeskKit
from tests.use_cases.why_not_world import CASES, LISTS, first_in_words, why_not, why_not_world


@dataclass(frozen=True, slots=True)
class Told:
    """The reasons told in all cases, one after the other, and the state before and afterwards."""

    reasons: Sequence[WhyNot]
    operations: Sequence[str]
    before: object
    after: object


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The reasons for each case."""
    with why_not_world(tmp_path_factory.mktemp("why_not")) as kit:
        kit.fake.calls.clear()
        before = what_a_change_changes(kit)
        reasons = [why_not(kit, *case["asked"]) for case in CASES]
        operations = [call.operation for call in kit.fake.calls]
        return Told(reasons, operations, before, what_a_change_changes(kit))


def what_a_change_changes(kit: DeskKit) -> object:
    """All jobs and saves, and who can see what."""
    records, lists = kit.records, [kit.fake.recipients_of(item) for item in LISTS]
    saves = [line.key for line in records.search.newest(HistoryFilter(), limit=99).lines]
    return records.jobs.jobs(), saves, lists


@pytest.mark.parametrize("at", range(len(CASES)), ids=lambda at: CASES[at]["case"])
def test_the_right_reason_comes_first(at: int, told: Told) -> None:
    """In words that can be read out; the others follow in their order."""
    case, found = CASES[at], told.reasons[at]
    assert [one.kind for one in found.reasons] == [case["first"], *case["also"]]
    assert first_in_words(found) == case["says"]


def test_no_case_changes_anything(told: Told) -> None:
    """The service's log holds reads alone, a few for each case; our own records are as before."""
    assert set(told.operations) == {GET_VISIBILITIES.name}
    assert len(told.operations) < 3 * len(CASES)
    assert told.after == told.before


def test_there_are_more_than_forty_cases_and_every_kind_of_reason() -> None:
    """Except that the service does not answer at all: that is tried by itself."""
    assert len({json.dumps(case["asked"]) for case in CASES}) == len(CASES) > 40
    told = {kind for case in CASES for kind in (case["first"], *case["also"])}
    assert set(ReasonKind) - told == {ReasonKind.NOT_READ}
