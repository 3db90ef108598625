"""Items that were withdrawn for a while: the recipients they were taken from, and the way back."""

from components.item.parked_list import show_parked
from components.wiring import get_desk

# Nothing is sent from here: a restore is staged on the item's own page.
show_parked(get_desk())
