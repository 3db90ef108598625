"""The tables of version 0.1.0, which `open_records` creates.

Later migrations belong in this folder.
"""

revision = "0001"
down_revision = None
