"""The limits of requests and lists. The specification shows none. Notes N1 and N12."""

MAX_ID_CHARACTERS = 200
MAX_ID_BYTES = 2000
"""The largest number of bytes of a percent-encoded identifier."""
MAX_LIST_BYTES = 32 * 2**20
MAX_FORM_BYTES = 64 * 1024
MAX_FORM_FIELDS = 20

MAX_RECIPIENTS = 100_000
"""The largest number of recipients of one item."""
