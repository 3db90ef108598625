"""The person and the time of a press count: a save and a job go on after the sign-in has ended."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from item_visibility.access.access import Role
from item_visibility.errors import SignInError
from item_visibility.saving.job import BulkItem, JobState
from item_visibility.saving.outcome import Outcome
from tests.access.signing_in import ISSUER, signed_in
from tests.support.desk import ITEM, OTHER_ITEM, DeskKit, ThreadEngine, a_request, open_kit, wait_until
from tests.support.fake_visibilities import START

ENDS_AT = START + timedelta(hours=8)
EDITOR = signed_in(Role.EDITOR, ends_at=ENDS_AT)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk that an editor asks; nobody works on jobs until they are told to."""
    with open_kit(tmp_path, {ITEM: "AB", OTHER_ITEM: "X"}, person=lambda: EDITOR) as opened:
        yield opened


def work_on(kit: DeskKit, key: str) -> None:
    engine = ThreadEngine()
    engine.work_for(kit)
    engine.notify(key)
    engine.wait()


def previewed(kit: DeskKit) -> str:
    items = [BulkItem(item=ITEM, add=frozenset("C"))]
    key = kit.desk.bulk.start_preview(items, title="list.xlsx")
    wait_until(lambda: kit.desk.bulk.job(key).state is JobState.PREVIEWED)
    return key


def test_the_history_knows_who_it_was_whoever_the_request_names(kit: DeskKit) -> None:
    kit.save(replace(a_request(ITEM, base="AB", add="C"), person="somebody", role=None))
    entry = kit.records.history.entry("key-1")
    assert (entry.request.person, entry.request.person_key) == ("Anna Muster", f"{ISSUER} 4f7a")


def test_a_save_that_was_pressed_in_time_is_made_after_the_sign_in_has_ended(kit: DeskKit) -> None:
    kit.fake.before_call = lambda _call: kit.fake.time.sleep(8 * 3600)
    kit.save(a_request(ITEM, base="AB", add="C"))
    assert kit.fake.recipients_of(ITEM) == frozenset("ABC")
    with pytest.raises(SignInError, match="has ended"):
        kit.desk.save(a_request(ITEM, key="key-2", base="ABC", add="D"))


def test_a_job_belongs_to_who_began_it_and_goes_on_after_their_sign_in(kit: DeskKit) -> None:
    key = previewed(kit)
    kit.desk.bulk.apply(key)
    kit.fake.time.sleep(9 * 3600)
    work_on(kit, key)
    job = kit.desk.bulk.job(key)
    assert (job.state, job.applied_role, job.person_key) == (JobState.ENDED, Role.EDITOR, EDITOR.key)
    assert kit.fake.recipients_of(ITEM) == frozenset("ABC")
    with pytest.raises(SignInError, match="has ended"):
        kit.desk.bulk.undo(key)


def test_a_job_that_no_editor_applied_changes_nothing(kit: DeskKit) -> None:
    key = previewed(kit)
    kit.records.jobs.move(key, JobState.QUEUED, expected={JobState.PREVIEWED}, at=START)
    work_on(kit, key)
    assert kit.desk.bulk.job(key).outcomes == {Outcome.REFUSED: 1}
    assert kit.fake.writes == []
