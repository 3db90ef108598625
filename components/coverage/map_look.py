"""The heat map in Vega-Lite: a colour and a pattern for each cell, the same in light and dark.

Names and ids never stand in the specification's language. They are values in lists, found by number: no
sign in them means anything to Vega. The labels above the columns are a drawing of their own, so that they
can stay in sight.
"""

from collections.abc import Sequence
from typing import Any

from item_visibility.desk.coverage.matrix import CellState

ROW_PX, LEFT_PX = 20, 204
_LOWEST_PX, _HIGHEST_PX, _LETTER_PX, _LINE_PX = 60, 150, 6, 16
_RIGHT_PX = 72
_NARROW_PX, _WIDE_PX = 20, 32
_FEW_COLUMNS = 20
_LABEL_ANGLE, _STEEP = -60, 0.87

_BLUE, _ORANGE, _GRAY, _CLEAR, _WHITE = "#1b66d1", "#b35c00", "#8a94a6", "#00000000", "#ffffff"
_LOOKS = {
    CellState.CAN: (_BLUE, _BLUE, _WHITE, "M-0.55,0.05L-0.15,0.45L0.6,-0.45"),
    CellState.CANNOT: ("#8a94a633", _CLEAR, _CLEAR, "M0,0Z"),
    CellState.PARTLY: (_ORANGE, _ORANGE, _WHITE, "M-0.9,0.9L0.9,-0.9M-0.9,0L0,-0.9M0,0.9L0.9,0"),
    CellState.NOT_KNOWN: (_CLEAR, _GRAY, _GRAY, "M-0.5,0h0.01M0,0h0.01M0.5,0h0.01"),
}
"""The ground, the edge, and the colour and shape of the pattern: a tick, nothing, stripes, dots."""

Spec = dict[str, Any]
"""A specification in Vega-Lite."""


def column_px(columns: int) -> int:
    """Return the width of a column: wider when there are few."""
    return _WIDE_PX if columns <= _FEW_COLUMNS else _NARROW_PX


def map_px(columns: int) -> int:
    """Return the width of the whole map."""
    return LEFT_PX + columns * column_px(columns) + _RIGHT_PX


def head_px(column_titles: Sequence[str]) -> int:
    """Return the height of the titles above the columns: room for the longest, up to a limit."""
    longest = max(map(len, column_titles), default=0)
    return min(max(_LOWEST_PX, longest * _LETTER_PX + _LINE_PX), _HIGHEST_PX)


def cells_spec(item_titles: Sequence[str], *, columns: int, tooltip: Sequence[str]) -> Spec:
    """Return the cells with the items' titles at the left.

    The data's columns are `row`, `column`, `cell`, `link`, and those of the tooltip.
    """
    return _frame(
        width=map_px(columns),
        height=len(item_titles) * ROW_PX,
        padding={"left": LEFT_PX, "top": 0, "right": _RIGHT_PX, "bottom": 0},
        titles=item_titles,
    ) | {
        "encoding": {
            "x": _band("column", columns, {"axis": None}),
            "y": _band("row", len(item_titles), {"axis": _labels(LEFT_PX - 12)}),
            "href": {"field": "link", "type": "nominal"},
            "tooltip": [{"field": name, "type": "nominal"} for name in tooltip],
        },
        "layer": _marks(column_px(columns)),
    }


def head_spec(column_titles: Sequence[str]) -> Spec:
    """Return the titles above the columns."""
    columns, height = len(column_titles), head_px(column_titles)
    axis = _labels(round((height - _LINE_PX) / _STEEP)) | {"orient": "top", "labelAngle": _LABEL_ANGLE}
    return _frame(
        width=map_px(columns),
        height=height,
        padding={"left": LEFT_PX, "top": height - 4, "right": _RIGHT_PX, "bottom": 0},
        titles=column_titles,
    ) | {
        "encoding": {"x": _band("column", columns, {"axis": axis})},
        "mark": {"type": "rect", "opacity": 0},
    }


def legend_spec(words: Sequence[str]) -> Spec:
    """Return the words with a cell of each kind before them; the data's columns are `row` and `cell`."""
    return _frame(
        width=LEFT_PX,
        height=len(words) * ROW_PX,
        padding={"left": 0, "top": 0, "right": LEFT_PX - ROW_PX, "bottom": 0},
        titles=words,
    ) | {
        "encoding": {"y": _band("row", len(words), {"axis": _labels(LEFT_PX) | {"orient": "right"}})},
        "layer": _marks(ROW_PX),
    }


def _frame(*, width: int, height: int, padding: dict[str, int], titles: Sequence[str]) -> Spec:
    return {
        "width": width,
        "height": height,
        "autosize": {"type": "none", "contains": "padding"},
        "padding": padding,
        "params": [{"name": "titles", "value": list(titles)}],
        "usermeta": {"embedOptions": {"renderer": "canvas"}},
        "config": {"view": {"stroke": None}, "aria": False},
        "resolve": {"scale": {"stroke": "independent"}},
    }


def _band(field: str, count: int, axis: Spec) -> Spec:
    scale = {"type": "band", "domain": list(range(count)), "paddingInner": 0.08, "paddingOuter": 0.04}
    return {"field": field, "type": "ordinal", "scale": scale} | axis


def _labels(limit_px: int) -> Spec:
    return {
        "labelExpr": "titles[datum.value]",
        "labelLimit": limit_px,
        "labelPadding": 6,
        "labelOverlap": False,
        "labelFlush": False,
        "labelBound": False,
        "title": None,
        "grid": False,
        "domain": False,
        "ticks": False,
    }


def _marks(width_px: int) -> list[Spec]:
    grounds, edges, inks, shapes = zip(*_LOOKS.values(), strict=True)
    size = min(width_px, ROW_PX) ** 2 * 0.4
    return [
        {
            "mark": {"type": "rect", "cornerRadius": 2, "strokeWidth": 1, "cursor": "pointer"},
            "encoding": {"color": _by_cell(grounds), "stroke": _by_cell(edges)},
        },
        {
            "mark": {
                "type": "point",
                "filled": False,
                "strokeWidth": 2,
                "strokeCap": "round",
                "size": size,
                "cursor": "pointer",
            },
            "transform": [{"filter": {"not": {"field": "cell", "equal": CellState.CANNOT.value}}}],
            "encoding": {"shape": _by_cell(shapes), "stroke": _by_cell(inks)},
        },
    ]


def _by_cell(values: Sequence[str]) -> Spec:
    scale = {"domain": [cell.value for cell in _LOOKS], "range": list(values)}
    return {"field": "cell", "type": "nominal", "legend": None, "scale": scale}
