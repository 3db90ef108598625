"""Links between the pages, and examples to click on a page that has nothing to show yet."""

from pathlib import Path

from components.session import address_of_environment
from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import Choice

_PAGES = Path(__file__).resolve().parent.parent / "pages"
ITEM_PAGE, BULK_PAGE = _PAGES / "items" / "item.py", _PAGES / "items" / "bulk.py"
CHECK_PAGE, HISTORY_PAGE = _PAGES / "support" / "check.py", _PAGES / "support" / "history.py"
COVERAGE_PAGE, CONNECTION_PAGE = _PAGES / "support" / "coverage.py", _PAGES / "system" / "connection.py"


def address_of_item(item: ItemKey) -> dict[str, str]:
    """Return the query parameters of a link to the item."""
    return {"supplier": item.supplier, "item": item.supplier_item_id} | address_of_environment()


def example_item(desk: Desk) -> ItemKey | None:
    """Return the item of the demo, or else the first one that is known here."""
    if desk.showcase is not None:
        return desk.showcase
    return next((ItemKey(*one.ids) for one in desk.names.first(Kind.ITEM).choices), None)


def example_recipient(desk: Desk) -> Choice | None:
    """Return the first recipient that is known here."""
    return next(iter(desk.names.first(Kind.RECIPIENT).choices), None)
