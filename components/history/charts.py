"""Charts of the history, each beside the table it is drawn from."""

from datetime import UTC, datetime, timedelta

import pandas as pd
import streamlit as st

from components.clock import local_zone, time_of_day
from components.history.entry_labels import KINDS
from components.table import show_table
from components.verbatim import plain, showable
from item_visibility.client.identifiers import ItemKey
from item_visibility.saving.in_words import by_whom
from item_visibility.storage.history.search import HistoryFilter
from item_visibility.use_cases.desk import Desk
from item_visibility.use_cases.history.timeline import Span, WeekCount, count_weeks, entries_of, spans_of

_ROWS = 30
_WEEKS = 52
_CHANGES = 50_000


def show_charts(desk: Desk, wanted: HistoryFilter) -> None:
    """Draw the item's timeline or the supplier's weeks if the filter names one; else nothing."""
    if wanted.item is not None:
        with st.expander(
            "Who could see the item when", icon=":material/view_timeline:", key="history_timeline"
        ):
            _show_timeline(desk, wanted.item)
    elif wanted.supplier is not None:
        with st.expander("Changes per week", icon=":material/bar_chart:", key="history_weeks"):
            _show_weeks(desk, wanted.supplier)


def _show_timeline(desk: Desk, item: ItemKey) -> None:
    spans = spans_of(entries_of(desk.records.search, item))
    if not spans:
        st.caption("No change of this item is recorded yet.")
        return
    names = desk.names.recipient_names(span.recipient_id for span in spans)
    changed = {span.recipient_id for span in spans if span.since or span.until}
    shown = sorted({span.recipient_id for span in spans}, key=lambda one: (one not in changed, one))[:_ROWS]
    picture, table = st.columns(2)
    with picture:
        _draw_timeline([span for span in spans if span.recipient_id in shown], names)
        if len(shown) == _ROWS:
            st.caption(plain(f"The first {_ROWS} recipients, those that changed first"))
    with table:
        rows = [
            (
                names.get(span.recipient_id, ""),
                span.recipient_id,
                time_of_day(span.since) if span.since else "before the first entry",
                time_of_day(span.until) if span.until else "still, after the last entry",
            )
            for span in spans
        ]
        show_table(
            rows,
            ["Name", "Recipient", "Since", "Until"],
            key="timeline_table",
            alt="Since when and until when each recipient could see the item",
            optional=("Name",),
        )


def _draw_timeline(spans: list[Span], names: dict[str, str]) -> None:
    now = datetime.now(UTC)
    known = [moment for span in spans for moment in (span.since, span.until) if moment]
    first = min(known, default=now) - timedelta(days=1)
    bars = [
        {
            "recipient": showable(names.get(span.recipient_id) or span.recipient_id),
            "since": (span.since or first).isoformat(),
            "until": (span.until or max(now, *known, first)).isoformat(),
        }
        for span in spans
    ]
    st.vega_lite_chart(
        pd.DataFrame(bars),
        {
            "mark": {"type": "bar", "height": {"band": 0.6}},
            "encoding": {
                "x": {"field": "since", "type": "temporal", "title": None},
                "x2": {"field": "until"},
                "y": {"field": "recipient", "type": "nominal", "title": None},
            },
        },
        key="timeline",
        alt="A timeline: one line a recipient, a bar for each time in which it could see the item",
    )


def _show_weeks(desk: Desk, supplier: str) -> None:
    since = datetime.now(UTC) - timedelta(weeks=_WEEKS)
    counts = count_weeks(
        desk.records.search.marks(HistoryFilter(supplier=supplier, since=since), limit=_CHANGES),
        zone=local_zone(),
    )
    if not counts:
        st.caption("Nothing was changed in the last year.")
        return
    data = _weeks_table(counts)
    picture, table = st.columns(2)
    with picture:
        for color, what in (("Kind", "kind"), ("By", "person")):
            st.bar_chart(data, x="Week of", y="Changes", color=color, alt=f"Changes of each week, by {what}")
    with table:
        st.dataframe(data, key="weeks_table", hide_index=True, alt="Changes of each week, by kind and person")


def _weeks_table(counts: tuple[WeekCount, ...]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Week of": [count.week.isoformat() for count in counts],
            "Kind": [KINDS[count.kind] for count in counts],
            "By": [showable(by_whom(count.kind, count.person)) for count in counts],
            "Changes": [count.changes for count in counts],
        }
    )
