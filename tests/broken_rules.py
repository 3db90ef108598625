"""Breaks one rule of the program at a time, and runs the tests that should notice.

`python -m tests.broken_rules` applies each change below to a copy of the program, and
runs the tests of the package. The values in `model` are also tested by the saves that
use them, in `tests/saving`. It prints "noticed" or "MISSED" for each rule. The exit
status is the number of missed rules. Words after the command select the rules whose
file or name contains one of these words.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
CORE = "item_visibility"
FAILED = 1
"""Pytest's exit status if a test failed.

Any other status except 0 means that pytest could not run.
"""


class Break(NamedTuple):
    """A file of the core, its rule, the line that implements the rule, and a line that
    breaks it.
    """

    file: str
    rule: str
    line: str
    instead: str


RULES = """
model/change.py: Only what is not in place is sent
- steps = tuple(step for step in wanted if not is_met(step, current))
+ steps = wanted

saving/save.py: A key with other content is refused
- if not request.has_content_of(entry.request):
+ if False:

saving/save.py: A save needs an editor
- if request.role is None or request.role < Role.EDITOR:
+ if False:

saving/save.py: A save that became large is asked about again
- if reason is not None:
+ if False:

saving/save.py: The intent is recorded before the first write
- earlier = self.history.begin(request, plan, started_at=started_at)
+ earlier = None

saving/save.py: An interrupted save that cannot be read stays open
- if result.after is not None:
+ if True:

model/large_changes.py: More than half is confirmed by its number
- LARGE_REMOVAL_SHARE = 0.5
+ LARGE_REMOVAL_SHARE = 0.9

model/large_changes.py: A whole list replaces only the list that was confirmed
- if request.operation is not ChangeOperation.EDIT and plan.current != base:
+ if False:

model/large_changes.py: An addition is held when the item was withdrawn meanwhile
- if request.base and not plan.current and plan.added:
+ if False:

saving/send_and_verify.py: An accepted call is never repeated
- may_succeed_later = {Outcome.NOT_SENT, Outcome.UNKNOWN}
+ may_succeed_later = frozenset(Outcome)

saving/save.py: A change that somebody else made is not ours
- outcome = Outcome.DONE if is_perhaps_ours else Outcome.IN_PLACE
+ outcome = Outcome.DONE

saving/save.py: Nothing is verified without a read afterwards
- if after is None or Outcome.UNKNOWN in outcomes:
+ if Outcome.UNKNOWN in outcomes:

saving/save.py: What others changed meanwhile is reported
- others=others_changes(request.base, without_ours),
+ others=OthersChanges(),

saving/send_and_verify.py: A list is not sent when the lock was lost
- if not is_held():
+ if False:

saving/send_and_verify.py: Calls stop when the service is clearly down
- if error is not None and (is_down or _stops_others(error)):
+ if False:

saving/save_worker.py: One save at a time changes an item
- wait(earlier)
+ pass

client/identifiers.py: Two dots are never sent as an id
- if value in {".", ".."}:
+ if False:

client/identifiers.py: An id that is too long for a path is refused
- if size > MAX_SEGMENT_BYTES:
+ if False:

client/identifiers.py: A control character in an id is refused
- if category in {"Cc", "Cs"}:
+ if category in {"Cs"}:

client/http_calls.py: A path that the HTTP library would change is not sent
- if url.raw_path != request.path.encode("ascii"):
+ if False:

client/answers.py: A 404 with content is not an empty list
- if not answer.has_content:
+ if True:

client/retry.py: A list on the wire is not repeated after an unknown outcome
- may_repeat = self.operation.may_repeat or not self.is_outcome_unknown
+ may_repeat = True

client/retry.py: A very long Retry-After ends the call
- if required_s > LONGEST_RETRY_AFTER_S:
+ if False:

client/token.py: Many calls share one token request
- if token is not None and token is not other_than and self._is_useful(token):
+ if False:

client/token.py: A token that replaced a refused one is not replaced again at once
- return is_proven or self.clock() >= token.requested_at_s + TOKEN_REFUSAL_PAUSE_S
+ return True

client/network.py: An error body is read up to a limit
- limit = MAX_ANSWER_BYTES if answer.status == HTTPStatus.OK else MAX_ERROR_BYTES
+ limit = MAX_ANSWER_BYTES

access/access.py: A role that is too low is refused
- if person.role is not None and person.role >= needed:
+ if person.role is not None:

access/access.py: A sign-in that has ended is refused
- if person.ends_at is not None and self.clock() >= person.ends_at:
+ if False:

access/access.py: Signing out ends the session in every window
- if self.sign_outs.is_ended(person):
+ if False:

access/access.py: The work of others is an admin's
- if not person.may_change(owner_key):
+ if False:

access/claims.py: Only the configured provider is believed
- claims.get("iss") == rules.issuer and
+ True and

lists/damaged_ids.py: A number cell is read as text only when its digits are proven
- is_whole = self._filled(text) == text == original and has_form
+ is_whole = True

lists/bulk_list.py: A suggestion needs a decision, except for a number with all digits
- _CLEAR = frozenset({DamageKind.WHOLE_NUMBER, DamageKind.NOTHING})
+ _CLEAR = frozenset(DamageKind)

lists/writer.py: Nothing in a written workbook runs as a formula
- written.write_string(number, column, fit(cell), text)
+ written.write(number, column, fit(cell), text)

lists/bulk_list.py: Rows that contradict each other are skipped
- if add & remove:
+ if False:

lists/damaged_ids.py: A text that a spreadsheet shortened is not an id
- if is_shortened(cleaned) or _DECIMAL.fullmatch(cleaned):
+ if False:
"""
"""For each rule: its file and name, the line that implements it, and a line that breaks
it.
"""


def breaks() -> list[Break]:
    rules = []
    for entry in RULES.strip().split("\n\n"):
        title, line, instead = entry.splitlines()
        file, rule = title.split(": ", 1)
        rules.append(
            Break(file, rule, line.removeprefix("- "), instead.removeprefix("+ "))
        )
    return rules


def main(*words: str) -> None:
    """Break each rule, or those that contain one of the words, and print whether a test
    noticed.
    """
    rules = [
        rule
        for rule in breaks()
        if not words or any(word in rule.file + rule.rule for word in words)
    ]
    for rule in rules:
        source = Path(ROOT, CORE, rule.file).read_text("utf-8")
        assert source.count(rule.line) == 1, (
            f"{rule.file} no longer has the line {rule.line!r} once"
        )

    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        shutil.copytree(
            ROOT,
            copy,
            ignore=shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__"),
        )
        for rule in rules:
            is_noticed = notices(rule, copy)
            missed += not is_noticed
            answer = "noticed" if is_noticed else "MISSED"
            sys.stdout.write(f"{answer:8}{rule.rule}\n")
            sys.stdout.flush()
    sys.exit(missed)


def notices(rule: Break, copy: Path) -> bool:
    """Return True if a test fails while the rule is broken.

    Afterwards, restore the copy.
    """
    file = copy / CORE / rule.file
    whole = file.read_text("utf-8")
    file.write_text(whole.replace(rule.line, rule.instead), "utf-8")

    package = Path(rule.file).parent.name
    folders = ["model", "saving"] if package == "model" else [package]
    tests = [f"tests/{folder}" for folder in folders]
    options = ["-x", "-q", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    environ = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        command, cwd=copy, env=environ, capture_output=True, text=True, check=False
    )

    file.write_text(whole, "utf-8")
    assert ended.returncode in {0, FAILED}, ended.stdout + ended.stderr
    return ended.returncode == FAILED


if __name__ == "__main__":
    main(*sys.argv[1:])
