"""A service that follows the specification and fails when a test says so.

It listens on 127.0.0.1, keeps its items in memory, and asks `choose_fault` before each call. Afterwards
a test reads the calls (`log`), the real state (`recipients_of`) and the tokens that were used.

    with FaultService() as service:
        service.choose_fault = fail_times(FaultKind.RESET_AFTER, 1)
"""

from tests.support.fault_service.calls import (
    EVERY_FAULT,
    EVERY_SEMANTICS,
    FOUR_SEMANTICS,
    OPERATIONS,
    STANDARD,
    Call,
    FaultChoice,
    FaultKind,
    LoggedCall,
    Semantics,
    fail_times,
    faults_in_turn,
    no_fault,
)
from tests.support.fault_service.service import FaultService
from tests.support.fault_service.tokens import (
    CLIENT_ID,
    CLIENT_SECRET,
    TOKEN_PATH,
    Answer,
    TokenEndpoint,
)

__all__ = [
    "CLIENT_ID",
    "CLIENT_SECRET",
    "EVERY_FAULT",
    "EVERY_SEMANTICS",
    "FOUR_SEMANTICS",
    "OPERATIONS",
    "STANDARD",
    "TOKEN_PATH",
    "Answer",
    "Call",
    "FaultChoice",
    "FaultKind",
    "FaultService",
    "LoggedCall",
    "Semantics",
    "TokenEndpoint",
    "fail_times",
    "faults_in_turn",
    "no_fault",
]
