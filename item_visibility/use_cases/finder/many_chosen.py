"""The recipients that were chosen in a field, before a button does something with them."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from itertools import chain

from item_visibility.lists.paste import DoubtfulText, EnteredIds
from item_visibility.use_cases.finder.recipient_groups import Group


@dataclass(frozen=True, slots=True)
class ManyChosen:
    """The chosen recipients in their order, each once, alone or in a group.

    `asked` are texts that wait for a decision; `ignored` is the prose that was pasted with the rest; `note`
    says something about the last entry.
    """

    ids: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    asked: tuple[DoubtfulText, ...] = ()
    ignored: tuple[str, ...] = ()
    note: str = ""

    @property
    def everyone(self) -> frozenset[str]:
        """All recipients, single ones and those in groups."""
        return frozenset(chain(self.ids, *(group.recipients for group in self.groups)))

    def with_ids(self, ids: Iterable[str], *, settled: Collection[str] = ()) -> "ManyChosen":
        """Return them with more single ones. The settled texts need no decision any more."""
        asked = tuple(one for one in self.asked if one.text not in settled)
        return replace(self, ids=tuple(dict.fromkeys((*self.ids, *ids))), asked=asked, note="")

    def with_entered(self, entered: EnteredIds) -> "ManyChosen":
        """Return them with what was entered. Of the prose, only that of the last text is kept."""
        asked = {one.text: one for one in (*self.asked, *entered.doubtful)}
        chosen = self.with_ids(entered.ids)
        return replace(chosen, asked=tuple(asked.values()), ignored=entered.ignored)

    def with_group(self, group: Group) -> "ManyChosen":
        """Return them with a group, in place of an earlier one of the same item or set."""
        others = tuple(one for one in self.groups if one.choice.id != group.choice.id)
        return replace(self, groups=(*others, group), note="")

    def without(self, recipient_id: str) -> "ManyChosen":
        """Return them without this single one."""
        return replace(self, ids=tuple(one for one in self.ids if one != recipient_id), note="")

    def without_group(self, choice_id: str) -> "ManyChosen":
        """Return them without this group."""
        return replace(self, groups=tuple(one for one in self.groups if one.choice.id != choice_id), note="")
