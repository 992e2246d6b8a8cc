"""That isolation.py catches what it is for, shown on pieces of tests."""

import pathlib
import tempfile
import unittest

import isolation


class IsolationTest(unittest.TestCase):
    def complaints(self, text: str, name: str = "tests/cli/a_test.cc") -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / name
            file.parent.mkdir(parents=True)
            file.write_text(text)
            return isolation.check(pathlib.Path(folder))

    def assert_caught(self, text: str, what: str, name: str = "tests/cli/a_test.cc"):
        found = self.complaints(text, name)
        self.assertEqual(len(found), 1, f"{text}: {found}")
        self.assertIn(what, found[0])

    def test_a_path_of_all_tests_is_caught(self):
        for text in ('const std::string path_ = testing::TempDir() + "/opic_auth_file";',
                     'constexpr char kPath[] = "/tmp/opic_auth_file";',
                     'auto path = absl::StrCat(testing::TempDir(), "/seeds");',
                     'auto path = std::filesystem::temp_directory_path() / "seeds";',
                     'const std::string parent = testing::TempDir();\nUse(parent + "/seeds");',
                     'std::string Parent() {\n  return testing::TempDir();\n}\nauto p = Parent() + "/seeds";',
                     'Other(getpid());\nauto path = testing::TempDir() + "/seeds";\nOther(getpid());'):
            self.assert_caught(text, "below the temporary folder")
        for text in ('path = "/tmp/seeds"\n', 'path = tempfile.gettempdir() + "/seeds"\n', "opic export > /tmp/links\n"):
            self.assert_caught(text, "tests/cli/a.py:1", "tests/cli/a.py")

    def test_the_line_is_told_behind_comments(self):
        self.assert_caught('// "/tmp/a"\n/* two\nlines */\nauto path = testing::TempDir() + "/b";', "a_test.cc:4: ")

    def test_a_path_of_its_own_passes(self):
        for text in ('auto path = testing::TempDir() + "/a-" + std::to_string(getpid());',
                     'auto path = testing::TempDir() + "/a-" +\n    Instance()->current_test_info()->name();',
                     'auto path = support::OwnPath("a");',
                     'std::string folder = temp_directory_path() / "opic-XXXXXX";',
                     'const std::string parent = testing::TempDir();\nUse(parent + "/a" + std::to_string(getpid()));',
                     'SliceFile::Create(testing::TempDir(), traffic_);',
                     '// ledger_bench --folder=/tmp/a\nstd::string folder = "/tmp";'):
            self.assertEqual(self.complaints(text), [], text)
        for text in ("with tempfile.TemporaryDirectory() as folder:\n", 'run(f"mkdir {root}/tmp/a")  # not /tmp/a\n',
                     '"""Writes /tmp/a"""\n', "folder=$(mktemp -d /tmp/opic-XXXXXX)\n"):
            self.assertEqual(self.complaints(text, "tests/cli/a.py"), [], text)

    def test_a_fixed_port_is_caught(self):
        for text in ('Process p({Program("opic"), "crawl", "--listen", "127.0.0.1:7070"});',
                     'Start({"--http", "9464"});', 'auto server = Server::Start("[::]:8080", services);',
                     'options.listen = "localhost:9090";', 'Start({"--listen-questions",\n       "0.0.0.0:7073"});'):
            self.assert_caught(text, "port 0")
        for text in ('Start({"--listen", "127.0.0.1:0", "--http", "0"});', 'Refused({"--http", "a.example:1"});',
                     'EXPECT_EQ(ParseAddress("127.0.0.1:9464"), "");', 'options.listen = (*process)->address();'):
            self.assertEqual(self.complaints(text), [], text)

    def test_a_program_on_its_default_port_is_caught(self):
        for text in ('Process s({Program("opic-scheduler"), "--data", data}, {.output = "--listen"});',
                     'RunProgram("opic-node", {"--data", data});\nRunProgram("opic", {"--listen"});'):
            self.assert_caught(text, "default port")
        self.assert_caught('node = Served(folder, "opic-node", "--data", "node")\n', "default port", "tests/cli/a.py")
        for text in ('Process s({Program("opic-scheduler"), "--data", data, "--listen", listen}, options);',
                     'RunProgram("opic-node", {"--cluster", file, "--node", node});',
                     'RunProgram("opic-node", {"--http", "x", "--check-config"});', 'Exists(Program("opic-node"));'):
            self.assertEqual(self.complaints(text), [], text)


if __name__ == "__main__":
    unittest.main()
