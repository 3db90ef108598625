"""A window on the bulk page, with the desk behind it."""

from collections.abc import Sequence
from dataclasses import dataclass

from item_visibility.client.identifiers import ItemKey
from item_visibility.model.job import Job, JobState
from tests.support.desk import DeskKit, wait_until
from tests.support.screens import ROOT, Window

BULK_PAGE = str(ROOT / "pages/screens/bulk.py")
SUPPLIER = "4000001000005"
HEADER = ("Supplier", "Item", "Recipient", "Action")
ITEMS = "What would change, item by item"
RECIPIENTS = "What would change for each recipient of the item"
RESULTS = "Rows of the job, each with its outcome"
NOT_TAKEN = "Skipped rows of the list, and why"
JOBS = "Bulk jobs, newest first"
FINDINGS = "Ids that may be wrong, with suggestions"

_RESTING = frozenset(
    {JobState.PREVIEWED, JobState.PAUSED, JobState.CANCELLED, JobState.ENDED}
)


def item(name: str) -> ItemKey:
    return ItemKey(SUPPLIER, name)


@dataclass(frozen=True, slots=True)
class Bulk:
    """A window on the bulk page."""

    kit: DeskKit
    window: Window

    def drop(
        self,
        *rows: Sequence[str],
        header: Sequence[str] = HEADER,
        name: str = "list.csv",
    ) -> None:
        width = max(map(len, rows))
        text = "".join(",".join(row) + "\n" for row in (header[:width], *rows))
        self.window.upload("upload", text.encode("utf-8", "surrogatepass"), name=name)

    def back(self) -> None:
        self.window.click("all_jobs")

    def choose(self, label: str, shown: str) -> None:
        boxes = {box.label: box for box in self.window.app.selectbox}
        self.window.switch(str(boxes[label].key), shown)

    @property
    def job(self) -> Job:
        job = self.kit.desk.bulk.store.job(self.window.address["job"])
        assert job is not None
        return job

    def rests(self) -> Job:
        """Wait until the job needs the person or has ended.

        Then refresh the screen and return the job.
        """
        wait_until(self._is_resting)
        self.window.leave()
        return self.job

    def _is_resting(self) -> bool:
        job = self.job
        is_at_work = self.kit.desk.bulk.engine.is_at_work(job.key)
        return job.state in _RESTING and not is_at_work

    def apply(self, *rows: Sequence[str]) -> Job:
        self.drop(*rows)
        self.rests()
        self.window.click("apply")
        return self.rests()

    def recipients_of(self, *names: str) -> list[set[str]]:
        return [set(self.kit.fake.recipients_of(item(name))) for name in names]
