"""A pack as JSON, to be attached: all of it, for a program and for those who check it."""

import json
from dataclasses import asdict
from datetime import UTC, datetime

from item_visibility.evidence.pack import Pack
from item_visibility.evidence.seal import Authenticity, Seal, authenticity_of, seal_of

FORMAT = "item-visibility evidence 1"


def attached_json(pack: Pack, key: bytes | None) -> str:
    """Return the document. Each sign beyond ASCII is an escape, so that no program reads another."""
    told = json.loads(json.dumps(asdict(pack), default=_plain))
    seal = seal_of(_canonical(told), key)
    document = {"format": FORMAT, "pack": told, "sha256": seal.digest, "seal": seal.mark}
    return json.dumps(document, indent=1) + "\n"


def check_json(written: str, key: bytes | None) -> Authenticity:
    """Return whether a document is as it was made, however its lines are broken."""
    try:
        document = json.loads(written, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return Authenticity.EDITED
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        return Authenticity.NO_EVIDENCE
    digest, mark = document.get("sha256"), document.get("seal")
    if document.keys() != {"format", "pack", "sha256", "seal"}:
        return Authenticity.EDITED
    if not (isinstance(digest, str) and isinstance(mark, str) and digest.isascii() and mark.isascii()):
        return Authenticity.EDITED
    return authenticity_of(_canonical(document["pack"]), Seal(digest, mark), key)


def _canonical(told: object) -> str:
    """Return the one form of a value. Spaces in its texts are escapes: they count."""
    return json.dumps(told, sort_keys=True, separators=(",", ":")).replace(" ", "\\u0020")


def _plain(value: object) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    raise TypeError(f"{type(value).__name__} is not told in a pack")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return the members; ValueError for one that stands twice: two readers would see different ones."""
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member stands twice")
    return members
