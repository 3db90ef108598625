"""The sentences that claim a state, as a person reads them, held against what is true."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

_UNCHANGED = re.compile(r"Nothing was (?:changed|sent)|The list was already so|Nothing to change")
_ALL_SO = re.compile(
    r"verified (?:\d|then)|item was saved|Verified: everything|everything is as the list says"
    r"|The list was already so"
)
_NOT_ALL_SO = re.compile(r"not everything")
_COUNTED = re.compile(r"(\d+) (added|removed)\b")
_ROWS_SO = re.compile(r"(\d+) (?:verified|already so)\b")
_ROW = re.compile(r"^\S+ / \S+ / (?P<recipient>\S+): (?P<outcome>[a-z ]+)\.", re.MULTILINE)
_ROWS_UNTOUCHED = frozenset({"refused", "not sent"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What was asked for, and who could see the item before and can see it now, as a matter of fact."""

    add: frozenset[str]
    remove: frozenset[str]
    before: frozenset[str]
    now: frozenset[str]

    @property
    def so(self) -> frozenset[str]:
        """The recipients for whom it is as asked."""
        return (self.add & self.now) | (self.remove - self.now)

    @property
    def is_all_so(self) -> bool:
        """True when everything is as asked."""
        return self.so == self.add | self.remove

    def made(self, word: str) -> frozenset[str]:
        """Whom the change of this name was made for: `added` or `removed`."""
        return self.add & self.now - self.before if word == "added" else self.remove & self.before - self.now


def claims(text: str) -> set[str]:
    """The kinds of claims in a text: that it may hold none is for the test to know."""
    kinds = {"all so": _ALL_SO, "unchanged": _UNCHANGED, "not all so": _NOT_ALL_SO, "counted": _COUNTED}
    return {kind for kind, pattern in kinds.items() if pattern.search(text)}


def false_claims(texts: Iterable[str], facts: Facts) -> list[str]:
    """What the texts claim, and is not so."""
    return [wrong for text in texts for wrong in _wrong(text, facts)]


def _wrong(text: str, facts: Facts) -> Collection[str]:
    found = []
    if _ALL_SO.search(text) and not facts.is_all_so:
        found.append(f"not all is so: {text!r}")
    if _UNCHANGED.search(text) and facts.now != facts.before:
        found.append(f"something was changed: {text!r}")
    if _NOT_ALL_SO.search(text) and facts.is_all_so:
        found.append(f"all is so: {text!r}")
    for count, word in _COUNTED.findall(text):
        if len(facts.made(word)) < int(count):
            found.append(f"fewer were {word}: {text!r}")
    if sum(int(count) for count in _ROWS_SO.findall(text)) > len(facts.so):
        found.append(f"fewer are so: {text!r}")
    made = facts.made("added") | facts.made("removed")
    untouched = [row for row in _ROW.finditer(text) if row["outcome"] in _ROWS_UNTOUCHED]
    return [*found, *(f"it was made: {row[0]!r}" for row in untouched if row["recipient"] in made)]
