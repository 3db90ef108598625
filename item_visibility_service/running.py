"""Running calls of the store, in this thread or in another."""

from collections.abc import Callable
from typing import TypeVar

from starlette.concurrency import run_in_threadpool

from item_visibility_service.storage.visibility_store import Store

Result = TypeVar("Result")


async def run_on(store: Store, work: Callable[[], Result]) -> Result:
    """Run the work and return its result. A local store runs here: a thread would only take longer."""
    return work() if store.is_local else await run_in_threadpool(work)
