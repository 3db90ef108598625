"""Items that were withdrawn for a while: whom they were taken away from, and the way back."""

from components.item.parked_list import show_parked
from components.wiring import get_desk

# Nothing is sent from here: what is to be restored is staged on the item's own page.
show_parked(get_desk())
