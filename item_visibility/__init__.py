"""Shows who can see a supplier's item, and changes it safely.

from item_visibility import ItemKey, VisibilityClient

with VisibilityClient(base_url, auth_url, client_id, client_secret) as client:
    client.add_visibility(ItemKey("4000001000005", "04012345678901:276"), "4300000000014")
"""

from item_visibility.client.client import VisibilityClient
from item_visibility.client.identifiers import ItemKey
from item_visibility.errors import (
    BulkError,
    CallError,
    FileError,
    HistoryError,
    IdentifierError,
    ItemVisibilityError,
    NotAllowedError,
    NotFoundError,
    NotSentError,
    NotTheServiceError,
    ProblemDetail,
    ReadOnlyError,
    RecordsError,
    RefusedError,
    RoleError,
    SetError,
    SettingsError,
    SheetsError,
    SignInError,
    TokenError,
    TokenRefusedError,
    TokenUnavailableError,
    UnexpectedAnswerError,
    UnknownOutcomeError,
)

__version__ = "0.1.0"

__all__ = [
    "BulkError",
    "CallError",
    "FileError",
    "HistoryError",
    "IdentifierError",
    "ItemKey",
    "ItemVisibilityError",
    "NotAllowedError",
    "NotFoundError",
    "NotSentError",
    "NotTheServiceError",
    "ProblemDetail",
    "ReadOnlyError",
    "RecordsError",
    "RefusedError",
    "RoleError",
    "SetError",
    "SettingsError",
    "SheetsError",
    "SignInError",
    "TokenError",
    "TokenRefusedError",
    "TokenUnavailableError",
    "UnexpectedAnswerError",
    "UnknownOutcomeError",
    "VisibilityClient",
]
