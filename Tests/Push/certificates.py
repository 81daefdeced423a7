"""A certificate authority of a test's own, and the ES256 tokens of providers."""
import base64, datetime, ipaddress, json, ssl
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

NAMES = ["localhost", "*.push.test", "*.push.apple.com", "fcm.googleapis.com"]


class Authority:
    """Writes into a folder: `ca.pem`; `server.pem` and `client.pem`, each a certificate and its key; `apns.p8`."""

    def __init__(self, folder):
        self.file, self.server, self.client, self.apns_key_file = (
            f"{folder}/{name}" for name in ("ca.pem", "server.pem", "client.pem", "apns.p8"))
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "push-check CA")])
        ca = self.certificate(name, name, key.public_key(), key).add_extension(
            x509.BasicConstraints(ca=True, path_length=None), critical=True).sign(key, hashes.SHA256())
        own, client = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        sender = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Apple Push Services: com.example.Gallery")])
        alternatives = [x509.DNSName(each) for each in NAMES] + [
            x509.IPAddress(ipaddress.ip_address(each)) for each in ("127.0.0.1", "::1")]
        leaf = self.certificate(subject, name, own.public_key(), key).add_extension(
            x509.SubjectAlternativeName(alternatives), critical=False).sign(key, hashes.SHA256())
        self.write(self.client, self.certificate(sender, name, client.public_key(), key).sign(key, hashes.SHA256())
                   .public_bytes(serialization.Encoding.PEM) + pem(client))
        self.write(self.file, ca.public_bytes(serialization.Encoding.PEM))
        self.write(self.server, leaf.public_bytes(serialization.Encoding.PEM) + pem(own))
        self.apns_key = ec.generate_private_key(ec.SECP256R1())
        self.write(self.apns_key_file, pem(self.apns_key))

    @staticmethod
    def certificate(subject, issuer, key, signer):
        now = datetime.datetime.now(datetime.timezone.utc)
        return (x509.CertificateBuilder().subject_name(subject).issuer_name(issuer).public_key(key)
                .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
                .not_valid_after(now + datetime.timedelta(days=2)))

    @staticmethod
    def write(path, content):
        with open(path, "wb") as file:
            file.write(content)

    def server_context(self, protocols=("h2", "http/1.1")):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.server)
        # A client may show a certificate.
        context.load_verify_locations(self.file)
        context.verify_mode = ssl.CERT_OPTIONAL
        context.set_alpn_protocols(list(protocols))
        return context

    def client_context(self, protocols=("h2",)):
        context = ssl.create_default_context(cafile=self.file)
        context.set_alpn_protocols(list(protocols))
        return context


def pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def point(public_key):
    """The uncompressed point of a key, 65 bytes."""
    return public_key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


def key_of(point):
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)


def encode(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def decode(text):
    if "=" in text:
        raise ValueError("base64url with padding")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sign_token(key, header, claims):
    """A JWT with ES256."""
    text = ".".join(encode(json.dumps(part).encode()) for part in (header, claims))
    r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{text}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def read_token(token, public_key):
    """Header and claims of a JWT; ValueError if it is not signed with the key by ES256."""
    try:
        header, claims, signature = token.split(".")
        raw = decode(signature)
        if len(raw) != 64:
            raise ValueError("a signature of 64 bytes")
        der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        public_key.verify(der, f"{header}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        header, claims = json.loads(decode(header)), json.loads(decode(claims))
    except InvalidSignature:
        raise ValueError("not signed with this key") from None
    if header.get("alg") != "ES256":
        raise ValueError("alg is not ES256")
    return header, claims
