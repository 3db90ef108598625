"""The origin of changes as columns of a row, named as its fields."""

from dataclasses import fields

from item_visibility.changes.request import Origin
from item_visibility.records.ground.row_values import AnyRow

_NAMES = tuple(one.name for one in fields(Origin))


def origin_values(origin: Origin) -> dict[str, object]:
    """Return the values to store."""
    return {name: getattr(origin, name) for name in _NAMES}


def origin_of(row: AnyRow) -> Origin:
    """Return the origin that was stored."""
    return Origin(**{name: getattr(row, name) for name in _NAMES})
