"""Links between the pages, and the parameters in the address.

A page reads its parameters when it is opened and after Back or Forward. In other runs
it does not read them, because the browser may still send an older address.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from components.markdown_escape import escaped
from components.session import address_of_environment
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.use_cases.desk import Desk

_PAGES = Path(__file__).resolve().parent.parent / "pages" / "screens"
ITEM_PAGE = _PAGES / "item.py"
BULK_PAGE = _PAGES / "bulk.py"
CHECK_PAGE = _PAGES / "check.py"
HISTORY_PAGE = _PAGES / "history.py"
COVERAGE_PAGE = _PAGES / "coverage.py"
CONNECTION_PAGE = _PAGES / "connection.py"
_VISIT = "address.visit"


@dataclass(frozen=True, slots=True)
class Visit:
    """The opening of a page, or a press of Back or Forward, with its address."""

    page: str
    params: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    is_back: bool = False
    key: str = field(default_factory=lambda: uuid4().hex)
    read_by: set[str] = field(default_factory=set)

    def first(self, name: str) -> str:
        """Return the first value of a parameter, or an empty text."""
        return next(iter(self.all(name)), "")

    def all(self, name: str) -> tuple[str, ...]:
        """Return all values of a parameter."""
        return self.params.get(name, ())


def new_visit(page: str) -> Visit | None:
    """Return a new visit if this run opens the page or follows Back or Forward."""
    is_back = is_back_or_forward()
    current = current_visit()
    if current is not None and current.page == page and not is_back:
        return None

    params = {name: tuple(st.query_params.get_all(name)) for name in st.query_params}
    return Visit(page, params, is_back)


def begin_visit(visit: Visit) -> None:
    """Make this the current visit."""
    st.session_state[_VISIT] = visit


def unread_visit(reader: str) -> Visit | None:
    """Return the current visit, but to each reader only once."""
    visit = current_visit()
    if visit is None or reader in visit.read_by:
        return None

    visit.read_by.add(reader)
    return visit


def current_visit() -> Visit | None:
    """Return this window's latest visit, or None if no page was opened yet."""
    visit: Visit | None = st.session_state.get(_VISIT)
    return visit


def is_back_or_forward() -> bool:
    """Return True if this run follows a press of Back or Forward."""
    run = get_script_run_ctx()
    return run is not None and run.is_history_navigation


def write_address(values: Mapping[str, str | Collection[str]]) -> None:
    """Set these parameters in the address.

    Remove those with an empty value, and keep all others.
    """
    before = {name: st.query_params.get_all(name) for name in st.query_params}
    after = dict(before)
    for name, value in values.items():
        texts = [value] if isinstance(value, str) else list(value)
        if any(texts):
            after[name] = texts
        else:
            after.pop(name, None)

    # Every write adds a step to the browser's history.
    if after != before:
        st.query_params.from_dict(after)


def address_of_item(item: ItemKey) -> dict[str, str]:
    """Return the query parameters of a link to the item."""
    address = {"supplier": item.supplier, "item": item.supplier_item_id}
    return address | address_of_environment()


def link_to(page: Path, label: str, icon: str, address: Mapping[str, str]) -> None:
    """Draw a link to the page in this environment, with these query parameters."""
    st.page_link(
        page,
        label=escaped(label),
        icon=f":material/{icon}:",
        query_params={**address, **address_of_environment()},
    )


def example(desk: Desk) -> tuple[ItemKey, NameRow] | None:
    """Return an item and a recipient for an example question, or None."""
    item = desk.showcase
    if item is None:
        items = desk.names.first(Kind.ITEM).choices
        item = ItemKey(*items[0].ids) if items else None

    recipients = desk.names.first(Kind.RECIPIENT).choices
    if item is None or not recipients:
        return None
    return item, recipients[0]
