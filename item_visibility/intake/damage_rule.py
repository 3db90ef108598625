"""A rule that finds a damage in a text alone, and what it finds."""

from collections.abc import Callable
from dataclasses import dataclass

from item_visibility.intake.damage_finding import DamageKind


@dataclass(frozen=True, slots=True)
class Damage:
    """A damage, what one can say of it, and what is left when it is taken away; None when nothing is.

    After a loss the rest is no suggestion by itself: digits may be gone.
    """

    kind: DamageKind
    message: str
    rest: str | None
    is_loss: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """When a text is damaged, and what is left of it without the damage."""

    kind: DamageKind
    message: str
    is_damaged: Callable[[str], object]
    rest: Callable[[str], str | None]
    is_loss: bool = False

    def find(self, text: str) -> Damage | None:
        """The damage; None when there is none of this kind."""
        if not self.is_damaged(text):
            return None
        return Damage(self.kind, self.message, self.rest(text), self.is_loss)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What happened to an id, and what it probably was; None when it cannot be told."""

    kind: DamageKind
    message: str
    suggestion: str | None
