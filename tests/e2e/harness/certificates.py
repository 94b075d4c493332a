# SPDX-License-Identifier: Apache-2.0
"""One certificate authority and its certificates (ECDSA P-256), made with the openssl command."""
import ipaddress
import pathlib
import subprocess

_DAYS = "2"


def _openssl(*arguments):
    subprocess.run(["openssl", *[str(argument) for argument in arguments]], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def _is_address(host):
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


class Authority:
    """A certificate authority that lives in one folder."""

    def __init__(self, folder, name="aliquot-test-ca"):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.certificate = self.folder / "ca.crt"
        self._key = self.folder / "ca.key"
        _openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-days", _DAYS, "-subj", f"/CN={name}", "-keyout", self._key,
                 "-out", self.certificate, "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def issue(self, name, common_name, organization=None, hosts=()):
        """Issues NAME.crt and NAME.key: for serving when hosts are given, else for a client.

        Hosts are DNS names and IP addresses. Returns the two paths.
        """
        certificate, key = self.folder / f"{name}.crt", self.folder / f"{name}.key"
        request, extensions = self.folder / f"{name}.csr", self.folder / f"{name}.ext"
        subject = (f"/O={organization}" if organization else "") + f"/CN={common_name}"
        _openssl("req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                 "-subj", subject, "-keyout", key, "-out", request)
        lines = ["basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature"]
        if hosts:
            names = [("IP:" if _is_address(host) else "DNS:") + host for host in hosts]
            lines += ["extendedKeyUsage=serverAuth", "subjectAltName=" + ",".join(names)]
        else:
            lines.append("extendedKeyUsage=clientAuth")
        extensions.write_text("\n".join(lines) + "\n")
        _openssl("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key,
                 "-CAcreateserial", "-days", _DAYS, "-out", certificate, "-extfile", extensions)
        return certificate, key

    def signing_key_pair(self, name, ed25519=False):
        """Makes a bare key pair, P-256 for service account tokens; returns (private, public)."""
        private, public = self.folder / f"{name}.key", self.folder / f"{name}.pub"
        kind = ["ed25519"] if ed25519 else ["EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        _openssl("genpkey", "-algorithm", *kind, "-out", private)
        _openssl("pkey", "-in", private, "-pubout", "-out", public)
        return private, public
