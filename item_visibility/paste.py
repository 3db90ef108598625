"""Reads the recipients that a person pasted, and says what each of them means for the draft."""

from collections.abc import Iterable
from dataclasses import dataclass

from item_visibility.api.identifiers import refusal
from item_visibility.changes.draft import Draft
from item_visibility.hints import doubts
from item_visibility.intake.looks import look_without_zeros
from item_visibility.intake.split import split_ids


@dataclass(frozen=True, slots=True)
class Remark:
    """A pasted recipient id, and why it is remarked upon."""

    recipient_id: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PastedIds:
    """Every pasted id, in the order of the paste, by what it means for the draft.

    `new` would be added by this paste, and holds the `suspicious` ones too: a suspicion never
    blocks. `repeated` were pasted more than once. `refused` can be in no request. Note N1.
    """

    new: tuple[str, ...] = ()
    already_there: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    refused: tuple[Remark, ...] = ()
    suspicious: tuple[Remark, ...] = ()


def read_pasted(text: str, *, draft: Draft) -> PastedIds:
    """What the pasted text would do to the draft. An id that is staged to be removed counts as new."""
    pasted = split_ids(text)
    distinct = tuple(dict.fromkeys(pasted))
    reasons = {pasted_id: refusal(pasted_id, name="recipient") for pasted_id in distinct}
    sendable = [pasted_id for pasted_id in distinct if not reasons[pasted_id]]
    wanted = draft.wanted
    new = tuple(pasted_id for pasted_id in sendable if pasted_id not in wanted)
    return PastedIds(
        new=new,
        already_there=tuple(pasted_id for pasted_id in sendable if pasted_id in wanted),
        repeated=_repeated(pasted),
        refused=tuple(Remark(pasted_id, why) for pasted_id, why in reasons.items() if why),
        suspicious=_suspicious(new, listed=draft.recipients | draft.add),
    )


def _repeated(pasted: tuple[str, ...]) -> tuple[str, ...]:
    seen: set[str] = set()
    again: dict[str, None] = {}
    for pasted_id in pasted:
        if pasted_id in seen:
            again[pasted_id] = None
        seen.add(pasted_id)
    return tuple(again)


def _suspicious(new: tuple[str, ...], *, listed: frozenset[str]) -> tuple[Remark, ...]:
    looks = _by_look((*sorted(listed), *new))
    remarks = []
    for pasted_id in new:
        twin = looks[look_without_zeros(pasted_id)]
        where = "in the list" if twin in listed else "pasted too"
        alike = () if twin == pasted_id else (f"looks like {twin}, which is {where}",)
        if reasons := (*doubts(pasted_id), *alike):
            remarks.append(Remark(pasted_id, "; ".join(reasons)))
    return tuple(remarks)


def _by_look(identifiers: Iterable[str]) -> dict[str, str]:
    """The first id of each look."""
    looks: dict[str, str] = {}
    for identifier in identifiers:
        looks.setdefault(look_without_zeros(identifier), identifier)
    return looks
