"""Show any text unchanged in places where Streamlit renders Markdown.

Identifiers, names and the service's words are data: `![x](http://evil)` must be shown,
never loaded. Data becomes part of Markdown only through `verbatim` or `plain`. A test
checks the source for this.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from html import escape
from types import MappingProxyType

_HARMLESS = re.compile(
    r"""
    (?! \s | [-+=]\s | [0-9]+[.)]\s | .*\s\s )     # opens no list or heading, loses no spaces
    (?: [^\W_]                                     # letters and digits of any script
      | [ ,;·…–—−%'"()/?!’“”„+]                     # signs that mean nothing to Markdown here
      | \. (?<! www\. )
      | : (?= \s | $ ) | (?<= [0-9] ) : (?= [0-9] )  # no directive, no icon, no address
      | - (?! - )
      | & (?= \s )
    )+
    """,
    re.VERBOSE | re.IGNORECASE,
)
_HALVES = re.compile("[\ud800-\udfff]")
_ICON_SLASH = re.compile("(?<=:material)/")
_BACKTICKS = re.compile("`+")
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_OPEN_BOX = "␣"
_IN_WORDS = 5
_NO_NAMES: Mapping[str, str] = MappingProxyType({})
_EMPTY_SET = "∅"
_BASIC_PLANE_END = 0x10000


def verbatim(text: str) -> str:
    """Return a Markdown code span that shows the text exactly, so that different ids never look the same."""
    shown = visible(text) or _EMPTY_SET
    # Streamlit 1.67 replaces `:material/` even in code, so this slash is put between
    # two code spans.
    return "/".join(map(_code_span, _ICON_SLASH.split(shown)))


def plain(text: str) -> str:
    """Return the text unchanged if nothing in it has a meaning in Markdown, or else as a code span.

    Backslashes would not help: Streamlit 1.67 removes them before it replaces icons,
    emoji and arrows.
    """
    bare = "".join(
        char for char in text if not unicodedata.category(char).startswith("M")
    )
    return text if _HARMLESS.fullmatch(bare) else verbatim(text)


def listed(identifiers: Collection[str], names: Mapping[str, str] = _NO_NAMES) -> str:
    """Return the first few identifiers, each after its name, and the number of the others."""
    shown = sorted(identifiers)[:_IN_WORDS]
    more = (
        f" and {len(identifiers) - len(shown):,} more"
        if len(identifiers) > len(shown)
        else ""
    )
    return f"{', '.join(described(one, names.get(one, '')) for one in shown)}{more}"


def described(identifier: str, name: str) -> str:
    """Return the name, if any, and the identifier, for use in a Markdown sentence."""
    return f"{plain(name)} {verbatim(identifier)}" if name else verbatim(identifier)


def visible(text: str) -> str:
    """Return the text with escapes for invisible characters.

    If there are only spaces, each becomes ␣.
    """
    shown = "".join(
        _escaped(char) if unicodedata.category(char) in _INVISIBLE else char
        for char in text
    )
    return shown if shown.strip(" ") else shown.replace(" ", _OPEN_BOX)


def showable(text: str) -> str:
    """Return the text for tables and plain text, with escapes for lone surrogates (invalid in UTF-8)."""
    return text if text.isascii() else _HALVES.sub(lambda half: _escaped(half[0]), text)


def html_link(address: str, words: str) -> str:
    """Return a link as HTML that opens the address in this tab. Both texts are escaped.

    Streamlit 1.67 has no such link: `st.link_button` and Markdown open a new tab, and `st.page_link` does not
    load the page.
    """
    return f'<a href="{escape(address)}">{escape(visible(words))}</a>'


def _code_span(text: str) -> str:
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}" if text else ""


def _escaped(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < _BASIC_PLANE_END else f"\\U{code:08x}"
