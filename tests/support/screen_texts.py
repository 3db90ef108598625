"""The texts of a screen without a browser: the parts that hold some, and what is skipped of them."""

import re
from collections.abc import Iterator

from streamlit.testing.v1.element_tree import Element, Node

_TIME = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4}"
    r"|((today|yesterday|\d{1,2} [A-Z][a-z]{2}( \d{4})?) )?(?<!\d)\d\d:\d\d(?!\d)"
)
MARKDOWN = ("markdown", "caption", "title", "header", "success", "info", "warning", "error")
_FIELDS = ("text_input", "text_area", "toggle", "slider", "segmented_control")
LABELLED = ("button", "page_link", *_FIELDS, "expander", "progress")


def labels(node: Node) -> Iterator[str]:
    """Return a widget's label and its help text."""
    proto = node.proto if isinstance(node, Element) else node
    yield from (
        text
        for name in ("label", "help", "text")
        if (text := getattr(proto, name, "")) and isinstance(text, str)
    )


def without_time(text: str) -> str:
    """Return the text with a word for each time."""
    return _TIME.sub("TIME", text)
