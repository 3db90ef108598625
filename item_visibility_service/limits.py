"""The limits of the service. The specification shows none: these are ours. Notes N1 and N12."""

MAX_ID_CHARACTERS = 200
MAX_ID_BYTES = 2000
"""Of an identifier as it stands in a path: percent-encoded."""

MAX_RECIPIENTS = 100_000
"""Of one item, by any operation."""

MAX_LIST_BYTES = 32 * 2**20
"""The body of a request that sends a whole list."""

MAX_TOKEN_REQUEST_BYTES = 64 * 1024
MAX_TOKEN_REQUEST_FIELDS = 20
