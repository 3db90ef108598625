"""Which recipients could see the known items when the items were last read."""

from components import draw
from components.coverage import choose_coverage, show_coverage, show_scan
from components.notices import error_shown, show_notices
from components.session import get_desk

desk = get_desk()

# 1. Choose a supplier, recipients and sets. The choice is in the address.
choice = choose_coverage(desk)

# 2. Offer to read all items now, and show the lists that were last read.
if choice is None:
    draw.info(
        "Choose a supplier or a recipient to list the known items.",
        icon=":material/grid_on:",
    )
else:
    show_scan(desk, choice.supplier)
    show_notices()
    with error_shown(
        "The coverage could not be read. Nothing was changed.", key="coverage_error"
    ):
        show_coverage(desk, choice)
