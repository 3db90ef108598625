"""Evidence of an item, a save, an answer and a job's row: what was so, how it is known, and no secret."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import MagicMock

import pytest

from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.bulk import BulkAction
from item_visibility.changes.job import Job, JobState, RowOutcome
from item_visibility.changes.request import ChangeKind
from item_visibility.desk.bulk.results import ResultRow
from item_visibility.desk.check.question.parts import Question
from item_visibility.desk.evidence import make_packs
from item_visibility.errors import RecordsError
from item_visibility.evidence.checked_file import check_file
from item_visibility.evidence.pack import Fact, Named, Pack, RequestAndAnswer, Subject
from item_visibility.evidence.seal import Authenticity
from item_visibility.records.history.search import HistoryFilter
from tests.support.desk import ITEM, TEST_ENVIRONMENT, DeskKit, a_request, break_records, open_kit
from tests.support.fake_visibilities import START, Fault, not_sent, refused, unknown_outcome
from tests.support.fault_service import Semantics
from tests.support.known_names import put_names
from tests.support.telling_service import TellingService

LINK = "https://dash.example.com/?supplier=S"
PATH = "/v1/itemvisibilities/4000001000005/04012345678901%3A276"
JOB = Job(
    key="job-1",
    title="list.csv",
    person="ann",
    reason="ticket 4711",
    state=JobState.ENDED,
    created_at=START,
    item_count=1,
)
ROW = ResultRow(ITEM, "C", BulkAction.ADD, RowOutcome.VERIFIED, "", 0)


@pytest.fixture
def kit(tmp_path: Path) -> Iterator[DeskKit]:
    """A desk on an item that A and B can see; all but B have names."""
    with open_kit(tmp_path, fake=TellingService({ITEM: {"A", "B"}})) as kit:
        put_names(
            kit.records.directory,
            items=[(ITEM, "276", "Oat biscuits")],
            recipients=[("A", "Alpha"), ("C", "Coop"), ("D", "Delta")],
        )
        yield kit


def sent(pack: Pack) -> list[tuple[str, str, int | None]]:
    """Method, path below the item and status of each request."""
    return [(one.method, one.path.removeprefix(PATH), one.status) for one in pack.exchanges]


def test_an_item_is_read_and_told_as_it_is_now(kit: DeskKit) -> None:
    """With the request, and a command that asks the same again."""
    evidence = kit.desk.evidence.of_item(ITEM, link=LINK)
    pack = evidence.pack
    assert (pack.subject, pack.sentence) == (Subject.ITEM, "2 recipients can see the item")
    assert pack.verification == "Read at 2026-11-21 14:00:00 UTC."
    assert (pack.before, pack.after, pack.names) == (None, ("A", "B"), (Named("A", "Alpha"),))
    assert (pack.item, pack.recipient) == (Named(ITEM.supplier_item_id, "Oat biscuits · Germany"), None)
    assert sent(pack) == [("GET", "", 200)]
    assert [line.split()[-1] for line in pack.curls] == [f"https://api.example.com{PATH}"]
    assert (pack.made_by, pack.environment, pack.link) == ("ann", "test", LINK)
    assert pack.program.startswith("item-visibility ")
    assert (kit.fake.writes, evidence.file_name) == ([], "evidence-2026-11-21-140000")


def test_scans_give_way_to_a_person_who_waits_for_evidence(kit: DeskKit) -> None:
    """It reads the item as a page does."""
    people = kit.desk.scans.people = MagicMock()
    kit.desk.evidence.of_item(ITEM, link=LINK)
    people.waiting.assert_called_once_with()


def test_an_item_without_an_entry_is_told_as_such(kit: DeskKit) -> None:
    """Its list is known: it is empty."""
    pack = kit.desk.evidence.of_item(ItemKey("S", "I"), link=LINK).pack
    assert (pack.sentence, pack.after) == ("The service has nothing recorded for the item", ())


def test_an_item_with_an_empty_list_is_told_as_such(tmp_path: Path) -> None:
    """This service does have a list for it."""
    with open_kit(tmp_path, fake=TellingService({ITEM: ""}, semantics=Semantics(empty_is_404=False))) as kit:
        pack = kit.desk.evidence.of_item(ITEM, link=LINK).pack
    assert (pack.sentence, pack.after) == ("No recipient can see the item", ())


def test_a_list_that_cannot_be_read_is_evidence_too(kit: DeskKit) -> None:
    """It holds the reason, the next step and the answer."""
    kit.fake.faults.append(Fault("getVisibilities", refused("getVisibilities", 403)))
    pack = kit.desk.evidence.of_item(ITEM, link=LINK).pack
    assert (pack.sentence, pack.after) == ("The service refused it (403).", None)
    assert (pack.verification, pack.facts) == (
        "The list could not be read.",
        (Fact("What to do", "Ask support."),),
    )
    assert [one.problem.title for one in pack.exchanges if one.problem] == ["A title"]


def test_an_item_that_no_request_can_name_was_not_asked_about(kit: DeskKit) -> None:
    """There is no command either."""
    pack = kit.desk.evidence.of_item(ItemKey("S", ".."), link=LINK).pack
    assert (pack.exchanges, pack.curls, pack.not_on_record) == ((), (), "The service was not asked.")


def test_a_save_is_told_with_what_was_sent_and_how_it_was_verified(kit: DeskKit) -> None:
    """Before and after, one recipient's past, and the changes as comments."""
    kit.save(a_request(ITEM, key="earlier", base="AB", remove="B"))
    kit.save(replace(a_request(ITEM, key="k", base="A", add="C"), reason="ticket 4711"))
    pack = kit.desk.evidence.of_save("k", link=LINK).pack
    assert (pack.subject, pack.sentence) == (Subject.SAVE, "Added Coop")
    assert pack.verification == "Verified by a read after the last write, 2026-11-21 14:00:00 UTC."
    assert (pack.before, pack.after, pack.added) == (("A",), ("A", "C"), (Named("C", "Coop"),))
    assert (pack.recipient, pack.facts[2]) == (Named("C", "Coop"), Fact("Why", "ticket 4711"))
    assert [(one.change, one.outcome, one.calls) for one in pack.changes] == [("add", "done", 1)]
    assert sent(pack) == [("GET", "", 200), ("PUT", "/recipient/C", 204), ("GET", "", 200)]
    assert [(one.what, one.by, one.outcome, one.reason) for one in pack.history] == [
        ("added", "ann", "done, verified", "ticket 4711")
    ]
    assert [line[:6] for line in pack.curls] == ["curl -", "# curl"]


