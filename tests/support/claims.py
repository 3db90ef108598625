"""Sentences on the screen that claim a state, checked against the facts."""

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

_UNCHANGED = re.compile(r"Nothing was (?:changed|sent)|Nothing to change")
_ALL_SO = re.compile(
    r"verified (?:\d|then|today|yesterday)|item was saved|Verified: everything|everything is as in the list"
    r"|this is already the list"
)
_NOT_ALL_SO = re.compile(r" · \d+ (?:refused|not sent)\b")
_COUNTED = re.compile(r"(\d+) (added|removed)\b")
_NAMED = re.compile(r"\b([Aa]dded|[Rr]emoved) (?!meanwhile|with )((?:(?!, removed| · |\. [A-Z]).)+)")
_ROWS_SO = re.compile(r"(\d+) (?:verified|already in place|already had it|already without it)\b")
_ROW = re.compile(r"^\S+ / \S+ / (?P<recipient>\S+): (?P<outcome>[a-z ]+)\.", re.MULTILINE)
_ROWS_UNTOUCHED = frozenset({"refused", "not sent"})


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts: the requested changes, and the recipients that saw the item before and see it now."""

    add: frozenset[str]
    remove: frozenset[str]
    before: frozenset[str]
    now: frozenset[str]

    @property
    def so(self) -> frozenset[str]:
        """The recipients whose requested state is in place."""
        return (self.add & self.now) | (self.remove - self.now)

    @property
    def is_all_so(self) -> bool:
        """True when every requested change is in place."""
        return self.so == self.add | self.remove

    def made(self, word: str) -> frozenset[str]:
        """Return the recipients that were really `added` or `removed`."""
        return self.add & self.now - self.before if word == "added" else self.remove & self.before - self.now


def claims(text: str) -> set[str]:
    """Return the kinds of claims in a text. The test decides if a text may make none."""
    kinds = {"all so": _ALL_SO, "unchanged": _UNCHANGED, "not all so": _NOT_ALL_SO, "counted": _COUNTED}
    kinds["named"] = _NAMED
    return {kind for kind, pattern in kinds.items() if pattern.search(text)}


def false_claims(texts: Iterable[str], facts: Facts) -> list[str]:
    """Return the claims in the texts that are false."""
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
    for word, who in _NAMED.findall(text):
        if not set(re.split(", | and ", who)) <= facts.made(word.lower()):
            found.append(f"not all of them were {word.lower()}: {text!r}")
    if sum(int(count) for count in _ROWS_SO.findall(text)) > len(facts.so):
        found.append(f"fewer are so: {text!r}")
    made = facts.made("added") | facts.made("removed")
    untouched = [row for row in _ROW.finditer(text) if row["outcome"] in _ROWS_UNTOUCHED]
    return [*found, *(f"it was made: {row[0]!r}" for row in untouched if row["recipient"] in made)]
