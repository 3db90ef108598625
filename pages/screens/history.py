"""The history: what was changed, when and by whom.

Filter it, open an entry, undo the change.
"""

from components.history import filter_history, list_history
from components.notices import error_shown
from components.session import get_desk

desk = get_desk()

# 1. Filter the entries. The filter is in the address, so that a link shows the same
# entries.
wanted = filter_history(desk)

# 2. Draw the entries, newest first, and below them the entry that is opened.
with error_shown("The history could not be read. Nothing was changed."):
    list_history(desk, wanted)
