"""The damage that a text alone gives away, whatever stands around it."""

import re

from item_visibility.intake.damage_finding import DamageKind
from item_visibility.intake.damage_rule import Damage, Rule
from item_visibility.intake.damage_texts import RULES_OF_CHARACTERS, RULES_OF_WRAPPINGS
from item_visibility.intake.damage_values import (
    RULE_OF_BREAKS,
    RULE_OF_GROUPS,
    RULES_OF_NUMBERS,
    RULES_OF_WORDS,
)

_MOST_DAMAGES = 6
_LONGEST_WORD = 24
_LONGEST = 2_000
_PLAIN = re.compile(r"[0-9]+(?::[0-9]{3})?")
_JOINTS = str.maketrans("", "", "-:_")
_RULES: tuple[Rule, ...] = (
    *RULES_OF_WORDS,
    *RULES_OF_WRAPPINGS,
    RULE_OF_BREAKS,
    RULE_OF_GROUPS,
    *RULES_OF_CHARACTERS,
    *RULES_OF_NUMBERS,
)
_BEYOND_ASCII = frozenset(
    {
        DamageKind.MISREAD,
        DamageKind.LINE_BREAK,
        DamageKind.INVISIBLE,
        DamageKind.ODD_BLANKS,
        DamageKind.OTHER_DIGITS,
        DamageKind.DASHES,
        DamageKind.LOOK_ALIKE_LETTERS,
    }
)
_RULES_OF_ASCII = tuple(rule for rule in _RULES if rule.kind not in _BEYOND_ASCII)
"""For what can be printed in ASCII: most lists hold nothing else."""


def find_in_text(text: str) -> Damage | None:
    """The damage that the text gives away; of several, the first in which something was lost.

    Where nothing was lost it is the first one. What is left is free of all of them; nothing is, when there
    is no end of them. What is too long for an id is not looked at.
    """
    if len(text) > _LONGEST:
        return None
    told: Damage | None = None
    rest: str | None = text
    for _ in range(_MOST_DAMAGES):
        damage = _next_damage(rest) if rest else None
        if damage is None:
            break
        if told is None or (damage.is_loss and not told.is_loss):
            told = damage
        if damage.rest == rest:
            break
        rest = damage.rest
    else:
        rest = None
    return told and Damage(told.kind, told.message, rest or None, told.is_loss)


def _next_damage(text: str) -> Damage | None:
    if _PLAIN.fullmatch(text):
        return None
    is_word = _is_word(text)
    if is_word and len(text) > _LONGEST_WORD:
        return None
    is_ascii = text.isascii() and text.isprintable()
    rules = RULES_OF_WORDS if is_word else _RULES_OF_ASCII if is_ascii else _RULES
    return next(filter(None, (rule.find(text) for rule in rules)), None)


def _is_word(text: str) -> bool:
    """True when the text holds nothing but letters, digits and what joins them: most rules are not for it."""
    joined = text.isascii() and text.translate(_JOINTS).isalnum()
    return joined and text[0] != "-" and text[-1] != "-" and "_x" not in text