def test_a_save_of_several_recipients_is_told_with_the_past_of_the_item(kit: DeskKit) -> None:
    """They have no one past."""
    kit.save(a_request(ITEM, key="k", base="AB", add="CD", remove="B"))
    pack = kit.desk.evidence.of_save("k", link=LINK).pack
    assert (pack.recipient, pack.removed) == (None, (Named("B"),))
    assert [one.what for one in pack.history] == ["edit: 2 added, 1 removed"]


def test_what_a_save_asked_is_still_there_after_a_restart(tmp_path: Path) -> None:
    """It stands beside its entry in the history."""
    service = TellingService({ITEM: {"A"}})
    with open_kit(tmp_path, fake=service) as before:
        before.save(a_request(ITEM, key="k", base="A", add="C"))
    with open_kit(tmp_path, fake=service) as after:
        pack = after.desk.evidence.of_save("k", link=LINK).pack
    assert sent(pack) == [("GET", "", 200), ("PUT", "/recipient/C", 204), ("GET", "", 200)]
    assert pack.exchanges[1] == RequestAndAnswer(
        at=START.replace(hour=13, minute=59, second=59, microsecond=966_000),
        operation="addVisibility",
        method="PUT",
        path=f"{PATH}/recipient/C",
        status=204,
        took_ms=34,
        request_id="f00d",
    )


