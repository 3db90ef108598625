"""The digest and the seal of a pack: was it edited, and was it made here?

The digest is SHA-256 over what is said: it shows an edit, but whoever edits can make a new one. The seal is
an HMAC of the digest with the key of this installation: only who has the key can make or check it.
"""

import hashlib
import hmac
import re
from dataclasses import dataclass
from enum import Enum, auto

NO_SEAL = "none"
_LINE = re.compile(r"SHA-256 ([0-9a-f]{64}) · seal ([0-9a-f]{64}|none)")


class Authenticity(Enum):
    """The result of a check: is the evidence as it was made, and by whom?"""

    MADE_HERE = auto()
    """As it was made, by this installation."""
    UNEDITED = auto()
    """As its digest says; who made it cannot be told here."""
    EDITED = auto()
    """Not as it was made."""
    NO_EVIDENCE = auto()
    """There is no digest in it."""


@dataclass(frozen=True, slots=True)
class Seal:
    """A digest, and its seal; `NO_SEAL` where there was no key."""

    digest: str
    mark: str

    def __str__(self) -> str:
        """Return the line that stands in a text."""
        return f"SHA-256 {self.digest} · seal {self.mark}"


def seal_of(content: str, key: bytes | None) -> Seal:
    """Return the seal of a text. Spaces and line ends do not count: tickets wrap lines."""
    digest = hashlib.sha256(" ".join(content.split()).encode("utf-8", "surrogatepass")).hexdigest()
    return Seal(digest, NO_SEAL if key is None else _mark(digest, key))


def authenticity_of(content: str, seal: Seal, key: bytes | None) -> Authenticity:
    """Return what a seal says of the content that it stands beside."""
    if not hmac.compare_digest(seal_of(content, None).digest, seal.digest):
        return Authenticity.EDITED
    is_ours = key is not None and hmac.compare_digest(_mark(seal.digest, key), seal.mark)
    return Authenticity.MADE_HERE if is_ours else Authenticity.UNEDITED


def sealed(content: str, key: bytes | None, *, end: str = "") -> str:
    """Return the content with its seal below, and what ends the file."""
    return f"{content}{seal_of(f'{content}{end}', key)}{end}"


def check_text(written: str, key: bytes | None) -> Authenticity:
    """Return whether a text that `sealed` made is as it was made."""
    lines = list(_LINE.finditer(written))
    if not lines:
        return Authenticity.NO_EVIDENCE
    line = lines[-1]
    return authenticity_of(written[: line.start()] + written[line.end() :], Seal(*line.groups()), key)


def _mark(digest: str, key: bytes) -> str:
    return hmac.new(key, digest.encode("ascii"), hashlib.sha256).hexdigest()
