"""The history of changes, with when and by whom: filter, look, open an entry, undo it."""

from components.history import filter_history, list_history
from components.notices import error_shown
from components.session import get_desk

desk = get_desk()

# 1. Choose which entries. The filter is in the address, so that a link shows the same entries.
wanted = filter_history(desk)

# 2. Look at them, newest first; a selected row is opened below.
with error_shown("The history could not be read. Nothing was changed."):
    list_history(desk, wanted)
