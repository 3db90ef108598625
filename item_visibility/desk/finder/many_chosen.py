"""The recipients that were chosen in a field, before a button does something with them."""

from collections.abc import Collection
from dataclasses import dataclass

from item_visibility.intake.paste import DoubtfulText, EnteredIds


@dataclass(frozen=True, slots=True)
class ManyChosen:
    """The chosen recipients in their order, each once, and the texts that the person is asked about."""

    ids: tuple[str, ...] = ()
    asked: tuple[DoubtfulText, ...] = ()

    def with_entered(self, entered: EnteredIds, *, settled: Collection[str] = ()) -> "ManyChosen":
        """Return them with what was entered. Texts are asked about until they are settled."""
        asked = {one.text: one for one in (*self.asked, *entered.doubtful)}
        return ManyChosen(
            tuple(dict.fromkeys((*self.ids, *entered.ids))),
            tuple(one for text, one in asked.items() if text not in settled),
        )

    def without(self, recipient_id: str) -> "ManyChosen":
        """Return them without this one."""
        return ManyChosen(tuple(one for one in self.ids if one != recipient_id), self.asked)
