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
    # Write the certificate of the authority.
    own_key = ec.generate_private_key(ec.SECP256R1())
    authority = _name(f"Authority {x509.random_serial_number()}"[:60])
    constraints = x509.BasicConstraints(ca=True, path_length=0)
    of_authority = _certificate(authority, own_key.public_key(), authority)
    of_authority = of_authority.add_extension(constraints, critical=True)
    ca_file = folder / "authority.pem"
    ca_file.write_bytes(_pem(of_authority.sign(own_key, hashes.SHA256())))

    # Write the certificate of the service, after its key.
    key = ec.generate_private_key(ec.SECP256R1())
    addresses = [x509.DNSName(NAME), x509.IPAddress(ip_address("127.0.0.1"))]
    names = x509.SubjectAlternativeName(addresses)
    of_service = _certificate(_name(NAME), key.public_key(), authority)
    of_service = of_service.add_extension(names, critical=False)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    chain_file = folder / "service.pem"
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
