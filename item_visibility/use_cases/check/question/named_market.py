"""The target market that a question names beside a number: "for Germany", "(DE)", "276". Note N18."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import compress

from iso3166 import countries_by_alpha2

from item_visibility.lists.markets import ADJECTIVES, OTHER_NAMES, codes_by_name, market_code

_ADJECTIVE = "|".join(ADJECTIVES.values())
_NO_MARKET = frozenset({"ID"})
"""Country codes that are words of a question."""
_ALONE = OTHER_NAMES.keys() - {"IT", "NO", "SE"}
"""Country codes that are read without a word before them; AG, KG and the like are parts of names."""

_CODED = re.compile(
    rf"""
      \( \s* (?P<bracketed> [A-Z]{{2,3}} | [0-9]{{3}} ) \s* \)
    | \b (?i: (?P<adjective> (?: {_ADJECTIVE} ) [a-zäöü]* ) \s+ mar(?:ket|kt) ) \b
    | \b (?i: (?:target\s?|ziel)?mar(?:ket|kt) | tm ) \s* [:=]? \s*
      (?P<named> [A-Za-z]{{2,3}} | [0-9]{{3}} ) (?![\w:.-])
    | \b (?: for | für | in ) \s+ (?P<after> [A-Z]{{2,3}} ) (?![\w:.-])
    | (?<![\w:.-]) (?P<alone> [A-Z]{{2}} ) (?= \s* (?: [;,/|?!.\n] | \Z ) )
    | (?<![\w:.-]) (?P<amid> [A-Z]{{2}} ) (?= \s )
    | (?<![\w:.-]) (?P<last> de | at | ch | fr | nl | be | pl | uk ) (?= [\s?!.]* \Z )
    | (?<![\w:.-]) (?: [0-9]{{8}} | [0-9]{{12,14}} ) [ \t;,/|-]+ (?P<beside> [0-9]{{3}} ) (?![\w:.-])
    """,
    re.VERBOSE,
)


def read_markets(text: str, *, is_known: Callable[[str], bool]) -> tuple[frozenset[str], str]:
    """Return the numbers of the markets in the text, and the text without them.

    An id that is known here stays an id.
    """
    cells = text.split("\t")
    if len(cells) > 1:  # in a table row, only a whole cell can be a market
        is_market = [bool(market_code(cell)) and not is_known(cell.strip()) for cell in cells]
        codes = frozenset(market_code(cell) for cell in compress(cells, is_market))
        return codes, "\t".join(cell for cell, is_it in zip(cells, is_market, strict=True) if not is_it)
    found = [(match, group) for match, group in _mentions(text) if not is_known(match[group])]
    codes = frozenset(_code_of(match) for match, _ in found)
    for match, group in reversed(found):
        start = match.start(group) if group == "beside" else match.start()
        text = f"{text[:start]} {text[match.end() :]}"
    return codes, text


def _mentions(text: str) -> Iterator[tuple[re.Match[str], str]]:
    """Yield each mention of a market in order, with the group of its code or name. None overlap."""
    end = 0
    matches = [*_CODED.finditer(text), *_name_pattern().finditer(text)]
    for match in sorted(matches, key=lambda one: one.start()):
        group = str(match.lastgroup)
        is_market = bool(_code_of(match)) and match[group].upper() not in _NO_MARKET
        is_market = is_market and (group not in {"alone", "amid"} or match[group] in _ALONE)
        is_market = is_market and not (group == "amid" and text.isupper())
        if is_market and match.start() >= end:
            end = match.end()
            yield match, group


def _code_of(match: re.Match[str]) -> str:
    """Return the number of the market in a mention."""
    text = match[str(match.lastgroup)]
    if match.lastgroup != "adjective":
        return market_code(text)
    beginnings = ((code, one) for code, some in ADJECTIVES.items() for one in some.split("|"))
    found = next(code for code, one in beginnings if text.casefold().startswith(one))
    return countries_by_alpha2[found].numeric


@cache
def _name_pattern() -> re.Pattern[str]:
    """Return a pattern that finds the names of markets, the longest first."""
    names = "|".join(map(re.escape, sorted(codes_by_name(), key=len, reverse=True)))
    pattern = rf"(?<![\w-])(?:(?:for|für|in)\s+)?(?P<country>{names})(?![\w-])"
    return re.compile(pattern, re.IGNORECASE)
