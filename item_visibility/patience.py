"""How often something is tried, and how long it is waited for: the numbers, each with its reason.

A save tries in three rings: the client repeats a call, the save repeats what a read shows as missing,
and a job saves an item again. The numbers multiply: raise one with the others in mind.
"""

CALL_ATTEMPTS = 4
"""Three repeats help over a restart of one server of many; more keep a person waiting for little."""

CALL_WAIT_S = 0.2
BUSY_CALL_WAIT_S = 1.0
"""The first wait before a call is repeated is random, up to this; longer where the service asked for time."""

LONGEST_CALL_WAIT_S = 10.0
"""Each wait may be twice as long as the one before, up to this."""

LONGEST_RETRY_AFTER_S = 60.0
"""A `Retry-After` up to this is waited out; a person who would wait longer is told instead. Note N12."""

LAST_ATTEMPT_WITHIN_S = 90.0
"""No attempt of a call begins later than this after its first one."""

READ_BACK_DELAYS_S = (0.2, 0.5, 1.0)
"""A read may lag behind a write: wait so long before each further read. Note N11."""

LIST_TRIES = 2
"""Send a list once more when a read has shown that it was not applied. Note N17."""

UNKNOWN_IN_A_ROW = 3
"""After so many unknown outcomes one after the other, a save takes the service to be down."""

DATABASE_BUSY_S = 30.0
"""SQLite waits so long for another process that writes, before it gives up."""

SETTLE_AT_CLOSE_S = 5.0
"""When the program closes, give interrupted saves that are being settled so long to end."""

LOOK_AT_JOB_EVERY_S = 0.2
"""The command line looks at a job so often: a person sees it move, and the database does not notice."""

LOOKS_UNTIL_JOB_BEGINS = 25
"""A job that is next in the queue begins within so many looks."""
