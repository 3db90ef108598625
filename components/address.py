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

from components.session import address_of_environment
from item_visibility.client.identifiers import ItemKey
from item_visibility.model.known_ids import Kind, NameRow
from item_visibility.use_cases.desk import Desk

_PAGES = Path(__file__).resolve().parent.parent / "pages" / "screens"
ITEM_PAGE, BULK_PAGE = _PAGES / "item.py", _PAGES / "bulk.py"
CHECK_PAGE, HISTORY_PAGE = (
    _PAGES / "check.py",
    _PAGES / "history.py",
)
COVERAGE_PAGE, CONNECTION_PAGE = (
    _PAGES / "coverage.py",
    _PAGES / "connection.py",
)
_VISIT = "address.visit"


@dataclass(frozen=True, slots=True)
class Visit:
    """One opening of a page, or one press of Back or Forward, with the address at that moment."""

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
    """Return a new visit if this run opens the page or follows Back or Forward, otherwise None."""
    is_back = is_back_or_forward()
    current = current_visit()
    if current is not None and current.page == page and not is_back:
        return None
    return Visit(
        page,
        {name: tuple(st.query_params.get_all(name)) for name in st.query_params},
        is_back,
    )


def begin_visit(visit: Visit) -> None:
    """Make this the current visit."""
    st.session_state[_VISIT] = visit


def unread_visit(reader: str) -> Visit | None:
    """Return the current visit the first time that this reader asks for it, otherwise None."""
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
    now = {name: st.query_params.get_all(name) for name in st.query_params}
    given = {
        name: [value] if isinstance(value, str) else list(value)
        for name, value in values.items()
    }
    wanted = {
        name: all_
        for name, all_ in (now | given).items()
        if name not in given or any(all_)
    }
    if wanted != now:  # every write adds a step to the browser's history
        st.query_params.from_dict(wanted)


def address_of_item(item: ItemKey) -> dict[str, str]:
    """Return the query parameters of a link to the item."""
    return {
        "supplier": item.supplier,
        "item": item.supplier_item_id,
    } | address_of_environment()


def link_to(page: Path, words: str, icon: str, address: Mapping[str, str]) -> None:
    """Draw a link to the page in this environment, with these query parameters."""
    address = {**address, **address_of_environment()}
    st.page_link(page, label=words, icon=f":material/{icon}:", query_params=address)


def example(desk: Desk) -> tuple[ItemKey, NameRow] | None:
    """Return an item and a recipient for an example question, or None if either is unknown."""
    first = desk.names.first
    items = (
        [desk.showcase]
        if desk.showcase
        else [ItemKey(*one.ids) for one in first(Kind.ITEM).choices]
    )
    recipients = first(Kind.RECIPIENT).choices
    return (items[0], recipients[0]) if items and recipients else None
