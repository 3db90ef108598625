"""A company's own certificate authority, a service that only its certificates vouch for, and a proxy."""

import select
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.listening import listening

NAME = "service.example"
LIST = b'["B", "A"]'
TOKEN = b'{"access_token": "t", "expires_in": 3600}'
_HEAD = (
    b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
)
_CONNECTED = b"HTTP/1.1 200 OK\r\n\r\n"
_DAY = timedelta(days=1)


def write_certificates(folder: Path) -> tuple[Path, Path]:
    """Write an authority, and a certificate with its key for the service; return the two files."""
    own_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _name(f"Authority {x509.random_serial_number()}"[:60])
    of_authority = _certificate(authority, own_key.public_key(), authority).add_extension(
        x509.BasicConstraints(ca=True, path_length=0), critical=True
    )
    names = [x509.DNSName(NAME), x509.IPAddress(ip_address("127.0.0.1"))]
    of_service = _certificate(_name(NAME), key.public_key(), authority).add_extension(
        x509.SubjectAlternativeName(names), critical=False
    )
    ca_file, chain_file = folder / "authority.pem", folder / "service.pem"
    ca_file.write_bytes(_pem(of_authority.sign(own_key, hashes.SHA256())))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    chain_file.write_bytes(private + _pem(of_service.sign(own_key, hashes.SHA256())))
    return ca_file, chain_file


def _certificate(
    subject: x509.Name, key: ec.EllipticCurvePublicKey, issuer: x509.Name
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return x509.CertificateBuilder(
        subject_name=subject,
        issuer_name=issuer,
        public_key=key,
        serial_number=x509.random_serial_number(),
        not_valid_before=now - _DAY,
        not_valid_after=now + _DAY,
    )


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


@dataclass(slots=True)
class Listener:
    """A server: its port, the heads of what it was asked, and as a proxy what passed."""

    port: int
    asked: list[bytes]
    passed: list[bytes] = field(default_factory=list)


@contextmanager
def run_tls_service(chain_file: Path) -> Iterator[Listener]:
    context = _server_context(chain_file)
    asked: list[bytes] = []

    def answer(connection: socket.socket) -> None:
        with suppress(ssl.SSLError), context.wrap_socket(connection, server_side=True) as secured:
            head = _head_of(secured)
            asked.append(head)
            body = TOKEN if head.startswith(b"POST") else LIST
            secured.sendall(_HEAD % len(body) + body)

    with listening(answer) as port:
        yield Listener(port, asked)


@contextmanager
def run_proxy(to_port: int, *, answer: bytes = _CONNECTED) -> Iterator[Listener]:
    """Give each CONNECT this answer; a good one connects it to that port, whatever host it names."""
    asked: list[bytes] = []
    passed: list[bytes] = []

    def connect(connection: socket.socket) -> None:
        asked.append(_head_of(connection))
        connection.sendall(answer)
        if answer == _CONNECTED:
            with socket.create_connection(("127.0.0.1", to_port)) as onward:
                _relay(connection, onward, passed)

    with listening(connect) as port:
        yield Listener(port, asked, passed)


def _server_context(chain_file: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain_file)
    return context


def _head_of(connection: socket.socket) -> bytes:
    """Return the head of a request, and read its body too: closing on unread bytes would reset."""
    with connection.makefile("rb") as stream:
        lines = list(iter(stream.readline, b"\r\n"))
        sizes = [line.partition(b":")[2] for line in lines if line.lower().startswith(b"content-length:")]
        stream.read(int(sizes[0]) if sizes else 0)
    return b"".join(lines)


def _relay(one: socket.socket, other: socket.socket, passed: list[bytes]) -> None:
    """Pass on what either side sends until one ends, and note it."""
    while True:
        ready = select.select([one, other], [], [])[0]
        for source, target in ((one, other), (other, one)):
            if source in ready:
                piece = source.recv(65536)
                if not piece:
                    return
                passed.append(piece)
                target.sendall(piece)
