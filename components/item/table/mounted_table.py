"""The table as it was mounted in the browser, and the ticks that it sends.

It sends its ticks as differences from the rows and ticks it was mounted with, so these are kept. They stay
the same from run to run: data that did not change is not sent again, however many recipients there are.
"""

from dataclasses import dataclass
from functools import lru_cache

import pandas as pd
import streamlit as st

from components.table_state import changed, key_for
from components.verbatim import showable
from item_visibility.api.identifiers import ItemKey
from item_visibility.changes.draft import Draft
from item_visibility.desk.known_names import found_among
from item_visibility.desk.named_lists import HELD, NamedList
from item_visibility.desk.recipient_rows import by_name
from item_visibility.desk.use_cases import Desk
from item_visibility.intake.numbers.hints import doubts

VISIBLE, NAME, RECIPIENT, NOTE = "visible", "name", "recipient", "note"
"""The columns; only the first can be edited."""

_MOUNTS = "mounted_table.mounts"


@dataclass(frozen=True, slots=True)
class Mount:
    """The rows in order, the list, search and names that they come from, and the data that was sent."""

    key: str
    version: int
    is_locked: bool
    source: tuple[frozenset[str] | None, str, int]
    rows: tuple[str, ...]
    unticked: frozenset[str]
    table: pd.DataFrame

    @property
    def base(self) -> frozenset[str] | None:
        """The list that the rows come from."""
        return self.source[0]

    @property
    def view(self) -> str:
        """The search that found the rows."""
        return self.source[1]


def mounted(desk: Desk, draft: Draft, view: str, *, is_locked: bool) -> Mount | None:
    """Return the table of the recipients that `view` finds; None when there are none.

    It is mounted anew when its rows change, or ticks were changed beside it. One that left the screen, or was
    locked or unlocked, has forgotten its ticks, so it is mounted with the staged ones.
    """
    here = (desk.environment.name, draft.item)
    source = (draft.base, view, desk.names.changes_of_recipients)
    last = _mounts().get(here)
    if last is None or last.base is not draft.base or last.source != source:
        rows, table = _rows_and_table(desk.lists.named(draft.recipients), view)
    else:
        as_it_was = (draft.version, is_locked)
        if (last.version, last.is_locked) == as_it_was and last.key in st.session_state:
            return last
        rows, table = last.rows, last.table
    if not rows:
        return None
    key = key_for("recipients", (here, view, rows, draft.version, is_locked))
    unticked = draft.remove & frozenset(rows) if view else draft.remove
    if last is None or table is not last.table or unticked != last.unticked:
        table = table.assign(**{VISIBLE: pd.Series([row not in unticked for row in rows], dtype=bool)})
    mount = Mount(key, draft.version, is_locked, source, rows, unticked, table)
    _mounts()[here] = mount
    return mount


def ordered(listed: NamedList, view: str) -> tuple[str, ...]:
    """Return the recipients that `view` finds, in order."""
    found = found_among(listed.recipients, listed.names, view) if view else listed.recipients
    return by_name(found, listed.names)


def pending_ticks(environment: str, draft: Draft) -> dict[str, bool]:
    """Return the ticks of the browser's table that differ from the draft, none once its rows are others.

    Streamlit 1.67 forgets a tick that was set back to what was mounted: a row that is not among its edits is
    as it was mounted.
    """
    mount = _mounts().get((environment, draft.item))
    if mount is None or mount.is_locked or mount.version != draft.version:
        return {}  # these were taken in before the rows changed
    edits = changed(mount.key, mount.rows)
    if edits is None:
        return {}
    ticks = {row: tick for row, change in edits.items() if isinstance(tick := change.get(VISIBLE), bool)}
    shown = draft.remove & frozenset(mount.rows) if mount.view else draft.remove
    as_mounted = dict.fromkeys(shown - mount.unticked, True) | dict.fromkeys(mount.unticked - shown, False)
    return as_mounted | ticks


@lru_cache(maxsize=HELD)
def _rows_and_table(listed: NamedList, view: str) -> tuple[tuple[str, ...], pd.DataFrame]:
    """Return the rows and their table, all ticked, the same for every window that shows this list."""
    rows = ordered(listed, view)
    table = pd.DataFrame(
        {
            VISIBLE: pd.Series([True] * len(rows), dtype=bool),
            NAME: pd.Series([showable(listed.names.get(row, "")) for row in rows], dtype=str),
            RECIPIENT: pd.Series(map(showable, rows), dtype=str),
            NOTE: pd.Series(["; ".join(doubts(row)) for row in rows], dtype=str),
        }
    )
    silent = [one for one in (NAME, NOTE) if not table[one].any()]
    return rows, table.drop(columns=silent)  # an empty column would be sent all the same


def _mounts() -> dict[tuple[str, ItemKey], Mount]:
    mounts: dict[tuple[str, ItemKey], Mount] = st.session_state.setdefault(_MOUNTS, {})
    return mounts
