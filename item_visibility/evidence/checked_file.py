"""A file of evidence, checked: the ticket's text, the page or the JSON."""

from item_visibility.evidence.attached_json import check_json
from item_visibility.evidence.seal import Authenticity, check_text


def check_file(content: bytes, key: bytes | None) -> Authenticity:
    """Return whether the file is as it was made. `key` is that of this installation, None without one."""
    try:
        written = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Authenticity.NO_EVIDENCE
    return check_json(written, key) if written.lstrip().startswith("{") else check_text(written, key)
