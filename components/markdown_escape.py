"""Show any text unchanged in places where Streamlit renders Markdown.

Identifiers, names and the service's words are data: `![x](http://evil)` must be shown,
never loaded. `phrase` puts data into a text of ours and escapes it. The functions of
`components.draw` do the same and draw the text.
"""

import re
import unicodedata
from collections.abc import Collection, Mapping
from html import escape
from types import MappingProxyType

_HAS_MEANING = re.compile(
    r"""
    [\\`*{}\[\]<>#$~|=^@]
  | ^[-+]                                   # opens a list
  | ^[0-9]+ [.)] (?= \s | $ )               # opens a numbered list
  | _ (?! (?<=[^\W_]_) [^\W_] )             # unless inside a word
  | & (?! \s | [^\W_] (?! [\w;] ) )         # unless alone or in "AT&T and M&M's"
  | : (?! \s | (?<=[0-9]:) [0-9] (?! [\w+-]*: ) )   # unless in "Room: 4" or "10:30"
    """,
    re.VERBOSE,
)
_NEEDS_CODE = re.compile(
    r"""
    ://  | www\. | @                        # becomes a link, even if it is escaped
  | <- | -> | -- | [<>~]=                   # becomes an arrow or another sign
  | : (?: [\w+-]* [a-z] [\w+-]* | [+-]1 | 100 | 1234 ) :   # becomes an emoji or logo
  | ^\s | \s$ | \s\s                        # loses spaces
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


class Markdown(str):
    """A text in which all data is escaped. Only this module makes one."""

    __slots__ = ()


def phrase(template: str, /, *values: object, **named_values: object) -> Markdown:
    """Put values into a literal text of ours, as `str.format` does.

    The template may contain Markdown. Values are escaped, except numbers and Markdown.
    """
    return Markdown(
        template.format(
            *(_value(value) for value in values),
            **{name: _value(value) for name, value in named_values.items()},
        )
    )


def escaped(text: str) -> Markdown:
    """Return Markdown that shows the text exactly. Markdown is returned as it is.

    Streamlit 1.67 makes links, arrows and emoji even of character references, so a text
    with one of these becomes a code span. Backslashes would not help at all, because
    Streamlit removes them before it replaces icons.
    """
    if isinstance(text, Markdown):
        return text
    shown = visible(text)
    if _NEEDS_CODE.search(shown):
        return as_code(text)
    return Markdown(_HAS_MEANING.sub(_with_reference, shown))


def as_code(text: str) -> Markdown:
    """Return a code span that shows the text exactly.

    Different ids never look the same.
    """
    shown = visible(text) or _EMPTY_SET
    # Streamlit 1.67 replaces `:material/` even in code, so this slash is put between
    # two code spans.
    return Markdown("/".join(map(_code_span, _ICON_SLASH.split(shown))))


def described(identifier: str, name: str) -> Markdown:
    """Return the name, if any, and the identifier, for use in a sentence."""
    if not name:
        return as_code(identifier)
    return phrase("{} {}", name, as_code(identifier))


def listed(
    identifiers: Collection[str], names: Mapping[str, str] = _NO_NAMES
) -> Markdown:
    """Return the first few identifiers with their names, and the number of others."""
    shown = sorted(identifiers)[:_IN_WORDS]
    text = ", ".join(
        described(identifier, names.get(identifier, "")) for identifier in shown
    )
    others = len(identifiers) - len(shown)
    return Markdown(f"{text} and {others:,} more" if others else text)


def visible(text: str) -> str:
    """Return the text with escapes for invisible characters.

    If there are only spaces, each becomes ␣.
    """
    shown = "".join(
        _escape_of(char) if unicodedata.category(char) in _INVISIBLE else char
        for char in text
    )
    return shown if shown.strip(" ") else shown.replace(" ", _OPEN_BOX)


def showable(text: str) -> str:
    """Return the text for tables and plain text.

    Lone surrogates, which are invalid in UTF-8, are shown as escapes.
    """
    if text.isascii():
        return text
    return _HALVES.sub(lambda half: _escape_of(half[0]), text)


def html_link(address: str, text: str) -> str:
    """Return a link as HTML that opens the address in this tab. Both texts are escaped.

    Streamlit 1.67 has no such link: `st.link_button` and Markdown open a new tab, and
    `st.page_link` does not load the page.
    """
    return f'<a href="{escape(address)}">{escape(visible(text))}</a>'


def _value(value: object) -> object:
    """Return a value for a template. Numbers keep their type, so that `{:,}` works."""
    if isinstance(value, int | float | Markdown):
        return value
    return escaped(str(value))


def _with_reference(match: re.Match[str]) -> str:
    """Replace the last sign: those before it are the number of a list."""
    text = match[0]
    return f"{text[:-1]}&#{ord(text[-1])};"


def _code_span(text: str) -> str:
    if not text:
        return ""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[:1] in "` " or text[-1:] in "` " else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _escape_of(char: str) -> str:
    code = ord(char)
    return f"\\u{code:04x}" if code < _BASIC_PLANE_END else f"\\U{code:08x}"
