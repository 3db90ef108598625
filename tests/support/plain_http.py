"""A TLS context for `http://`, which needs none: the usual one reads 140 certificates, 15 ms each time."""

import ssl

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Trusts nobody."""
