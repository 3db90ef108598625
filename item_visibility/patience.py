"""The limits on retries and waits, each with its reason.

A save retries at three levels: the client repeats a call, the save repeats what a read shows as missing,
and a job saves an item again. The numbers multiply, so raise one with the others in mind.
"""

CALL_ATTEMPTS = 4
"""Three retries help when one of many servers restarts; more keep a person waiting for little."""

CALL_WAIT_S = 0.2
BUSY_CALL_WAIT_S = 1.0
"""The longest first wait before a retry, which is random; longer when the service asked for time."""

LONGEST_CALL_WAIT_S = 10.0
"""Each wait may be twice as long as the one before, up to this limit."""

LONGEST_RETRY_AFTER_S = 60.0
"""A `Retry-After` up to this is waited for; when it is longer, the person is told instead. Note N12."""

LAST_ATTEMPT_WITHIN_S = 90.0
"""No attempt of a call begins later than this after its first one."""

READ_BACK_DELAYS_S = (0.2, 0.5, 1.0)
"""The waits before each further read, because a read may lag behind a write. Note N11."""

LIST_TRIES = 2
"""Send a list once more when a read has shown that it was not applied. Note N17."""

UNKNOWN_IN_A_ROW = 3
"""After this many unknown outcomes in a row, a save treats the service as down."""

DATABASE_BUSY_S = 30.0
"""SQLite waits this long for another process that writes, before it gives up."""

SETTLE_AT_CLOSE_S = 5.0
"""The time that interrupted saves get to settle when the program closes."""

LOOK_AT_JOB_EVERY_S = 0.2
"""The command line polls a job this often: a person sees progress, and the database is not burdened."""

LOOKS_UNTIL_JOB_BEGINS = 25
"""A job that is next in the queue begins within this many polls."""