@pytest.mark.parametrize(
    ("fault", "sentence", "verification"),
    [
        (refused("addVisibility"), "Nothing was changed", "Not all of it was made, "),
        (
            unknown_outcome("addVisibility"),
            "Not confirmed: sent, but the service still shows the old list",
            "Not confirmed, ",
        ),
    ],
)
def test_a_save_that_failed_is_not_called_verified(
    kit: DeskKit, fault: Exception, sentence: str, verification: str
) -> None:
    """The failure is told in the service's words."""
    kit.fake.faults += [Fault("addVisibility", fault)] * 9  # type: ignore[arg-type]  (both are errors of calls)
    kit.save(a_request(ITEM, key="k", base="AB", add="C"))
    pack = kit.desk.evidence.of_save("k", link=LINK).pack
    assert (pack.sentence, pack.verification.startswith(verification)) == (sentence, True)
    assert pack.changes[0].problem is not None


def test_a_save_that_sent_nothing_tells_why(kit: DeskKit) -> None:
    """It is not in the history; this program knows it still."""
    kit.fake.faults.append(Fault("getVisibilities", not_sent("getVisibilities")))
    kit.save(a_request(ITEM, key="k", base="AB", add="C"))
    pack = kit.desk.evidence.of_save("k", link=LINK).pack
    assert pack.verification == "Nothing was sent, 2026-11-21 14:00:00 UTC."
    assert Fact("Because", "The service cannot be reached.") in pack.facts


def test_a_change_made_elsewhere_is_told_as_seen(kit: DeskKit) -> None:
    """Nobody here did it, and nothing was asked for."""
    kit.desk.read(ITEM)
    kit.fake.put(ITEM, "A")
    kit.fake.time.sleep(600)
    kit.desk.read(ITEM)
    (line,) = kit.records.search.newest(HistoryFilter(kind=ChangeKind.OBSERVED), limit=9).lines
    pack = kit.desk.evidence.of_save(line.key, link=LINK).pack
    assert (pack.subject, pack.sentence) == (Subject.SEEN, "Changed elsewhere: Removed B")
    assert pack.verification == "Seen by a read, 2026-11-21 14:10:00 UTC."
    assert pack.not_on_record == "It was changed elsewhere, and not from here."
    assert [(one.what, one.by, one.outcome) for one in pack.history] == [
        ("removed", "somebody elsewhere", "done, seen by a read")
    ]


def test_a_save_that_is_gone_is_refused_in_words(kit: DeskKit) -> None:
    """Its entry may have been pruned."""
    with pytest.raises(RecordsError, match="not on record"):
        kit.desk.evidence.of_save("gone", link=LINK)


@pytest.mark.parametrize(("recipient_id", "sentence"), [("A", "Yes, "), ("C", "No, ")])
def test_an_answer_is_told_as_it_was_given(kit: DeskKit, recipient_id: str, sentence: str) -> None:
    """The service is not asked again."""
    answer = kit.desk.check(_question(recipient_id))
    kit.fake.put(ITEM, "")
    pack = kit.desk.evidence.of_check(answer, link=LINK).pack
    assert (pack.subject, pack.sentence[: len(sentence)]) == (Subject.CHECK, sentence)
    assert (pack.after, pack.recipient) == (
        ("A", "B"),
        Named(recipient_id, {"A": "Alpha", "C": "Coop"}[recipient_id]),
    )
    assert pack.verification == "Asked at 2026-11-21 14:00:00 UTC."
    assert (sent(pack), len(kit.fake.calls)) == ([("GET", "", 200)], 1)


def test_a_no_is_told_with_its_reasons(kit: DeskKit) -> None:
    """As they stood beside the answer, with times that every ticket understands."""
    kit.save(a_request(ITEM, key="k", base="AB", remove="A"))
    question = _question("A")
    answer = kit.desk.check(question)
    why_not = kit.desk.why_not.explain(question, answer, owner="", most_read=1)
    facts = kit.desk.evidence.of_check(answer, why_not, link=LINK).pack.facts
    assert facts[0] == Fact("Why not", "ann removed Alpha · 2026-11-21 14:00:00 UTC · verified")


def test_an_answer_that_is_not_known_tells_what_was_tried(kit: DeskKit) -> None:
    """And what to do."""
    kit.fake.faults.append(Fault("getVisibilities", refused("getVisibilities", 403)))
    pack = kit.desk.evidence.of_check(kit.desk.check(_question("A")), link=LINK).pack
    assert (pack.after, sent(pack)) == (None, [("GET", "", 403)])
    assert pack.facts == (
        Fact("Because", "The service refused it (403)."),
        Fact("What to do", "Ask support."),
    )


