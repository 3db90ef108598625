"""The timeouts and the intervals of the core.

The numbers and pauses of retries are in `client/retry.py` and `client/token.py` for calls, in
`saving/send_and_verify.py` for saves, and in `jobs/apply.py` and `jobs/engine.py` for jobs. Scripts in the
browser and the bundled service have their own timeouts.
"""

from datetime import timedelta

CONNECT_S = 5.0
"""The timeout for connecting. Longer than 3 seconds, because TCP resends a lost packet after 1 and 3."""

NEXT_BYTES_S = 10.0
"""The timeout for receiving or sending the next bytes."""

FREE_CONNECTION_S = 10.0
"""A call waits this long for a free connection when all are in use."""

WHOLE_ANSWER_S = 60.0
"""The timeout for a whole exchange, from connecting to the last byte of the answer."""

KEEP_CONNECTION_S = 4.0
"""An idle connection is closed after this time. Common servers close it after 5 seconds."""

DATABASE_BUSY_S = 30.0
"""SQLite waits this long while another process writes."""

WAIT_FOR_SAVE_S = 1.0
"""The screen waits this long for the result of a save before it shows progress. Most saves are faster."""

SAVES_END_WITHIN_S = 10.0
"""When the program closes, it waits this long for running saves, and then interrupts them."""

CUT_SAVES_END_WITHIN_S = 5.0
"""The program waits this long for interrupted saves to end. Their outcome is read at the next start."""

SETTLE_AT_CLOSE_S = 5.0
"""When the program closes, it waits this long for the search for interrupted saves to end."""

SETTLE_AGAIN_S = 20.0
"""The pause between searches for interrupted saves."""

LOOK_FOR_LOCK_S = 0.05
"""The pause between attempts to lock an item that another process holds."""

DEAD_HOST_IDLE_S, DEAD_HOST_PROBE_EVERY_S, DEAD_HOST_PROBES = 10, 5, 3
"""PostgreSQL probes a silent client after 10, 15 and 20 seconds, and frees its locks after 25 seconds."""

LOOK_AT_JOB_EVERY_S = 0.2
"""The command line polls a job at this interval, to show its progress."""

LOOK_FOR_JOBS_EVERY_S = 2.0
"""The pause between two searches for jobs, and between two heartbeats."""

LOOK_AFTER_FAILURE_S = 5.0
"""The pause after a failed search. Must be shorter than JOB_DEAD_AFTER_S."""

JOB_DEAD_AFTER_S = 10.0
"""Another process takes over a job that had no heartbeat for this long."""

QUEUE_POLL_S = 0.25
"""The work queue looks for new jobs at this interval."""

QUEUE_CLOSES_WITHIN_S = 5.0
QUEUE_CLOSING_POLL_S = 0.02
"""When the program closes, the queue waits this long for running steps, and polls at this interval."""

RUN_STOPS_WITHIN_S = 3.0
"""When a run is stopped, it waits this long for its current items. Must be below QUEUE_CLOSES_WITHIN_S."""

SAVED_WITHIN_S = 0.5
"""Runs store their results at this interval."""

SCAN_GIVES_WAY_S = 0.25
"""A scan lets people's reads go first, but waits at most this long before each of its own reads."""

SCAN_DEAD_AFTER = timedelta(seconds=10)
"""Another process may continue a scan that had no heartbeat for this long."""

READ_LAG = timedelta(seconds=5)
"""After one of our saves, a read may still show the old list for this long. Note N11."""

SEEN_LIST_FRESH = timedelta(minutes=1)
"""A read of an unchanged list is recorded at most once in this time."""

LAGGING_REPLICA = 2 * SEEN_LIST_FRESH
"""After a change, a replica of the service may still return the old list for this long. Note N11.

Must be longer than SEEN_LIST_FRESH, because the recorded time of a read can be that old.
"""

REDRAW_PROGRESS_EVERY_S = 0.5
"""Screens redraw the progress of saves, scans, jobs and exports at this interval."""

LOOK_AT_PAGE_EVERY_S = 15.0
"""A page checks at this interval whether the person has signed out in another window."""

BROWSER_TRIES, BROWSER_WAIT_S, BROWSER_CONNECT_S = 240, 0.25, 1.0
"""The attempts to connect before the browser opens, the pause between them, and their timeout."""
