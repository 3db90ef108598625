"""Draw texts that Streamlit renders as Markdown.

The first argument is a literal text of ours, which may contain Markdown. The values
that it names are escaped:

    draw.caption("Added {name} to {item}", name=name, item=item)

These functions replace those of Streamlit with the same names, which escape nothing.
Ruff and a test check that no other module uses Streamlit's.
"""

from typing import Literal

import streamlit as st

from components.markdown_escape import Markdown, escaped, phrase

Width = Literal["stretch", "content"]
Color = Literal["red", "orange", "yellow", "blue", "green", "violet", "gray"]
Alert = Literal["info", "warning", "error", "success"]


def title(template: str, /, *values: object, width: Width = "stretch") -> None:
    """Draw the heading of a page."""
    st.title(_text(template, values), anchor=False, width=width)


def header(template: str, /, *values: object, tip: str | None = None) -> None:
    """Draw the heading of a part of a page. `tip` is shown beside it."""
    help_text = None if tip is None else escaped(tip)
    st.header(_text(template, values), anchor=False, help=help_text)


def markdown(
    template: str, /, *values: object, width: Width = "stretch", **named: object
) -> None:
    """Draw a paragraph."""
    st.markdown(_text(template, values, **named), width=width)


def caption(
    template: str, /, *values: object, width: Width = "stretch", **named: object
) -> None:
    """Draw a paragraph in small type."""
    st.caption(_text(template, values, **named), width=width)


def badge(template: str, /, *values: object, icon: str, color: Color) -> None:
    """Draw a few words in a coloured frame."""
    st.badge(_text(template, values), icon=icon, color=color)


def alert(
    template: str,
    /,
    *values: object,
    kind: Alert,
    icon: str | None = None,
    title: str | None = None,
    **named: object,
) -> None:
    """Draw a coloured box of this kind, with a title if it has one."""
    boxes = {
        "info": st.info,
        "warning": st.warning,
        "error": st.error,
        "success": st.success,
    }
    boxes[kind](
        _text(template, values, **named), icon=icon, title=title and escaped(title)
    )


def info(
    template: str, /, *values: object, icon: str | None = None, **named: object
) -> None:
    """Draw a coloured box with a hint."""
    st.info(_text(template, values, **named), icon=icon)


def warning(
    template: str, /, *values: object, icon: str | None = None, **named: object
) -> None:
    """Draw a coloured box with a warning."""
    st.warning(_text(template, values, **named), icon=icon)


def error(
    template: str, /, *values: object, icon: str | None = None, **named: object
) -> None:
    """Draw a coloured box that reports a failure."""
    st.error(_text(template, values, **named), icon=icon)


def success(
    template: str, /, *values: object, icon: str | None = None, **named: object
) -> None:
    """Draw a coloured box that reports a success."""
    st.success(_text(template, values, **named), icon=icon)


def _text(template: str, values: tuple[object, ...], **named: object) -> Markdown:
    if isinstance(template, Markdown):
        return template
    return phrase(template, *values, **named)
