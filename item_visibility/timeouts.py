"""The limits of waits and tries, each with its reason.

A save retries at three levels: the client repeats a call, the save repeats what a read shows as missing,
and a job saves an item again. The numbers multiply, so raise one with the others in mind.

Limits that are not waits are in the module of their rule, such as the allowed clock skew and the life of a
cookie.
Scripts in the browser have timeouts of their own, and so does the bundled service, which shares no code with
the core.
"""

from datetime import timedelta

CALL_ATTEMPTS = 4
"""Three retries help when one of many servers restarts; more keep a person waiting for little."""

CALL_WAIT_S = 0.2
BUSY_CALL_WAIT_S = 1.0
"""The longest first wait before a retry, which is random; longer when the service asked for time."""

LONGEST_CALL_WAIT_S = 10.0
"""Each wait may be twice as long as the one before, up to this limit."""

LONGEST_RETRY_AFTER_S = 60.0
"""The longest `Retry-After` that a call waits for; a longer one ends the call. Note N12."""

LAST_ATTEMPT_WITHIN_S = 90.0
"""No attempt of a call begins later than this after its first one."""

RETRY_COST, RETRY_CAPACITY = 5, 500
"""The calls of a client share 100 retries; each success earns a fifth of one."""

CONNECT_S = 5.0
"""The time to connect. It usually takes milliseconds, but a lost packet is sent again after 1 and 3 s."""

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

LONGEST_TOKEN_LIFETIME_S = 10 * 365 * 86_400.0
"""A longer lifetime, however large the number, counts as this one. Note N8."""

LONGEST_TOKEN_LEEWAY_S = 30.0
SHORTEST_TOKEN_LEEWAY_S = 2.0
"""A token is renewed this long before it expires: lifetimes end on whole seconds, and clocks differ."""

TOKEN_FAILURE_PAUSE_S = 1.0
"""A failed token request counts for all calls that come within this time."""

TOKEN_REFUSAL_PAUSE_S = 30.0
"""No new token is requested for this long when the service refuses even a brand-new one."""

READ_BACK_DELAYS_S = (0.2, 0.5, 1.0)
"""The waits before each further read, because a read may lag behind a write. Note N11."""

UNKNOWN_IN_A_ROW = 3
"""After this many unknown outcomes in a row, a save treats the service as down."""

DATABASE_BUSY_S = 30.0
"""SQLite waits this long for another process that writes, before it gives up."""

WAIT_FOR_SAVE_S = 1.0
"""A press of Save waits this long for its result, then shows progress: most saves end within it."""

SAVES_END_WITHIN_S = 10.0
"""The longest wait for saves when the program ends. The next start settles saves that were cut off."""

CUT_SAVES_END_WITHIN_S = 5.0
"""The time that saves that were cut off may take to end. After that they are abandoned."""

ITEM_ATTEMPTS = 6
"""A job makes this many attempts that wrote without a known outcome; then the item is not confirmed."""

SETTLE_AT_CLOSE_S = 5.0
"""The time for settling interrupted saves when the program closes."""

SETTLE_AGAIN_S = 20.0
"""The pause between searches for interrupted saves. Those of a dead process are settled within 30 seconds."""

LOOK_FOR_LOCK_S = 0.05
"""The pause between attempts to lock an item that another process holds."""

DEAD_HOST_IDLE_S, DEAD_HOST_PROBE_EVERY_S, DEAD_HOST_PROBES = 10, 5, 3
"""PostgreSQL probes a silent host after ten seconds, then three times: its locks are free after 25 s."""

LOOK_AT_JOB_EVERY_S = 0.2
"""The command line polls a job this often: a person sees progress, and the database is not burdened."""

LOOK_FOR_JOBS_EVERY_S = 2.0
"""The pause between searches for jobs, and between heartbeats. Short for people, light for the database."""

LOOK_AFTER_FAILURE_S = 5.0
"""The wait after a failed search. Shorter than the time after which this process counts as dead."""

JOB_DEAD_AFTER_S = 10.0
"""A job without a heartbeat for this long is taken over. A living process beats every two seconds."""

QUEUE_POLL_S = 0.25
"""The work queue looks for a job to begin this often."""

QUEUE_CLOSES_WITHIN_S = 5.0
QUEUE_CLOSING_POLL_S = 0.02
"""The longest wait for the steps under way when a program closes, and how often they are looked at."""

RUN_STOPS_WITHIN_S = 3.0
"""The longest wait for the items under way when work is to stop. Shorter than the queue's."""

PROBE_DELAYS_S = (1.0, 2.0, 5.0, 10.0, 30.0)
"""The waits before each probe while the service is down; the last one repeats."""

FAILURES_IN_A_ROW = 3
"""After this many failed items in a row, a job treats the service as down."""

ITEM_READS = 3
"""An item is given up after this many failed reads, if another item could be read each time."""

PREVIEW_PROBES = 3
"""A preview or an export gives up after this many probes of a service that is down: a person waits for it."""

FIRST_SAVED_WITHIN_S, SAVED_WITHIN_S = 0.1, 0.5
"""Results are saved within this time, at first soon: screens show them, and a restart loses little."""

SCAN_GIVES_WAY_S = 0.25
"""The longest time that a scan waits before each read while a person waits for a read."""

SCAN_DEAD_AFTER = timedelta(seconds=10)
"""Another process may continue a scan that has not sent a sign of life for this long."""

READ_LAG = timedelta(seconds=5)
"""A read may show the old list for this long after a save of ours. Note N11."""

SEEN_LIST_FRESH = timedelta(minutes=1)
"""An unchanged list is recorded again only after this long."""

LAGGING_REPLICA = 2 * SEEN_LIST_FRESH
"""A replica may return the list from before a change for this long. Note N11.

Longer than SEEN_LIST_FRESH, so that a list that is read all the time counts as seen recently.
"""


REDRAW_PROGRESS_EVERY_S = 0.5
"""The progress of a save, a scan, a job or an export is redrawn this often: a person sees it move."""

LOOK_AT_PAGE_EVERY_S = 15.0
"""A page checks this often whether the person has signed out in another window."""

BROWSER_TRIES, BROWSER_WAIT_S, BROWSER_CONNECT_S = 240, 0.25, 1.0
"""The tries to reach a starting dashboard, the pause between two, the limit of each; then a browser opens.

A cold start takes seconds; a person who waited a minute has opened the address by hand.
"""
