"""The words of cells that are not ids: ticks and actions, in English and German."""

from item_visibility.saving.bulk import BulkAction

_TICKS = frozenset({"x", "✓", "✔", "☑", "1", "yes", "y", "ja", "j", "true", "wahr"})
_NO_TICKS = frozenset({"", "0", "no", "n", "nein", "false", "falsch", "-"})
_ACTIONS = {
    "add": BulkAction.ADD,
    "+": BulkAction.ADD,
    "hinzufügen": BulkAction.ADD,
    "hinzufuegen": BulkAction.ADD,
    "remove": BulkAction.REMOVE,
    "delete": BulkAction.REMOVE,
    "-": BulkAction.REMOVE,
    "entfernen": BulkAction.REMOVE,
    "löschen": BulkAction.REMOVE,
    "loeschen": BulkAction.REMOVE,
    "set": BulkAction.SET,
    "set exactly": BulkAction.SET,
    "setzen": BulkAction.SET,
    "genau setzen": BulkAction.SET,
    "withdraw": BulkAction.WITHDRAW,
    "withdraw all": BulkAction.WITHDRAW,
    "zurückziehen": BulkAction.WITHDRAW,
    "zurueckziehen": BulkAction.WITHDRAW,
    "alle zurückziehen": BulkAction.WITHDRAW,
    "alle zurueckziehen": BulkAction.WITHDRAW,
}

_PUNCTUATION = " \t\n.,:;!?()-+"
_TAKING_AWAY = frozenset({"remove", "removed", "delete", "deleted", "withdraw", "withdrawn"}) | frozenset(
    {"delist", "delisted", "entfernen", "entfernt", "löschen", "gelöscht", "loeschen", "auslisten"}
)

ACTION_WORDS = ", ".join(f"“{action.value}”" for action in BulkAction)
"""The words that an action column may hold, for people."""


def is_tick(cell: str) -> bool:
    """True when the cell of a matrix is ticked."""
    return _folded(cell) in _TICKS


def is_tick_or_empty(cell: str) -> bool:
    """True when the cell of a matrix says yes or no. An empty cell says no."""
    return _folded(cell) in _TICKS | _NO_TICKS


def read_action(cell: str) -> BulkAction | None:
    """Return the action that the cell names, or None for an unknown word."""
    return _ACTIONS.get(" ".join(_folded(cell).split()))


def is_action_word(cell: str) -> bool:
    """True for a word that names an action. A sign alone does not count: it may only fill an empty cell."""
    return read_action(cell.strip(_PUNCTUATION)) is not None


def asks_to_take_away(cell: str) -> bool:
    """True when one of the words asks to remove something, as in "please remove"."""
    return any(word.strip(_PUNCTUATION) in _TAKING_AWAY for word in _folded(cell).split())


def _folded(cell: str) -> str:
    return cell.strip().casefold()
