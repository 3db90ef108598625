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

RETRY_COST, RETRY_COST_AFTER_TIMEOUT, RETRY_CAPACITY = 5, 10, 500
"""The calls of a client share 100 retries, or 50 after timeouts; each success earns a fifth of one."""

CONNECT_S = 5.0
"""Connecting takes milliseconds; a lost packet is sent again after 1 and after 3 s."""

NEXT_PIECE_S = 10.0
"""The wait for the next piece of an answer, or for the next piece of a request to be taken."""

FREE_CONNECTION_S = 10.0
"""The wait of a call for a free connection while others use them all."""

WHOLE_ANSWER_S = 60.0
"""No exchange takes longer, from its start to its last byte, even when each piece arrives in time."""

KEEP_CONNECTION_S = 4.0
"""Shorter than the 5 s of common servers, so that no request meets a connection that is being closed."""

TOKEN_UNKNOWN_LIFETIME_S = 300.0
"""A token is used this long when the endpoint does not say. Note N8."""

LONGEST_TOKEN_LEEWAY_S = 30.0
SHORTEST_TOKEN_LEEWAY_S = 2.0
"""A token is renewed this long before it expires: lifetimes end on whole seconds, and clocks differ."""

TOKEN_FAILURE_PAUSE_S = 1.0
"""A failed token request counts for all calls that come within this time."""

TOKEN_REFUSAL_PAUSE_S = 30.0
"""No new token is requested for this long when the service refuses even a brand-new one."""

READ_BACK_DELAYS_S = (0.2, 0.5, 1.0)
"""The waits before each further read, because a read may lag behind a write. Note N11."""

LIST_TRIES = 2
"""Send a list once more when a read has shown that it was not applied. Note N17."""

UNKNOWN_IN_A_ROW = 3
"""After this many unknown outcomes in a row, a save treats the service as down."""

DATABASE_BUSY_S = 30.0
"""SQLite waits this long for another process that writes, before it gives up."""

SAVES_END_WITHIN_S = 10.0
"""The longest wait for saves at the program's end. The next start settles those cut then, by reading."""

CUT_SAVES_END_WITHIN_S = 5.0
"""The time that cut saves may take to end; after that they are abandoned."""

ITEM_ATTEMPTS = 6
"""A job makes this many attempts that wrote without a known outcome; then the item is not confirmed."""

SETTLE_AT_CLOSE_S = 5.0
"""The time that interrupted saves get to settle when the program closes."""

LOOK_AT_JOB_EVERY_S = 0.2
"""The command line polls a job this often: a person sees progress, and the database is not burdened."""

LOOKS_UNTIL_JOB_BEGINS = 25
"""A job that is next in the queue begins within this many polls."""
