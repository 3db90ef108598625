"""Goes on without our own database when it cannot be used."""

import logging
from collections.abc import Callable
from typing import TypeVar

from item_visibility.errors import RecordsError

logger = logging.getLogger(__name__)

_Found = TypeVar("_Found")
_Nothing = TypeVar("_Nothing")


def or_else(nothing: _Nothing, look_up: Callable[[], _Found]) -> _Nothing | _Found:
    """Return the result of the look-up, or `nothing` when our own database cannot be used."""
    try:
        return look_up()
    except RecordsError as error:
        logger.warning("%s", error.message)
        return nothing
