# SPDX-License-Identifier: Apache-2.0
"""The certificates of the demo, made with the openssl command: one CA, a server, a scheduler."""
import subprocess

_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
_DAYS = "2"


def _openssl(*arguments):
    done = subprocess.run(["openssl", *[str(each) for each in arguments]], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise RuntimeError(f"openssl {arguments[0]} failed: {done.stderr.strip()}")


class Certificates:
    """PEM files in one folder: ca, server and scheduler, each with its key."""

    def __init__(self, folder):
        self._folder = folder
        _openssl("req", "-x509", *_KEY, "-days", _DAYS, "-subj", "/CN=aliquot-demo-ca",
                 "-addext", "keyUsage=critical,keyCertSign", "-keyout", self.path("ca.key"),
                 "-out", self.path("ca.crt"))
        self._issue("server", "aliquot-allocator",
                    "extendedKeyUsage=serverAuth\nsubjectAltName=IP:127.0.0.1,DNS:localhost\n")
        self._issue("scheduler", "kube-scheduler", "extendedKeyUsage=clientAuth\n")

    def path(self, name):
        """The path of one of the files."""
        return self._folder / name

    def _issue(self, name, common_name, extensions):
        request, extension_file = self.path(f"{name}.csr"), self.path(f"{name}.ext")
        extension_file.write_text("basicConstraints=critical,CA:FALSE\n" + extensions)
        _openssl("req", "-new", *_KEY, "-subj", f"/CN={common_name}",
                 "-keyout", self.path(f"{name}.key"), "-out", request)
        _openssl("x509", "-req", "-in", request, "-CA", self.path("ca.crt"),
                 "-CAkey", self.path("ca.key"), "-CAcreateserial", "-days", _DAYS,
                 "-extfile", extension_file, "-out", self.path(f"{name}.crt"))
