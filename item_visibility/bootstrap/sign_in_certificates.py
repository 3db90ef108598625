"""The certificates that are trusted when a sign-in connects to the identity provider.

Streamlit 1.67 connects with httpx 0.28, which trusts its own list of certificates, or the one file that is
named in the variable `SSL_CERT_FILE`.
"""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import NamedTemporaryFile

_VARIABLE = "SSL_CERT_FILE"


@contextmanager
def trusted_in_sign_in(
    environ: MutableMapping[str, str], *, system_file: str, ca_file: Path | None
) -> Iterator[None]:
    """Let sign-ins trust the certificates in these files. An empty `system_file` means no file."""
    before = environ.get(_VARIABLE)
    with NamedTemporaryFile(prefix="item-visibility-", suffix=".pem") as both:
        if ca_file is not None:
            both.writelines(Path(one).read_bytes() + b"\n" for one in (system_file, ca_file) if one)
            both.flush()
        if ca_file is not None or system_file:
            environ[_VARIABLE] = both.name if ca_file is not None else system_file
        try:
            yield
        finally:
            environ.pop(_VARIABLE, None)
            if before is not None:
                environ[_VARIABLE] = before
