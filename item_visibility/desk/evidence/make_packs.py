"""Evidence for a ticket, in one press: what was asked and answered, how it is known, and what was before.

An item is read now; a save, an answer and a job's row are told as they were on record or on the screen.
A pack without its history is still evidence: it says that it could not be read.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime

from item_visibility.api.identifiers import ItemKey
from item_visibility.api.observing import collected
from item_visibility.changes.claim import claim_words
from item_visibility.changes.history_entry import HistoryEntry
from item_visibility.changes.in_words import done_in_words, many
from item_visibility.changes.job import Job
from item_visibility.changes.outcome import Exchanges, SaveResult, StepResult, Verdict, exchanges_of
from item_visibility.changes.request import ChangeKind, SaveRequest
from item_visibility.changes.saving.save_worker import SaveStatus
from item_visibility.desk.bulk.results import ResultRow
from item_visibility.desk.check.answer_sentences import CheckAnswer
from item_visibility.desk.evidence.parts_of_packs import (
    changes,
    curls,
    named,
    past_of_item,
    past_of_pair,
    requests_and_answers,
)
from item_visibility.desk.history.undo_saves import status_of
from item_visibility.desk.known_names import KnownNames
from item_visibility.desk.why_not.reason_words import reason_in_words
from item_visibility.desk.why_not.reasons import WhyNot
from item_visibility.errors import ItemVisibilityError, RecordsError
from item_visibility.evidence.pack import Fact, Named, Pack, PastChange, Subject
from item_visibility.evidence.redaction import redactor_for
from item_visibility.evidence.sealed_pack import Evidence
from item_visibility.evidence.shown_texts import full_utc
from item_visibility.jobs.item_saver import attempt_key
from item_visibility.jobs.preview import ReadItem
from item_visibility.people.doorkeeper import Doorkeeper
from item_visibility.people.person import Role
from item_visibility.records.fallback import or_else
from item_visibility.records.history.search import HistoryFilter
from item_visibility.records.service_records import ServiceRecords
from item_visibility.settings.values import Environment
from item_visibility.settings.version import version
from item_visibility.timings_and_retries import ITEM_ATTEMPTS

_PAST = 50
"""The limit of earlier changes that are told."""
_NAMED = 1_000
"""The limit of named recipients of a list, as on the page."""
_NOT_KEPT = "What was asked and answered is not on record."
_NOT_ASKED = "The service was not asked."
_NOT_RECORDED, _EMPTY = "The service has nothing recorded for the item", "No recipient can see the item"
_WITHOUT_SAVE = "No save of its own is on record."
_ELSEWHERE = "It was changed elsewhere, and not from here."
_UNREAD_HISTORY = Fact("History", "It could not be read now.")
_KNOWN_BY = {
    Verdict.VERIFIED: "Verified by a read after the last write, {at}.",
    Verdict.NOT_CONFIRMED: "Not confirmed, {at}: a read that shows all of it is missing.",
    Verdict.DIFFERS: "Not all of it was made, {at}: how each change ended is known.",
    Verdict.NOTHING_SENT: "Nothing was sent, {at}.",
}


@dataclass(frozen=True, slots=True)
class _About:
    """The facts of one pack that differ with its subject."""

    subject: Subject
    item: ItemKey
    recipient_id: str | None
    sentence: str
    verification: str
    facts: tuple[Fact, ...] = ()
    before: frozenset[str] | None = None
    after: frozenset[str] | None = None
    exchanges: Exchanges = field(default_factory=Exchanges)
    not_on_record: str = _NOT_KEPT
    steps: tuple[StepResult, ...] = ()


class EvidenceDesk:
    """Makes evidence in one environment, for whoever may look. Every method raises SignInError and RoleError.

    `read` reads an item now, `save_status` returns a save with its result, running or ended.
    """

    def __init__(  # noqa: PLR0913  (wired in one place, from all its parts)
        self,
        environment: Environment,
        *,
        records: ServiceRecords,
        names: KnownNames,
        read: Callable[[ItemKey], ReadItem],
        save_status: Callable[[str], SaveStatus | None],
        doorkeeper: Doorkeeper,
        clock: Callable[[], datetime],
    ) -> None:
        self._environment = environment
        self._records = records
        self._names = names
        self._read = read
        self._save_status = save_status
        self._doorkeeper = doorkeeper
        self._clock = clock

    def of_item(self, item: ItemKey, *, link: str) -> Evidence:
        """Read the item now, and return what came; a failure is evidence, too."""
        self._doorkeeper.admit(Role.VIEWER)
        with collected() as made:
            try:
                about = _about_read(self._read(item))
            except ItemVisibilityError as error:
                about = _about_failure(item, error)
        return self._evidence(replace(about, exchanges=exchanges_of(made), not_on_record=_NOT_ASKED), link)

    def of_save(self, key: str, *, link: str) -> Evidence:
        """Return what is known of a save or of a change made elsewhere. RecordsError when it is gone."""
        self._doorkeeper.admit(Role.VIEWER)
        status = self._save_status(key)
        if status is None or status.result is None:
            raise RecordsError(
                "This change is not on record, or has not ended yet.", advice="Load the page again."
            )
        return self._evidence(self._about_save(status.request, status.result), link)

    def of_check(self, answer: CheckAnswer, why_not: WhyNot | None = None, *, link: str) -> Evidence:
        """Return what is known of an answer, as it was given, with the reasons that were told beside it.

        The question must have named an item.
        """
        self._doorkeeper.admit(Role.VIEWER)
        assert answer.item is not None  # noqa: S101  (a screen offers it for no other)
        about = _About(
            Subject.CHECK,
            answer.item,
            answer.recipient_id,
            answer.sentence,
            f"Asked at {full_utc(answer.answered_at)}." if answer.is_asked else "The service was not asked.",
            facts=_facts(*_reasons(why_not), ("Because", answer.message), ("What to do", answer.advice)),
            after=answer.listed,
            exchanges=answer.exchanges,
            not_on_record=_NOT_ASKED,
        )
        return self._evidence(about, link)

    def of_row(self, job: Job, row: ResultRow, *, link: str) -> Evidence:
        """Return what is known of one row of a bulk job, over all its attempts. RecordsError."""
        self._doorkeeper.admit(Role.VIEWER)
        attempts = (attempt_key(job.key, row.position, attempt) for attempt in range(1, ITEM_ATTEMPTS + 1))
        entries = [entry for key in attempts if (entry := self._records.history.entry(key)) is not None]
        about_row = [one for one in entries if row.recipient_id is None or _has_step(one, row.recipient_id)]
        results = [result for entry in about_row if (result := status_of(entry).result) is not None]
        kept = [self._records.exchanges.of(entry.request.key) for entry in about_row]
        who = "" if row.recipient_id is None else f" {self._named(row.recipient_id)}"
        about = _About(
            Subject.JOB_ROW,
            row.item,
            row.recipient_id,
            f"{row.action.value}{who}: {row.outcome.value}",
            _known_by(results[-1]) if results else _WITHOUT_SAVE,
            facts=_facts(
                ("Because", row.message),
                ("Job", f"{job.title}, {job.key}"),
                ("By", job.person),
                ("Why", job.reason),
            ),
            before=results[0].before if results else None,
            after=results[-1].after if results else None,
            exchanges=Exchanges(
                tuple(one for exchanges in kept for one in exchanges.records),
                sum(exchanges.skipped for exchanges in kept),
            ),
        )
        return self._evidence(about, link)

    def _about_save(self, request: SaveRequest, result: SaveResult) -> _About:
        is_seen = request.origin.kind is ChangeKind.OBSERVED
        names = self._names.recipient_names([*result.added[:_NAMED], *result.removed[:_NAMED]])
        done = done_in_words(result.added, result.removed, names)
        ids = {one.step.recipient_id for one in result.steps}
        exchanges = result.exchanges
        if not exchanges.records:
            exchanges = or_else(exchanges, lambda: self._records.exchanges.of(request.key))
        return _About(
            Subject.SEEN if is_seen else Subject.SAVE,
            request.item,
            next(iter(ids)) if len(ids) == 1 else None,
            f"Changed elsewhere: {done}" if is_seen else claim_words(result, names),
            f"Seen by a read, {full_utc(result.ended_at)}." if is_seen else _known_by(result),
            facts=_facts(
                ("By", "" if is_seen else request.person),
                ("Begun", full_utc(result.started_at)),
                ("Why", request.reason),
                ("Because", result.message),
                ("What to do", result.advice),
                ("Key", request.key),
            ),
            before=result.before,
            after=result.after,
            exchanges=exchanges,
            not_on_record=_ELSEWHERE if is_seen else _NOT_KEPT,
            steps=result.steps,
        )

    def _evidence(self, about: _About, link: str) -> Evidence:
        """Return the pack with everything that each has, without secrets."""
        environment, item, recipient_id = self._environment, about.item, about.recipient_id
        past = or_else(None, lambda: self._past(item, recipient_id))
        before, after = about.before, about.after
        added = frozenset() if before is None or after is None else after - before
        removed = frozenset() if before is None or after is None else before - after
        stepped = [one.step.recipient_id for one in about.steps]
        listed = sorted(after or ())[:_NAMED] if before is None else []
        own = () if recipient_id is None else (recipient_id,)
        names = self._names.recipient_names({*added, *removed, *stepped, *listed, *own})
        exchanges = requests_and_answers(about.exchanges.records)
        pack = Pack(
            subject=about.subject,
            sentence=about.sentence,
            verification=about.verification,
            supplier=Named(item.supplier, self._names.supplier_name(item.supplier)),
            item=Named(item.supplier_item_id, self._names.item_name(item)),
            recipient=None if recipient_id is None else Named(recipient_id, names.get(recipient_id, "")),
            facts=about.facts if past is not None else (*about.facts, _UNREAD_HISTORY),
            changes=changes(about.steps, names),
            before=None if before is None else tuple(sorted(before)),
            after=None if after is None else tuple(sorted(after)),
            names=tuple(Named(one, names[one]) for one in listed if one in names),
            added=named(added, names),
            removed=named(removed, names),
            exchanges=exchanges,
            skipped=about.exchanges.skipped,
            not_on_record="" if exchanges else about.not_on_record,
            history=past or (),
            curls=curls(item, exchanges, base_url=environment.base_url),
            link=link,
            environment=environment.name,
            service=environment.base_url,
            made_at=self._clock(),
            made_by=self._doorkeeper.person().name,
            program=f"item-visibility {version()}",
        )
        hide = redactor_for(environment.credentials)
        return Evidence(hide.value(pack), or_else(None, self._records.seal_key.made))

    def _past(self, item: ItemKey, recipient_id: str | None) -> tuple[PastChange, ...]:
        if recipient_id is not None:
            return past_of_pair(self._records.pairs.newest(item, recipient_id, limit=_PAST))
        wanted = HistoryFilter(supplier=item.supplier, supplier_item_id=item.supplier_item_id)
        return past_of_item(self._records.search.newest(wanted, limit=_PAST).lines)

    def _named(self, recipient_id: str) -> str:
        return self._names.recipient_names([recipient_id]).get(recipient_id, recipient_id)


def _about_read(read: ReadItem) -> _About:
    count = many(len(read.recipients or ()), "recipient")
    return _About(
        Subject.ITEM,
        read.item,
        None,
        _NOT_RECORDED
        if read.recipients is None
        else f"{count} can see the item"
        if read.recipients
        else _EMPTY,
        f"Read at {full_utc(read.read_at)}.",
        after=read.recipients or frozenset(),
    )


def _about_failure(item: ItemKey, error: ItemVisibilityError) -> _About:
    facts = _facts(("What to do", error.advice))
    return _About(Subject.ITEM, item, None, error.message, "The list could not be read.", facts)


def _known_by(result: SaveResult) -> str:
    return _KNOWN_BY[result.verdict].format(at=full_utc(result.ended_at))


def _reasons(why_not: WhyNot | None) -> list[tuple[str, str]]:
    """Return the reasons that do not stand in the answer, the most probable first."""
    if why_not is None:
        return []
    told = (one for one in (why_not.first, *why_not.others) if not one.is_said_by_answer)
    return [("Why not", reason_in_words(one, why_not, when=full_utc)) for one in told]


def _has_step(entry: HistoryEntry, recipient_id: str) -> bool:
    return any(one.step.recipient_id == recipient_id for one in entry.steps)


def _facts(*facts: tuple[str, str]) -> tuple[Fact, ...]:
    return tuple(Fact(label, text) for label, text in facts if text)
