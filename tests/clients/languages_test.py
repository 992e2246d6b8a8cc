#!/usr/bin/python3
"""The examples in Go and Java are generated and compiled, and Go's gives the answers of the Python package. With the
Netty of Debian 12 Java has no TLS (docs/clients.md): its example is run, and finds nobody.

    languages_test.py go|java
"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from built import ROOT, SKIPPED
from cluster import ENVIRONMENT, Cluster

LIBRARIES = {"go": "/usr/share/gocode/src/google.golang.org/grpc", "java": "/usr/share/java/grpc-netty.jar"}
PROGRAMS = {"go": ("/usr/bin/go", "protoc-gen-go", "protoc-gen-go-grpc"),
            "java": ("javac", "java", "jar", "grpc_java_plugin")}
LANGUAGE = sys.argv.pop(1)


def is_there():
    return all(shutil.which(program) for program in PROGRAMS[LANGUAGE]) and os.path.exists(LIBRARIES[LANGUAGE])


class ExampleTest(unittest.TestCase):
    def test_it_is_built_and_asks(self):
        with tempfile.TemporaryDirectory() as folder:
            made = subprocess.run([ROOT / "clients" / LANGUAGE / "build", folder], env=ENVIRONMENT, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            program = Path(made.stdout.strip())
            nobody = subprocess.run([program, "127.0.0.1:1"], capture_output=True, text=True, check=False)
            self.assertEqual((nobody.returncode, nobody.stdout), (1, ""))
            self.assertRegex(nobody.stderr, "(?i)unavailable")
            if LANGUAGE == "java":
                return
            cluster = Cluster()
            self.addCleanup(cluster.close)
            cluster.start()
            with cluster.client() as client:
                cluster.crawl(client)
                wanted = [page.url for page in client.top(100)]
                address = client.nodes[1]
            tls = cluster.tls("reader")
            words = ["--tls-ca", tls.ca, "--tls-cert", tls.certificate, "--tls-key", tls.key, "--name", address.name]
            said = subprocess.run([program, *words, address.address, "100"], capture_output=True, text=True,
                                  check=False)
            self.assertEqual(said.returncode, 0, said.stderr)
            self.assertEqual([line.split("\t")[2] for line in said.stdout.splitlines()], wanted)
            refused = subprocess.run([program, *words[:-1], "n7", address.address], capture_output=True, text=True,
                                     check=False)
            self.assertEqual((refused.returncode, refused.stdout), (1, ""))


if __name__ == "__main__":
    if not is_there():
        print(f"skipped: what builds the client in {LANGUAGE} is not there (deploy/install-packages clients)")
        sys.exit(SKIPPED)
    unittest.main()
