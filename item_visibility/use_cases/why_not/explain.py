"""Why can they not see it? Asks our own records, and reads a few other items. It changes nothing."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from item_visibility.access.access import Access, Role
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import IdentifierError, ItemVisibilityError
from item_visibility.lists.damage import find_in_text
from item_visibility.storage.fallback import or_else
from item_visibility.storage.history.search import PairStep
from item_visibility.storage.seen_lists import ReadItem
from item_visibility.storage.service_records import ServiceRecords
from item_visibility.use_cases.check.answer_sentences import CheckAnswer, CheckKind, is_like_a_recipient
from item_visibility.use_cases.check.question.parts import Question, QuestionRole, choose, reordered
from item_visibility.use_cases.find_by_name import Choice
from item_visibility.use_cases.known_names import KnownNames
from item_visibility.use_cases.why_not.near_items import counts, near_items, reason_of
from item_visibility.use_cases.why_not.near_recipients import near_recipients
from item_visibility.use_cases.why_not.pair_past import last_change, past_of_pair
from item_visibility.use_cases.why_not.pair_plans import jobs_for_pair
from item_visibility.use_cases.why_not.reasons import Reason, ReasonKind, WhyNot, in_order, without_idle

MOST_READ = 5
"""The limit of other items read for one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """The question and its answer, and which ids are sure: known here, or with a form that tells."""

    question: Question
    answer: CheckAnswer
    item: ItemKey
    recipient_id: str
    listed: frozenset[str]
    is_item_sure: bool
    is_recipient_sure: bool

    @property
    def is_service_silent(self) -> bool:
        """True when the service did not give the list; False when it was not asked for it at all."""
        return self.answer.error is not None and not isinstance(self.answer.error, IdentifierError)


