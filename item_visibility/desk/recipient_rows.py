"""The order of recipients on a screen."""

from collections.abc import Iterable, Mapping


def by_name(ids: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return those with a name in its order, then the others in the order of their numbers."""
    return tuple(sorted(ids, key=lambda one: (one not in names, names.get(one, "").casefold(), one)))
