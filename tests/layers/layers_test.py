"""That layers.py catches what it is for, shown on small repositories."""

import pathlib
import tempfile
import unittest

import layers

LAYERS = """
0 base  :             | spdlog
1 url   : base
2 fetch : base url    | curl
3 rpc   : base url fetch | grpcpp opic
"""


class LayersTest(unittest.TestCase):
    def complaints(self, files: dict[str, str], table: str = LAYERS) -> list[str]:
        """What is wrong with a repository of these sources, beside an empty one of each module."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "cmake").mkdir()
            (root / "cmake/layers.txt").write_text(table)
            for name in ("base", "url", "fetch", "rpc"):
                (root / "src" / name).mkdir(parents=True)
            for path, text in files.items():
                (root / "src" / path).parent.mkdir(exist_ok=True)
                (root / "src" / path).write_text(text)
            return layers.check(root)

    def test_permission_that_nobody_uses_is_caught(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {
                "cmake/layers.txt": "0 base : | spdlog\n1 url : base\n2 rpc : base url | grpcpp\n",
                "src/base/log.cc": "#include <spdlog/spdlog.h>\n",
                "src/url/url.h": '#include "base/log.h"\n',
                "src/rpc/wire.h": '#include "url/url.h"\n#include <grpcpp/grpcpp.h>\n',
            }.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            self.assertEqual(layers.unused(root), ["layers.txt: rpc may know base, and does not"])

    def test_what_cmake_links_is_what_is_included(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {
                "cmake/layers.txt": "0 base :\n1 url : base\n2 fetch : base url\n",
                "src/base/CMakeLists.txt": "opic_module(NAME base LIBS fmt::fmt)\n",
                "src/url/CMakeLists.txt": "opic_module(NAME url DEPS base generated\n            LIBS ICU::uc)\n",
                "src/fetch/CMakeLists.txt": "opic_module(NAME fetch\n            DEPS url)\n",
            }.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            self.assertEqual(layers.linked(root), ["src/fetch/CMakeLists.txt: DEPS lacks base"])
            (root / "src/base/CMakeLists.txt").write_text("opic_module(NAME base DEPS url)\n")
            self.assertIn("src/base/CMakeLists.txt: DEPS has url, which it does not include", layers.linked(root))

    def test_the_log_knows_all_modules(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {
                "cmake/layers.txt": "0 base :\n1 url : base\n2 fetch : base url\n",
                "src/base/log_levels.h": 'constexpr std::string_view kModules[] = {\n    "base", "fetch", "old"};\n',
            }.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            self.assertEqual(layers.logged(root), ["src/base/log_levels.h: kModules lacks url",
                                                   "src/base/log_levels.h: kModules has old, which is no module"])

    def assertOneComplaint(self, complaints: list[str], expected: str):
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn(expected, complaints[0])

    def test_allowed_includes_pass(self):
        files = {
            "base/log.cc": '#include "base/log.h"\n#include <spdlog/spdlog.h>\n#include <vector>\n',
            "fetch/loop.cc": '#include "url/url.h"\n#include <curl/curl.h>\n#include <sys/epoll.h>\n',
            "rpc/wire.cc": '#include "fetch/loop.h"\n#include "opic/v1/audit.pb.h"\n#include "absl/time/time.h"\n',
        }
        self.assertEqual(self.complaints(files), [])

    def test_upward_include_is_caught_with_file_and_line(self):
        found = self.complaints({"url/url.cc": '#include "base/log.h"\n#include "fetch/loop.h"\n'})
        self.assertOneComplaint(found, "src/url/url.cc:2: url may not know fetch")

    def test_odd_spelling_of_a_forbidden_include_is_caught(self):
        self.assertOneComplaint(self.complaints({"url/a.h": '  #  include  "rpc/wire.h"\n'}), "may not know rpc")

    def test_library_outside_its_module_is_caught(self):
        found = self.complaints({"url/url.h": "#include <curl/curl.h>\n"})
        self.assertOneComplaint(found, "<curl/curl.h> belongs to fetch")

    def test_library_that_nobody_names_is_caught(self):
        found = self.complaints({"base/log.cc": "#include <boost/asio.hpp>\n"})
        self.assertOneComplaint(found, "<boost/asio.hpp> is of no library")

    def test_generated_code_is_a_library_too(self):
        found = self.complaints({"fetch/loop.cc": '#include "opic/v1/audit.pb.h"\n'})
        self.assertOneComplaint(found, "belongs to rpc")

    def test_include_beside_the_file_is_caught(self):
        self.assertOneComplaint(self.complaints({"base/a.cc": '#include "a.h"\n'}), "not written from src/")

    def test_module_missing_from_the_table_is_caught(self):
        found = self.complaints({"robots/robots.h": "#pragma once\n"})
        self.assertOneComplaint(found, "src/robots: not in layers.txt")

    def test_module_without_a_folder_is_caught(self):
        self.assertOneComplaint(self.complaints({}, LAYERS + "4 cli : base\n"), "no folder src/cli")

    def test_table_with_an_arrow_up_is_caught(self):
        table = LAYERS.replace("1 url   : base", "1 url   : base fetch")
        self.assertOneComplaint(self.complaints({}, table), "url may not know fetch")

    def test_circle_of_units_is_caught(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "src"
            (source / "url").mkdir(parents=True)
            (source / "url/url.h").write_text("#pragma once\n")
            (source / "url/url.cc").write_text('#include "url/url.h"\n#include "url/host.h"\n')
            (source / "url/host.h").write_text("#pragma once\n")
            (source / "url/host.cc").write_text('#include "url/idna.h"\n')
            (source / "url/idna.h").write_text("#include <string>\n")
            self.assertEqual(layers.circles(source.parent), [])
            (source / "url/idna.cc").write_text('#include "url/url.h"\n')
            self.assertOneComplaint(layers.circles(source.parent),
                                    "in a circle: url/host -> url/idna -> url/url -> url/host")

    def test_unreadable_line_of_the_table_is_caught(self):
        found = self.complaints({}, LAYERS + "rpc knows all\n")
        self.assertOneComplaint(found, "not `layer module : modules | libraries`")


if __name__ == "__main__":
    unittest.main()
