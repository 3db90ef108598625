"""The timeouts and the intervals of the core, in seconds unless a value is a timedelta.

The number of retries and the pauses between them are in `client/retry.py` and
`client/token.py` for calls, in `saving/send_and_verify.py` for saves, and in
`jobs/apply.py` and `jobs/engine.py` for jobs. Shared locks, scripts in the browser and
the bundled service have their own timeouts.
"""

from datetime import timedelta

# Requests
CONNECT_S = 5.0  # TCP resends a lost packet after 1 and 3 seconds
NEXT_BYTES_S = 10.0  # for receiving or sending the next bytes
WHOLE_ANSWER_S = 60.0  # from connecting to the last byte of the answer
KEEP_CONNECTION_S = 4.0  # while idle; common servers close it after 5 seconds

# Our own database
DATABASE_BUSY_S = 30.0  # SQLite waits this long while another process writes
LOOK_FOR_LOCK_S = 0.05  # between attempts to lock an item that another process holds

# Saves
WAIT_FOR_SAVE_S = 1.0  # a longer save shows its progress; most saves are faster

# Closing the program
SAVES_END_WITHIN_S = 10.0  # running saves are interrupted after this time
CUT_SAVES_END_WITHIN_S = 5.0  # the program waits for the saves that it interrupted
SETTLE_AT_CLOSE_S = 5.0  # the program waits for a search for interrupted saves
QUEUE_CLOSES_WITHIN_S = 5.0  # for the running steps of the work queue
QUEUE_CLOSING_POLL_S = 0.02
# For the current items of a run. Must be below QUEUE_CLOSES_WITHIN_S.
RUN_STOPS_WITHIN_S = 3.0

# Jobs
LOOK_AT_JOB_EVERY_S = 0.2  # the command line shows a job's progress at this interval
CLAIM_JOB_WITHIN_S = 1.0  # a command gives up when another one holds the job longer
LOOK_FOR_JOBS_EVERY_S = 2.0  # between two searches for jobs, and between two heartbeats
LOOK_AFTER_FAILURE_S = 5.0  # after a failed search; must be below JOB_DEAD_AFTER_S
JOB_DEAD_AFTER_S = 10.0  # without a heartbeat, another process takes over the job
SCAN_DEAD_AFTER = timedelta(seconds=10)  # the same for a scan
QUEUE_POLL_S = 0.25  # the work queue looks for new jobs at this interval
SAVED_WITHIN_S = 0.5  # runs store their results at this interval

# Reads that may be outdated (Note N11)
# After one of our saves, a read may show the old list for this long.
READ_LAG = timedelta(seconds=5)
# A read of an unchanged list is recorded at most this often.
SEEN_LIST_FRESH = timedelta(minutes=1)
# After a change, a replica of the service may return the old list for this long. This
# is longer than SEEN_LIST_FRESH, because the recorded time of the last read can be too
# early by up to SEEN_LIST_FRESH.
LAGGING_REPLICA = 2 * SEEN_LIST_FRESH

# Screens
REDRAW_PROGRESS_EVERY_S = 0.5  # the progress of saves, scans, jobs and exports
# A page checks this often whether the person has signed out in another window.
LOOK_AT_PAGE_EVERY_S = 15.0

# The browser opens when the dashboard answers.
BROWSER_TRIES = 240
BROWSER_WAIT_S = 0.25
BROWSER_CONNECT_S = 1.0
