"""The causes of calls that fail: on whose side each is, how it is told, and what to do."""

from dataclasses import dataclass
from enum import Enum, auto

from item_visibility.api.statuses import ASK_OPERATOR


class Cause(Enum):
    """The cause of a call that failed."""

    SERVICE = auto()
    TOKEN_SERVICE = auto()
    EXPIRED = auto()
    OTHER_HOST = auto()
    CREDENTIALS = auto()
    NOT_LET_IN = auto()
    TOKENS = auto()
    LIMIT = auto()
    ADDRESS = auto()
    NAME = auto()
    CONNECTION = auto()
    CERTIFICATE = auto()
    PROXY = auto()
    NONE_FREE = auto()


@dataclass(frozen=True, slots=True)
class ToldCause:
    """The words for a cause: its subject, and the next step."""

    subject: str
    advice: str
    is_theirs: bool = False


_SEND_THEM = "Use Copy for ticket below and send the text to whoever runs the service."
ASK_ADMINISTRATOR = "Ask whoever set this dashboard up to check"
TOLD = {
    Cause.SERVICE: ToldCause("Their service", _SEND_THEM, is_theirs=True),
    Cause.TOKEN_SERVICE: ToldCause(
        "Their token endpoint",
        "Use Copy for ticket below and send the text to whoever runs the token endpoint.",
        is_theirs=True,
    ),
    Cause.EXPIRED: ToldCause(
        "Their certificate has expired", "Ask whoever runs the service to renew it.", is_theirs=True
    ),
    Cause.OTHER_HOST: ToldCause(
        "Their certificate is that of another host",
        f"{ASK_ADMINISTRATOR} the addresses; if they are right, ask whoever runs the service.",
        is_theirs=True,
    ),
    Cause.CREDENTIALS: ToldCause(
        "Our side: the token endpoint refuses our client id or secret",
        f"{ASK_ADMINISTRATOR} the client id, the client secret and the token address.",
    ),
    Cause.NOT_LET_IN: ToldCause(
        "Our side: their service does not let our client in",
        ASK_OPERATOR,
    ),
    Cause.TOKENS: ToldCause(
        "Between us and them: their service refuses the tokens that their token endpoint gives us",
        f"{ASK_ADMINISTRATOR} that both addresses belong together; if they do, ask whoever runs the service.",
    ),
    Cause.LIMIT: ToldCause(
        "Between us and them: they limit how often we may ask",
        "Wait for running jobs and scans, or pause them; ask whoever runs the service for a higher limit.",
    ),
    Cause.ADDRESS: ToldCause(
        "Our side: something else than the service answers at the address that we have for it",
        f"{ASK_ADMINISTRATOR} the addresses, and what stands between here and the service.",
    ),
    Cause.NAME: ToldCause(
        "Our side: our network does not find the name of their host",
        f"{ASK_ADMINISTRATOR} the addresses and the network's name service (DNS).",
    ),
    Cause.CONNECTION: ToldCause(
        "Between us and them: no connection could be made",
        "Check our network and its firewall; if others reach the service, it is ours.",
    ),
    Cause.CERTIFICATE: ToldCause(
        "Our side: their certificate is not trusted here",
        f"{ASK_ADMINISTRATOR} the file of your company's certificates (ITEM_VISIBILITY_CA_FILE).",
    ),
    Cause.PROXY: ToldCause(
        "Our side: our proxy does not connect to them",
        f"{ASK_ADMINISTRATOR} the proxy, and whether it lets us reach the service.",
    ),
    Cause.NONE_FREE: ToldCause(
        "Our side: all of our connections were in use", "Wait for running jobs, or pause one."
    ),
}
