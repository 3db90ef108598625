"""The files of the pages, for links from one page to another."""

from pathlib import Path

_PAGES = Path(__file__).resolve().parent.parent / "pages"
ITEM_PAGE = _PAGES / "items" / "item.py"
CHECK_PAGE = _PAGES / "support" / "check.py"
HISTORY_PAGE = _PAGES / "support" / "history.py"
