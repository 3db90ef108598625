"""The columns of the first tables, as the migrations write them."""

from typing import TypeVar

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

T = TypeVar("T")

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
DIGEST = sa.String(length=40)


def column(
    name: str, kind: TypeEngine[T], *, nullable: bool = False, server_default: sa.False_ | None = None
) -> sa.Column[T]:
    """Return a column that must be filled in every row, unless stated otherwise."""
    return sa.Column(name, kind, nullable=nullable, server_default=server_default)