def test_a_row_of_a_job_is_told_over_all_attempts(kit: DeskKit) -> None:
    """Each attempt's calls, the list before the first and after the last; no save of anybody else."""
    kit.fake.faults += [Fault("addVisibility", refused("addVisibility", 503))]
    kit.save(a_request(ITEM, key="job-1:0:1", base="AB", add="C"))
    kit.save(a_request(ITEM, key="job-1:0:2", base="AB", add="C"))
    kit.save(a_request(ITEM, key="job-10:0:1", base="ABC", remove="C"))
    pack = kit.desk.evidence.of_row(JOB, ROW, link=LINK).pack
    assert (pack.subject, pack.sentence) == (Subject.JOB_ROW, "add Coop: verified")
    assert pack.verification.startswith("Verified by a read after the last write")
    assert pack.facts == (Fact("Job", "list.csv, job-1"), Fact("By", "ann"), Fact("Why", "ticket 4711"))
    assert (pack.before, pack.after) == (("A", "B"), ("A", "B", "C"))
    assert [one.status for one in pack.exchanges if one.method == "PUT"] == [503, 204]


def test_a_row_is_told_however_much_was_changed_since(kit: DeskKit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its saves are found by their keys, not among the last changes of the pair."""
    monkeypatch.setattr(make_packs, "_PAST", 1)
    kit.save(a_request(ITEM, key="job-1:7:1", base="AB", add="C"))
    kit.save(a_request(ITEM, key="job-1:7:2", base="ABC", add="D"))
    kit.save(a_request(ITEM, key="later", base="ABCD", remove="C"))
    pack = kit.desk.evidence.of_row(JOB, replace(ROW, position=7), link=LINK).pack
    assert (pack.before, pack.after) == (("A", "B"), ("A", "B", "C"))
    assert pack.verification.startswith("Verified by a read after the last write")


def test_a_row_that_needed_no_save_says_so(kit: DeskKit) -> None:
    """It was in place already; what withdraws an item names no recipient."""
    row = replace(ROW, recipient_id=None, action=BulkAction.WITHDRAW, outcome=RowOutcome.IN_PLACE)
    pack = kit.desk.evidence.of_row(JOB, row, link=LINK).pack
    assert pack.sentence == "withdraw all: already in place"
    assert (pack.verification, pack.not_on_record) == (
        "No save of its own is on record.",
        "What was asked and answered is not on record.",
    )


def test_no_secret_is_in_a_pack(kit: DeskKit) -> None:
    """The client's own, and tokens that were given for it, wherever somebody wrote them."""
    credentials = TEST_ENVIRONMENT.credentials
    credentials.tokens.note("opaque-token-of-today")
    reason = f"with {credentials.client_secret} and opaque-token-of-today"
    kit.save(replace(a_request(ITEM, key="k", base="AB", add="C"), reason=reason))
    pack = kit.desk.evidence.of_save("k", link=LINK).pack
    assert (pack.facts[2].text, pack.history[0].reason) == ("with [hidden] and [hidden]",) * 2


def test_evidence_is_sealed_with_the_key_of_this_installation(kit: DeskKit) -> None:
    """The same one each time, in every form."""
    evidence = kit.desk.evidence.of_item(ITEM, link=LINK)
    key = kit.records.seal_key.known()
    assert key is not None
    forms = (evidence.text().encode(), evidence.page(), evidence.json())
    assert {check_file(form, key) for form in forms} == {Authenticity.MADE_HERE}
    assert kit.records.seal_key.made() == key


def test_without_our_own_records_there_is_still_evidence(kit: DeskKit, tmp_path: Path) -> None:
    """It says what is missing, and has no seal."""
    break_records(tmp_path)
    evidence = kit.desk.evidence.of_item(ITEM, link=LINK)
    assert evidence.pack.facts == (Fact("History", "It could not be read now."),)
    assert (evidence.key, sent(evidence.pack)) == (None, [("GET", "", 200)])


def _question(recipient_id: str) -> Question:
    return Question(supplier=ITEM.supplier, supplier_item_id=ITEM.supplier_item_id, recipient_id=recipient_id)
