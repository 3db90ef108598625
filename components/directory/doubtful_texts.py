"""Recipient texts that may not be numbers: shown with those that they may mean."""

from components.table import show_table
from item_visibility.lists.paste import DoubtfulText


def show_texts(doubtful: tuple[DoubtfulText, ...], *, key: str) -> None:
    """Draw the texts with the recipients of similar names."""
    rows = [(one.text, " · ".join(f"{number} {name}" for number, name in one.alike)) for one in doubtful]
    show_table(rows, ["Text", "Perhaps"], key=key, alt="Texts that are perhaps no numbers")
