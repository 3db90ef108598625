"""Names of suppliers, items and recipients, and the sets of recipients."""

from components.directory.kind_choice import choose_part
from components.directory.name_box import name_one
from components.directory.name_table import edit_names
from components.directory.names_file import exchange_names
from components.directory.set_editor import edit_sets
from components.directory.set_maker import make_set
from components.directory.sets_file import exchange_sets
from components.notices import show_kept_notices
from components.session import get_desk
from item_visibility.access.access import Role

desk = get_desk()

# 1. Choose what to look at.
kind = choose_part()
show_kept_notices()

# 2. Names: from a file; enter one, or find and edit those that are known.
if kind is not None:
    exchange_names(desk, kind)
    if desk.access.allows(Role.EDITOR):
        name_one(desk, kind)
    edit_names(desk, kind)

# 3. Recipient sets: make one, or choose one and edit it.
else:
    exchange_sets(desk)
    if desk.access.allows(Role.EDITOR):
        make_set(desk)
    edit_sets(desk)
