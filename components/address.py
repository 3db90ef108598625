"""Links between the pages, and the parameters in the address.

They are read when a page is opened and on Back or Forward, never in between. In between, a run can bring an
older address: the browser sent it before it had received the newest one.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.session import address_of_environment
from item_visibility.client.identifiers import ItemKey
from item_visibility.storage.directory import Kind
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.known_names import Choice

_PAGES = Path(__file__).resolve().parent.parent / "pages"
ITEM_PAGE, BULK_PAGE = _PAGES / "items" / "item.py", _PAGES / "items" / "bulk.py"
CHECK_PAGE, HISTORY_PAGE = _PAGES / "support" / "check.py", _PAGES / "support" / "history.py"
COVERAGE_PAGE, CONNECTION_PAGE = _PAGES / "support" / "coverage.py", _PAGES / "system" / "connection.py"
_VISIT = "address.visit"


@dataclass(frozen=True, slots=True)
class Visit:
    """The opening of a page, or one press of Back or Forward, and the address that it brought."""

    page: str
    params: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_back: bool = False
    key: str = field(default_factory=lambda: uuid4().hex)
    read_by: set[str] = field(default_factory=set)

    def first(self, name: str) -> str:
        """Return the first value of a parameter; empty without one."""
        return next(iter(self.all(name)), "")

    def all(self, name: str) -> tuple[str, ...]:
        """Return the values of a parameter."""
        return self.params.get(name, ())


def new_visit(page: str) -> Visit | None:
    """Return the visit that this run begins; None if the window is on this page already."""
    is_back = is_back_or_forward()
    current = current_visit()
    if current is not None and current.page == page and not is_back:
        return None
    return Visit(page, {name: tuple(st.query_params.get_all(name)) for name in st.query_params}, is_back)


def begin_visit(visit: Visit) -> None:
    """Let each reader of the address read this one, once."""
    st.session_state[_VISIT] = visit


def unread_visit(reader: str) -> Visit | None:
    """Return the visit the first time that this reader asks, then None."""
    visit = current_visit()
    if visit is None or reader in visit.read_by:
        return None
    visit.read_by.add(reader)
    return visit


def current_visit() -> Visit | None:
    """Return the visit that this window is in; None before the first."""
    visit: Visit | None = st.session_state.get(_VISIT)
    return visit


def is_back_or_forward() -> bool:
    """True when Back or Forward began this run."""
    run = get_script_run_ctx()
    return run is not None and run.is_history_navigation


def write_address(values: Mapping[str, str | Collection[str]]) -> None:
    """Put these parameters into the address, beside the others. One without a value leaves it.

    They are written at once, and only if they differ: each write is a step of Back.
    """
    now = {name: st.query_params.get_all(name) for name in st.query_params}
    given = {name: [one] if isinstance(one, str) else list(one) for name, one in values.items()}
    wanted = {name: some for name, some in (now | given).items() if name not in given or any(some)}
    if wanted != now:
        st.query_params.from_dict(wanted)


def address_of_item(item: ItemKey) -> dict[str, str]:
    """Return the query parameters of a link to the item."""
    return {"supplier": item.supplier, "item": item.supplier_item_id} | address_of_environment()


def example(desk: Desk) -> tuple[ItemKey, Choice] | None:
    """Return an item, that of a demo or else a known one, and a known recipient; None if nothing is known."""
    first = desk.names.first
    items = [desk.showcase] if desk.showcase else [ItemKey(*one.ids) for one in first(Kind.ITEM).choices]
    recipients = first(Kind.RECIPIENT).choices
    return (items[0], recipients[0]) if items and recipients else None
