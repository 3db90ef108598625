"""A company's own certificate authority, and a certificate that it issued for a
service.
"""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

NAME = "service.example"
_DAY = timedelta(days=1)


def write_certificates(folder: Path) -> tuple[Path, Path]:
    """Write the authority, and the service's certificate with its key.

    Return the two files.
    """
    own_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = _name(f"Authority {x509.random_serial_number()}"[:60])
    of_authority = _certificate(
        authority, own_key.public_key(), authority
    ).add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
    names = [x509.DNSName(NAME), x509.IPAddress(ip_address("127.0.0.1"))]
    of_service = _certificate(_name(NAME), key.public_key(), authority).add_extension(
        x509.SubjectAlternativeName(names), critical=False
    )
    ca_file, chain_file = folder / "authority.pem", folder / "service.pem"
    ca_file.write_bytes(_pem(of_authority.sign(own_key, hashes.SHA256())))
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
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
