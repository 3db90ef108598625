"""Each claim of docs/security.md is shown by a test that is there."""

import re

from tests.house.tree import ROOT, parse, read

CLAIM = re.compile(r"`(\w+/test_\w+)::(test_\w+)`")
CLAIMS = CLAIM.findall(read(ROOT / "docs" / "security.md"))


def names_in(module: str) -> set[str]:
    """The names that a test module defines; none where there is no such module."""
    path = ROOT / "tests" / f"{module}.py"
    return {node.name for node in parse(path).body if hasattr(node, "name")} if path.exists() else set()


def test_every_claim_names_a_test() -> None:
    assert len(CLAIMS) > 40
    assert [claim for claim in CLAIMS if claim[1] not in names_in(claim[0])] == []
