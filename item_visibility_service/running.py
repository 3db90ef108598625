"""Where a call of the store runs."""

from collections.abc import Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from item_visibility_service.storage.visibility_store import Store

Result = TypeVar("Result")


async def run_on(store: Store, work: Callable[[], Result]) -> Result:
    """What the work gives. A local store answers sooner than another thread would begin."""
    return work() if store.is_local else await run_in_threadpool(work)
