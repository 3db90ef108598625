"""How long is the core, folder by folder, and how has that changed since an earlier commit?

`python -m benchmarks.lines` prints the lines and modules of each folder at HEAD. With a commit,
`python -m benchmarks.lines COMMIT`, it prints those of that commit beside them.
"""

import subprocess
import sys
from collections import Counter
from pathlib import PurePosixPath

CORE = "item_visibility/"


def main() -> None:
    """Count at each commit that is named, and print."""
    commits = [*sys.argv[1:2], "HEAD"]
    counted = [lines_by_folder(commit) for commit in commits]
    print(f"{'folder':<32}" + "".join(f"{commit:>12}" for commit in commits))
    for folder in sorted(set().union(*counted)):
        print(f"{folder:<32}" + "".join(f"{lines[folder]:>12,}" for lines in counted))
    print(f"{'core':<32}" + "".join(f"{lines.total():>12,}" for lines in counted))


def lines_by_folder(commit: str) -> Counter[str]:
    """Return the lines of Python in each folder of the core at one commit."""
    lines: Counter[str] = Counter()
    for row in git("grep", "-c", "", commit, "--", f"{CORE}*.py").splitlines():
        path, _, count = row.removeprefix(f"{commit}:").rpartition(":")
        parent = PurePosixPath(path).relative_to(CORE).parent
        lines[CORE + (parent.parts[0] if parent.parts else "")] += int(count)
    return lines


def git(*arguments: str) -> str:
    """Return what git prints."""
    return subprocess.run(("git", *arguments), check=True, capture_output=True, text=True).stdout  # noqa: S603, S607  (git as installed)


if __name__ == "__main__":
    main()
