"""Says in words where a suggestion differs from the text that it replaces."""

from difflib import SequenceMatcher
from unicodedata import name

_MOST_PARTS = 3
_SHORT = 40
_OTHER = "another text"


def difference_words(value: str, suggestion: str) -> str:
    """Return what is added, removed and replaced, in the order of the text; "another text" for a lot."""
    steps = SequenceMatcher(None, value, suggestion, autojunk=False).get_opcodes()
    changed = [step for step in steps if step[0] != "equal"]
    if len(changed) > _MOST_PARTS or len(changed) == len(steps):
        return f"“{value}” becomes “{suggestion}”" if len(value) + len(suggestion) < _SHORT else _OTHER
    return ", ".join(_words(value, suggestion, step) for step in changed)


def _words(value: str, suggestion: str, step: tuple[str, int, int, int, int]) -> str:
    what, start, end, new_start, new_end = step
    old, new = value[start:end], suggestion[new_start:new_end]
    if what == "replace":
        return f"{_shown(old)} becomes {_shown(new)}"
    where = "at the start" if not start else "at the end" if end == len(value) else f"after “{value[:start]}”"
    return f"adds {_shown(new)} {where}" if what == "insert" else f"removes {_shown(old)} {where}"


def _shown(part: str) -> str:
    """Return the part in quotes, or the names of its characters when there is nothing to see."""
    if any(not char.isspace() and char.isprintable() for char in part):
        return f"“{part}”"
    return " and ".join(name(char, f"character {ord(char):04X}").lower() for char in part)
