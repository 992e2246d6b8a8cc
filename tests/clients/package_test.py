#!/usr/bin/python3
"""The Python package by itself: what is in the wheel, its types, and how it asks, of a server that plays a node."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import built
from built import INSTALLED, ROOT

import grpc

import opic
from opic import calls
from opic.details import read_details
from opic.settings import Environment, read_cluster, read_token
from opic.v1 import audit_pb2, control_pb2, export_pb2, importance_pb2, scheduler_pb2

# What nodes, and the commands that mend or move a cluster, say to each other: no client has to.
NOT_FOR_CLIENTS = {"Audit.Cut", "Audit.PrepareRestating", "Audit.Claims", "Audit.AddClaims", "Audit.EndRestating",
                   "Control.DeclareLost", "Control.MendEpoch", "Control.MoveShards", "PageScheduler.Session"}


class PackageTest(unittest.TestCase):
    def test_the_wheel_has_the_package_and_nothing_else(self):
        files = {path.relative_to(INSTALLED).as_posix() for path in INSTALLED.rglob("*") if path.is_file()}
        here = {f"opic/{path.name}" for path in (ROOT / "clients/python/opic").glob("*") if path.is_file()}
        self.assertLessEqual(here | {"opic/py.typed", "opic/v1/importance_pb2.py", "opic/v1/importance_pb2.pyi"}, files)
        self.assertEqual({name.partition("/")[0] for name in files}, {"opic", f"opic-{version()}.dist-info"})

    def test_its_version_is_the_programs(self):
        project = tomllib.loads((ROOT / "clients/python/pyproject.toml").read_text())["project"]
        self.assertEqual(project["version"], version())
        self.assertEqual(built.WHEEL.name, f"opic-{version()}-py3-none-any.whl")

    @unittest.skipUnless(shutil.which("mypy"), "mypy is not at hand")
    def test_types_are_whole(self):
        with tempfile.TemporaryDirectory() as cache:
            said = subprocess.run(["mypy", "--strict", "--python-executable", sys.executable, "--cache-dir", cache,
                                   "--config-file", ROOT / "clients/python/pyproject.toml", "-p", "opic"],
                                  cwd=INSTALLED, capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stdout + said.stderr)

    def test_every_call_of_the_contract_is_there(self):
        told = {call.name: call for call in vars(calls).values() if isinstance(call, calls.Call)}
        del told["Health.Check"]
        for file in (audit_pb2, control_pb2, export_pb2, importance_pb2, scheduler_pb2):
            for service in file.DESCRIPTOR.services_by_name.values():
                for method in service.methods:
                    name = f"{service.name}.{method.name}"
                    if name in NOT_FOR_CLIENTS:
                        continue
                    with self.subTest(call=name):
                        self.assertEqual(told.pop(name).reply.DESCRIPTOR.full_name, method.output_type.full_name)
        self.assertEqual(told, {})


def version():
    return re.search(r"project\(opic VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]


class Play(grpc.GenericRpcHandler):
    """Answers calls by `script(call, request bytes, context)`, and counts them."""

    def __init__(self, script):
        self.script, self.asked, self.metadata = script, 0, {}
        self.lock = threading.Lock()

    def service(self, details):
        def answer(request, context):
            with self.lock:
                self.asked += 1
                self.metadata = dict(context.invocation_metadata())
            return self.script(details.method, request, context).SerializeToString()

        return grpc.unary_unary_rpc_method_handler(answer)


@contextlib.contextmanager
def playing(script):
    """(address, Play) of a server."""
    play = Play(script)
    server = grpc.server(ThreadPoolExecutor(4), [play])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}", play
    finally:
        server.stop(None).wait()


def refusing(code, times=1 << 30):
    """Refuses so many calls, then gives an empty status."""
    def script(_method, _request, context):
        nonlocal times
        times -= 1
        if times >= 0:
            context.abort(code, "because")
        return control_pb2.GetStatusResponse(missing_nodes=["n0"])

    return script


def field(number, content):
    """A string or message of less than 128 bytes, encoded."""
    return bytes([number << 3 | 2, len(content)]) + content


def error_info(domain=b"opic"):
    """google.rpc.Status of a call that needs another role."""
    info = field(1, b"ROLE_NEEDED") + field(2, domain) + field(3, field(1, b"role") + field(2, b"reader"))
    detail = field(1, b"type.googleapis.com/google.rpc.ErrorInfo") + field(2, info)
    return b"\x08\x07" + field(2, b"no") + field(3, field(1, b"type.googleapis.com/other.Kind")) + field(3, detail)


class ReasonTest(unittest.TestCase):
    def test_the_reason_of_a_refusal(self):
        self.assertEqual(read_details(error_info()), ("ROLE_NEEDED", {"role": "reader"}))
        self.assertEqual(read_details(error_info(b"example.org")), ("", {}))
        self.assertEqual(read_details(b""), ("", {}))

    def test_what_cannot_be_read_has_none(self):
        whole = error_info()
        for end in range(len(whole)):
            self.assertEqual(read_details(whole[:end]), ("", {}), end)
        for at in range(len(whole)):
            broken = bytearray(whole)
            broken[at] ^= 0xFF
            read_details(bytes(broken))  # something, or nothing

    def test_it_stands_in_the_exception(self):
        def script(_method, _request, context):
            context.set_trailing_metadata([("grpc-status-details-bin", error_info())])
            context.abort(grpc.StatusCode.PERMISSION_DENIED, "no")

        with playing(script) as (address, _), opic.Client(address) as client, \
                self.assertRaises(opic.PermissionDenied) as raised:
            client.status()
        self.assertEqual((raised.exception.reason, raised.exception.metadata), ("ROLE_NEEDED", {"role": "reader"}))
        self.assertEqual(raised.exception.message, "no")

    def test_without_one_it_is_the_code(self):
        with playing(refusing(grpc.StatusCode.NOT_FOUND)) as (address, _), opic.Client(address) as client, \
                self.assertRaises(opic.NotFound) as raised:
            client.status()
        self.assertEqual((raised.exception.reason, raised.exception.metadata), ("NOT_FOUND", {}))


class Watched(grpc.GenericRpcHandler):
    """Watch of a node that breaks off: each call has a first reply, an empty one, and a change, and ends so."""

    def __init__(self, code):
        self.code, self.asked = code, []

    def service(self, details):
        def answer(request, context):
            self.asked.append(importance_pb2.WatchRequest.FromString(request))
            for known, complete in ((len(self.asked), True), (0, False)):
                yield importance_pb2.WatchResponse(complete=complete, known=known).SerializeToString()
            change = importance_pb2.RankChange(rank=1)
            yield importance_pb2.WatchResponse(top=[change]).SerializeToString()
            context.abort(self.code, "because")

        return grpc.unary_stream_rpc_method_handler(answer)


class WatchTest(unittest.TestCase):
    def watch(self, code, replies, retry):
        watched = Watched(code)
        server = grpc.server(ThreadPoolExecutor(4), [watched])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        self.addCleanup(lambda: server.stop(None).wait())
        with opic.Client(f"127.0.0.1:{port}", retry=retry) as client:
            watch = client.watch(3, ["http://a.test/"], every=0.5, least_change=0.2)
            return watched, [next(watch) for _ in range(replies)]

    def test_it_goes_on_when_the_node_is_back(self):
        watched, heard = self.watch(grpc.StatusCode.UNAVAILABLE, 4, 20.0)
        self.assertEqual([(reply.complete, reply.known) for reply in heard],
                         [(True, 1), (False, 0), (True, 2), (False, 0)])
        request = watched.asked[1]
        self.assertEqual((request.count, list(request.urls), request.period.ToMilliseconds(), request.least_change),
                         (3, ["http://a.test/"], 500, 0.2))

    def test_other_refusals_end_it(self):
        with self.assertRaises(opic.InvalidArgument):
            self.watch(grpc.StatusCode.INVALID_ARGUMENT, 3, 20.0)


class AskingTest(unittest.TestCase):
    def test_unavailable_is_tried_again(self):
        with playing(refusing(grpc.StatusCode.UNAVAILABLE, 2)) as (address, play), opic.Client(address) as client:
            self.assertEqual(list(client.status().missing_nodes), ["n0"])
            self.assertEqual(play.asked, 3)

    def test_unavailable_is_tried_as_long_as_asked_for(self):
        with playing(refusing(grpc.StatusCode.UNAVAILABLE)) as (address, play):
            with opic.Client(address, retry=0) as client, self.assertRaises(opic.Unavailable) as raised:
                client.status()
            self.assertEqual(play.asked, 1)
        self.assertEqual((raised.exception.code, raised.exception.call, raised.exception.node),
                         ("UNAVAILABLE", "Control.GetStatus", address))
        self.assertEqual(str(raised.exception), f"{address}: Control.GetStatus: UNAVAILABLE: because")

    def test_nothing_else_is_tried_again(self):
        for code in grpc.StatusCode:
            if code in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE):
                continue
            with self.subTest(code=code), playing(refusing(code)) as (address, play):
                with opic.Client(address, address) as client, self.assertRaises(opic.Error) as raised:
                    client.status()
                self.assertEqual((play.asked, raised.exception.code), (1, code.name))

    def test_a_deadline_ends_it(self):
        asked = threading.Event()

        def never(_method, _request, _context):
            asked.wait(60)
            return control_pb2.GetStatusResponse()

        with playing(never) as (address, _):
            begun = time.monotonic()
            with opic.Client(address, patience=0.2) as client, self.assertRaises(opic.DeadlineExceeded):
                client.status()
            self.assertLess(time.monotonic() - begun, 20)
            asked.set()

    def test_another_node_answers_in_place_of_one_that_is_away(self):
        with playing(refusing(grpc.StatusCode.UNAVAILABLE)) as (away, gone), \
                playing(refusing(grpc.StatusCode.UNAVAILABLE, 0)) as (there, _):
            with opic.Client(away, there, retry=0) as client:
                client.status()
                client.status()  # and is asked first from then on
            self.assertEqual(gone.asked, 1)

    def test_a_command_is_given_to_every_node(self):
        with playing(refusing(grpc.StatusCode.UNAVAILABLE)) as (away, _), \
                playing(lambda *_: control_pb2.PauseResponse()) as (there, play):
            with opic.Client(away, there, retry=0) as client, self.assertRaises(opic.NotEverywhere) as raised:
                client.control.pause()
            self.assertEqual(play.asked, 1)
        self.assertEqual((list(raised.exception.errors), list(raised.exception.replies)), ([away], [there]))

    def test_the_caller_says_who_it_is(self):
        with playing(refusing(grpc.StatusCode.UNAVAILABLE, 0)) as (address, play):
            with opic.Client(address, token="0123456789abcdef") as client:
                client.status()
        self.assertEqual(play.metadata["authorization"], "Bearer 0123456789abcdef")
        self.assertRegex(play.metadata["opic-user"], ".+@.+")

    def test_an_answer_without_a_node_is_an_error_that_has_it(self):
        script = lambda *_: importance_pb2.TopResponse(pages=[{"url": "u"}], missing_nodes=["n1"])
        with playing(script) as (address, _):
            with opic.Client(address) as client, self.assertRaises(opic.Partial) as raised:
                list(client.top())
            self.assertEqual((raised.exception.missing, raised.exception.reply.pages[0].url), (["n1"], "u"))
            with opic.Client(address, partial=True) as client:
                self.assertEqual([page.url for page in client.top()], ["u"])

    def test_many_urls_are_asked_for_in_parts(self):
        sizes = []

        def script(_method, request, _context):
            urls = importance_pb2.BatchGetRequest.FromString(request).urls
            sizes.append(len(urls))
            return importance_pb2.BatchGetResponse(pages=[{"url": url} for url in urls])

        with playing(script) as (address, _), opic.Client(address) as client:
            wanted = [f"http://a.test/{number}" for number in range(1_001)]
            self.assertEqual([page.url for page in client.importances(iter(wanted))], wanted)
        self.assertEqual(sizes, [500, 500, 1])

    def test_a_token_of_another_crawl_is_refused(self):
        script = lambda *_: export_pb2.ReadResponse(cut=1, head={"cluster_id": 8}, pages=[{"word": 5}], last=True)
        with playing(script) as (address, _), opic.Client(address) as client:
            export = client.export()
            self.assertEqual(next(export).word, 5)
            with self.assertRaisesRegex(opic.Error, "another crawl"):
                next(client.export(export.token.replace("8/", "9/", 1)))
            with self.assertRaisesRegex(opic.Error, "not the token"):
                client.export("nonsense")
            with self.assertRaisesRegex(opic.Error, "not one of"):
                client.export("8/1/5/n7")


class MakeWheelTest(unittest.TestCase):
    def run_it(self, *words, **environment):
        return subprocess.run([ROOT / "clients/python/make-wheel", *words], env={**os.environ, **environment},
                              capture_output=True, text=True, check=False)

    def test_help_is_no_error(self):
        for words, code in ((["--help"], 0), (["-h"], 0), (["--frob"], 2)):
            with self.subTest(words=words):
                said = self.run_it(*words)
                self.assertEqual(said.returncode, code)
                self.assertRegex(said.stderr if code else said.stdout, r"make-wheel \[FOLDER\]")

    # "invalid command 'bdist_wheel'", of setuptools.
    def test_a_module_that_the_interpreter_lacks_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            bare = Path(folder, "bare-python")
            bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')  # without packages
            bare.chmod(0o755)
            for module in ("setuptools", "wheel"):
                with self.subTest(module=module):
                    said = self.run_it(Path(folder, "out"), PYTHON=str(bare), PYTHONPATH=folder)
                    self.assertEqual(said.returncode, 1)
                    self.assertIn(f"{bare} lacks the module {module}: install python3-{module} and set "
                                  "PYTHON=/usr/bin/python3", said.stderr)
                    self.assertFalse(Path(folder, "out").exists())
                for package in ("setuptools", "setuptools/command"):
                    Path(folder, package).mkdir(exist_ok=True)
                    Path(folder, package, "__init__.py").touch()


class SettingsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name, "file")

    def test_what_is_no_file_of_a_cluster_is_named(self):
        for text in ("", "{}", "[]", '{"nodes": []}', '{"nodes": [{"name": "n0"}]}'):
            with self.subTest(text=text), self.assertRaisesRegex(opic.Error, re.escape(str(self.file))):
                self.file.write_text(text)
                read_cluster(self.file)
        with self.assertRaisesRegex(opic.Error, "nowhere: No such file"):
            opic.Client.from_cluster_file("nowhere")

    def test_the_best_token_is_taken(self):
        self.file.write_text("# of anna\nreader 0123456789abcdef\noperator fedcba9876543210 # hers\n"
                             "node 0123456789abcdee\n")
        self.assertEqual(read_token(self.file), "fedcba9876543210")

    def test_a_line_that_is_no_token_is_named(self):
        for line in ("reader", "reader short", "king 0123456789abcdef", "reader 0123456789abcdef more"):
            with self.subTest(line=line), self.assertRaisesRegex(opic.Error, "line 2"):
                self.file.write_text(f"reader 0123456789abcdef\n{line}\n")
                read_token(self.file)
        self.file.write_text("# nothing\n")
        with self.assertRaisesRegex(opic.Error, "no token"):
            read_token(self.file)

    def test_half_a_certificate_is_none(self):
        with self.assertRaisesRegex(opic.Error, "OPIC_TLS_CERT, OPIC_TLS_KEY must be set"):
            Environment.read({"OPIC_TLS_CA": "ca.pem"})
        self.assertIsNone(Environment.read({}).tls)

    def test_slips_are_named(self):
        with opic.Client("127.0.0.1:1") as client:
            with self.assertRaisesRegex(ValueError, "must be one of unread, fetched"):
                client.top(state="read")
            with self.assertRaisesRegex(ValueError, 'level "loud": must be one of info, warning, error, debug'):
                client.control.log_level("loud")
            with self.assertRaisesRegex(ValueError, "must be host, domain or group"):
                client.sites(by="page")
            with self.assertRaisesRegex(opic.Error, '"n7" is not one of the nodes'):
                client.node("n7")
        with self.assertRaises(opic.Error):
            opic.Client()


if __name__ == "__main__":
    unittest.main()
