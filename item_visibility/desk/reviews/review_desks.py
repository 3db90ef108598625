"""The desks of end dates and of reviews, which share all that they need."""

from collections.abc import Callable
from datetime import datetime

from item_visibility.desk.bulk.jobs import BulkDesk
from item_visibility.desk.reviews.end_dates import EndDateDesk
from item_visibility.desk.reviews.review_sheet import ReviewDesk
from item_visibility.people.doorkeeper import Doorkeeper
from item_visibility.records.directory.named_rows import Kind
from item_visibility.records.service_records import ServiceRecords
from item_visibility.settings.values import Environment


def open_review_desks(
    environment: Environment,
    records: ServiceRecords,
    *,
    bulk: BulkDesk,
    doorkeeper: Doorkeeper,
    clock: Callable[[], datetime],
) -> tuple[EndDateDesk, ReviewDesk]:
    """Return both."""
    dates = EndDateDesk(environment, records.end_dates, bulk=bulk, doorkeeper=doorkeeper, clock=clock)
    reviews = ReviewDesk(
        environment,
        records.reviews,
        items=records.directory[Kind.ITEM],
        bulk=bulk,
        doorkeeper=doorkeeper,
        clock=clock,
    )
    return dates, reviews