class WhyNotDesk:
    """Says why a recipient cannot see an item, for answers of the check. It only reads.

    `read` reads another item as the check does. Without our own database what happened here is not
    known, and the rest is still said.
    """

    def __init__(
        self,
        records: ServiceRecords,
        names: KnownNames,
        *,
        read: Callable[[ItemKey], ReadItem],
        access: Access,
    ) -> None:
        self._records = records
        self._names = names
        self._read = read
        self._access = access

    def explain(
        self, question: Question, answer: CheckAnswer, *, most_read: int = MOST_READ
    ) -> WhyNot | None:
        """Return the reasons for a no or a not known, the most probable first; None when there is no why.

        Return None for a yes or an incomplete question. At most `most_read` other items are read. Raises
        SignInError and RoleError.
        """
        self._access.require(Role.VIEWER)
        item, recipient_id = answer.item, answer.recipient_id
        if answer.kind is CheckKind.YES or item is None or recipient_id is None:
            return None
        asked = self._asked(question, answer, item, recipient_id)
        about_pair = or_else(None, lambda: tuple(self._about_pair(asked)))
        near = self._near(asked, most_read=most_read)
        reasons = in_order(without_idle(chain(about_pair or (), near)))
        return self._named(asked, reasons, is_looked_up=about_pair is not None)

    def last_change(self, item: ItemKey, recipient_id: str) -> PairStep | None:
        """Return the last change of whether the recipient can see the item; None when none is on record.

        Raises SignInError and RoleError.
        """
        self._access.require(Role.VIEWER)
        return or_else(None, lambda: last_change(item, recipient_id, pairs=self._records.pairs))

    def _asked(self, question: Question, answer: CheckAnswer, item: ItemKey, recipient_id: str) -> _Asked:
        """Return what is known of the question now: each read makes more known."""
        listed = answer.listed or frozenset[str]()
        is_known = self._names.is_known_recipient(recipient_id)
        return _Asked(
            question=question,
            answer=answer,
            item=item,
            recipient_id=recipient_id,
            listed=listed,
            is_item_sure=bool(listed) or self._names.is_known_item(item),
            is_recipient_sure=is_known or is_like_a_recipient(recipient_id, item=item),
        )

    def _about_pair(self, asked: _Asked) -> Iterator[Reason]:
        """Yield what happened and is to happen to this very pair. Raises RecordsError."""
        records, pair = self._records, (asked.item, asked.recipient_id)
        yield from past_of_pair(*pair, pairs=records.pairs)
        yield from jobs_for_pair(*pair, jobs=records.item_in_jobs)

    def _near(self, asked: _Asked, *, most_read: int) -> Iterator[Reason]:
        """Yield what the answer itself says, and what may have been meant instead."""
        if asked.is_service_silent:
            yield self._not_read(asked)
            return  # other reads would fail now, too
        yield from _said(asked)
        yield from near_recipients(
            asked.recipient_id,
            asked.listed,
            item=asked.item,
            names=self._names,
            is_sure=asked.is_recipient_sure,
        )
        yield from self._exchanged(asked.question)
        yield from self._near_items(asked, most_read=most_read)

    def _not_read(self, asked: _Asked) -> Reason:
        """Return that the list could not be read, and how the pair was seen last."""
        pairs = self._records.pairs
        seen = or_else(None, lambda: pairs.last_seen(asked.item, asked.recipient_id))
        return Reason(
            kind=ReasonKind.NOT_READ,
            since=seen.seen_at if seen else None,
            sees=seen is not None and seen.could_see,
            message=_message(asked.answer),
        )

    def _exchanged(self, question: Question) -> Iterator[Reason]:
        """Yield that parts of the question are exchanged, when in another order it is a known item."""
        for turned in reordered(question):
            item, recipient_id = turned.item, turned.recipient_id
            if item is not None and item != question.item and self._names.is_known_item(item):
                listed = self._recipients_of(item) or frozenset[str | None]()
                sees = recipient_id in listed
                yield Reason(kind=ReasonKind.EXCHANGED, item=item, recipient_id=recipient_id, sees=sees)
                return

    def _near_items(self, asked: _Asked, *, most_read: int) -> Iterator[Reason]:
        """Yield the known items that may have been meant. Those that the check read are not read again."""
        read_before = {one.item: one.listed for one in asked.answer.instead if one.listed is not None}
        is_sure = asked.is_recipient_sure or asked.is_item_sure
        found = near_items(asked.item, is_sure=asked.is_item_sure, names=self._names)
        for near in found[:most_read]:
            listed = read_before[near.item] if near.item in read_before else self._recipients_of(near.item)
            if listed is None:
                continue
            reason = reason_of(near, listed, asked.recipient_id, is_sure=is_sure)
            if counts(reason, is_sure=asked.is_item_sure):
                yield reason

    def _recipients_of(self, item: ItemKey) -> frozenset[str] | None:
        """Return who can see another item; None when it could not be read."""
        try:
            return self._read(item).recipients or frozenset()
        except ItemVisibilityError:
            return None

    def _named(self, asked: _Asked, reasons: tuple[Reason, ...], *, is_looked_up: bool) -> WhyNot:
        """Return the reasons with the names of what they name."""
        items = {asked.item, *(one.item for one in reasons if one.item is not None)}
        others = (one.recipient_id for one in reasons if one.recipient_id is not None)
        return WhyNot(
            item=asked.item,
            recipient_id=asked.recipient_id,
            reasons=reasons,
            is_looked_up=is_looked_up,
            recipient_names=self._names.recipient_names({asked.recipient_id, *others}),
            item_titles=self._names.item_titles(items),
            supplier_names=self._names.supplier_names({one.supplier for one in items}),
        )


def ask_instead(question: Question, reason: Reason) -> Question:
    """Return the question about what was probably meant."""
    if reason.item is not None:
        chosen = Choice((reason.item.supplier, reason.item.supplier_item_id))
        question = choose(question, QuestionRole.ITEM, chosen)
    if reason.recipient_id is not None:
        question = choose(question, QuestionRole.RECIPIENT, Choice((reason.recipient_id,)))
    return question


def _said(asked: _Asked) -> Iterator[Reason]:
    """Yield what the answer itself says."""
    answer = asked.answer
    if answer.error is not None:
        yield Reason(kind=ReasonKind.CANNOT_BE_ASKED, message=_message(answer))
    elif answer.is_without_market or answer.names_other_market:
        yield Reason(kind=ReasonKind.MARKET_MISSING, message=_message(answer))
    elif not asked.is_item_sure:
        damage = find_in_text(asked.item.supplier_item_id)
        message = damage.message if damage and damage.is_loss else ""
        yield Reason(kind=ReasonKind.UNKNOWN_ITEM, message=message)
    elif asked.is_recipient_sure:
        yield Reason(kind=ReasonKind.NOT_ADDED if asked.listed else ReasonKind.NO_LIST)


def _message(answer: CheckAnswer) -> str:
    return answer.message or answer.sentence
