"""One of several processes that serve the same records: told what to save, and killed by whoever likes.

`python -m benchmarks.replica_process BASE_URL AUTH_URL FOLDER DATABASE_URL` reads saves from its input.
"""

import json
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from queue import Queue

from item_visibility.bootstrap.open_desk import open_desk
from item_visibility.client.identifiers import ItemKey
from item_visibility.client.token import ClientCredentials
from item_visibility.saving.outcome import Verdict
from item_visibility.saving.request import ChangeRequest
from item_visibility.settings.settings import Environment, Settings
from item_visibility.use_cases.desk import Desk
from tests.support.bundled_service import CLIENT_ID, CLIENT_SECRET
from tests.support.desk import saved_on

SUPPLIER = "4000001000005"
PEOPLE = 6
ANSWERS_WITHIN_S = 300


@dataclass(frozen=True, slots=True)
class Told:
    """The words of a replica about a save."""

    verdict: str
    message: str


class Replica:
    """A process with a desk. It makes the saves that it is told, and can be killed."""

    def __init__(self, line: list[str]) -> None:
        """Start it, and return once its desk is open."""
        self._lock = threading.Lock()
        self._answers: dict[str, Queue[Told | None]] = {}
        self._is_over = False
        self._process = subprocess.Popen(  # noqa: S603  (this module)
            [sys.executable, "-m", "benchmarks.replica_process", *line],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self._output = self._process.stdin, self._process.stdout
        assert self._output.readline() == "open\n"
        threading.Thread(target=self._read, daemon=True).start()

    def kill(self) -> None:
        """Kill it in the middle of whatever it does."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it well."""
        self._input.close()
        self._process.wait()

    def save(self, facts: dict[str, object]) -> Told | None:
        """Return what is said of the save, or None when the process died first."""
        answer: Queue[Told | None] = Queue()
        with self._lock:
            if self._is_over:
                return None
            self._answers[str(facts["key"])] = answer
            with suppress(OSError):  # it is dying: whoever reads its answers says so
                self._input.write(json.dumps(facts) + "\n")
                self._input.flush()
        return answer.get(timeout=ANSWERS_WITHIN_S)

    def _read(self) -> None:
        """Pass on each answer; when the process is over, tell everybody who waits."""
        for line in self._output:
            key, _, told = line.partition(" ")
            with self._lock:
                waiting = self._answers.pop(key)
            waiting.put(Told(**json.loads(told)))
        with self._lock:
            self._is_over = True
        for waiting in self._answers.values():
            waiting.put(None)


def be_replica(line: list[str]) -> None:
    """Open a desk, and make each save that a line of the input describes, at once."""
    lock = threading.Lock()
    with closing(opened(line)) as desk, ThreadPoolExecutor(PEOPLE) as people:
        print("open", flush=True)

        def save(facts: dict[str, list[str]]) -> None:
            key = str(facts["key"])
            request = ChangeRequest(
                key=key,
                item=ItemKey(SUPPLIER, str(facts["item"])),
                base=None,
                add=frozenset(facts["add"]),
                remove=frozenset(facts["remove"]),
                person=key.partition("-")[0],
                confirmed_count=len(facts["add"]) + len(facts["remove"]),
            )
            result = saved_on(desk, request).result
            assert result is not None
            is_held_back = result.verdict is Verdict.NOTHING_SENT and not result.steps
            # A kill left some of them: the person types the count. The other hold has an empty list before.
            if is_held_back and result.before:
                removed = len(result.before & request.remove)
                result = saved_on(desk, replace(request, confirmed_count=removed)).result
                assert result is not None
            with lock:
                print(key, json.dumps(asdict(Told(result.verdict, result.message))), flush=True)

        for one in sys.stdin:
            people.submit(save, json.loads(one))


def opened(line: list[str]) -> Desk:
    """A desk on the service and the database of this run."""
    base_url, auth_url, folder, database_url = line
    credentials = ClientCredentials(CLIENT_ID, CLIENT_SECRET)
    environment = Environment(name="default", base_url=base_url, auth_url=auth_url, credentials=credentials)
    return open_desk(
        Settings(environments=(environment,), database_url=database_url, data_folder=Path(folder))
    )


if __name__ == "__main__":
    be_replica(sys.argv[1:])
