"""Shows who can see a supplier's item, and changes it safely.

from item_visibility import ItemKey, VisibilityClient

item = ItemKey("4000001000005", "04012345678901:276")
with VisibilityClient(base_url, auth_url, client_id, client_secret) as client:
    client.add_visibility(item, "4300000000014")
"""

from item_visibility.client.client import VisibilityClient as VisibilityClient
from item_visibility.client.identifiers import ItemKey as ItemKey
from item_visibility.errors import CallError as CallError
from item_visibility.errors import IdentifierError as IdentifierError
from item_visibility.errors import ItemVisibilityError as ItemVisibilityError
from item_visibility.errors import NotAllowedError as NotAllowedError
from item_visibility.errors import NotFoundError as NotFoundError
from item_visibility.errors import NotSentError as NotSentError
from item_visibility.errors import NotTheServiceError as NotTheServiceError
from item_visibility.errors import ProblemDetail as ProblemDetail
from item_visibility.errors import RefusedError as RefusedError
from item_visibility.errors import SettingsError as SettingsError
from item_visibility.errors import TokenError as TokenError
from item_visibility.errors import TokenRefusedError as TokenRefusedError
from item_visibility.errors import TokenUnavailableError as TokenUnavailableError
from item_visibility.errors import UnexpectedAnswerError as UnexpectedAnswerError
from item_visibility.errors import UnknownOutcomeError as UnknownOutcomeError

__version__ = "0.1.0"
