#!/usr/bin/env python3
"""Every file that is installed is where it should be, and what names another one names it there."""
import re
import tempfile
import unittest
from pathlib import Path

import installed
from installed import BUILD, ROOT

EXAMPLES = {"alerts.yml", "crawl.conf", "grafana.json", "importance_get.py", "local-cluster", "node.conf",
            "scheduler.conf"}
BENCH = {"published", "crawlers.py", "parts.py", "processes.py", "scrapy_spider.py"}  # what `opic bench` runs
UNITS = ("opic-node@.service", "opic-scheduler@.service")


def expected():
    files = {"etc/opic/node.conf", "etc/opic/scheduler.conf", "usr/lib/sysusers.d/opic.conf"}
    files |= {f"usr/lib/systemd/system/{unit}" for unit in UNITS}
    files |= {f"usr/share/doc/opic/{name}" for name in ("LICENSE", "changelog.gz", "copyright", "operations.md")}
    files |= {f"usr/share/doc/opic/examples/{name}" for name in EXAMPLES}
    files |= {f"usr/libexec/opic/{name}" for name in BENCH}
    for program, section in installed.PROGRAMS.items():
        files |= {f"usr/bin/{program}", f"usr/share/man/man{section}/{program}.{section}.gz",
                  f"usr/share/bash-completion/completions/{program}", f"usr/share/zsh/vendor-completions/_{program}",
                  f"usr/share/fish/vendor_completions.d/{program}.fish"}
    files |= {f"usr/share/man/man1/opic-{command}.1.gz" for command in installed.commands_of("opic")}
    return files


class FilesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = installed.Tree()
        cls.addClassCleanup(cls.tree.close)

    def test_all_are_there_and_no_others(self):
        found = {str(path.relative_to(self.tree.root)) for path in self.tree.root.rglob("*") if not path.is_dir()}
        self.assertEqual(found, expected())

    def test_only_programs_may_be_run(self):
        for path in self.tree.root.rglob("*"):
            with self.subTest(path=path):
                runs = path.is_dir() or path.parent.name == "bin" or path.name in ("local-cluster", "published")
                self.assertEqual(path.stat().st_mode & 0o777, 0o755 if runs else 0o644)

    def test_units_name_installed_paths(self):
        for unit in UNITS:
            text = (self.tree.usr / "lib/systemd/system" / unit).read_text()
            (program, settings), = re.findall(r"^ExecStart=(/\S+) --config (/\S+)$", text, re.M)
            for path in (program, settings):
                self.assertTrue((self.tree.root / path[1:]).is_file(), path)
            self.assertNotIn("/usr/local", text)

    def test_settings_samples_are_those_of_the_sources(self):
        for name in ("node.conf", "scheduler.conf"):
            wanted = (ROOT / "deploy" / name).read_text()
            self.assertEqual((self.tree.root / "etc/opic" / name).read_text(), wanted)


# Those parts alone: the programs are large.
class ServicesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)

    def install(self, prefix):
        return installed.cmake(f"-DCMAKE_INSTALL_PREFIX={prefix}", "-P", BUILD / "install_services.cmake",
                               root=self.root)

    def unit(self, prefix):
        return (self.root / prefix[1:] / "lib/systemd/system/opic-node@.service").read_text()

    def test_usr_local_takes_the_units_as_they_are(self):
        self.install("/usr/local")
        self.assertEqual(self.unit("/usr/local"), (ROOT / "deploy/systemd/opic-node@.service").read_text())
        self.assertTrue((self.root / "etc/opic/node.conf").is_file())

    def test_elsewhere_the_settings_are_below_the_prefix(self):
        self.install("/opt/opic")
        self.assertIn("\nExecStart=/opt/opic/bin/opic-node --config /opt/opic/etc/opic/node.conf\n",
                      self.unit("/opt/opic"))
        self.assertIn("\nLoadCredential=ca.pem:/opt/opic/etc/opic/tls/ca.pem\n", self.unit("/opt/opic"))
        self.assertTrue((self.root / "opt/opic/etc/opic/node.conf").is_file())
        self.assertFalse((self.root / "etc").exists())

    def test_settings_that_are_there_are_kept(self):
        self.install("/usr")
        settings = self.root / "etc/opic/node.conf"
        settings.write_text("contact = me@example.org\n")
        self.assertIn(f"Kept: {settings}", self.install("/usr"))
        self.assertEqual(settings.read_text(), "contact = me@example.org\n")


class VersionTest(unittest.TestCase):
    def test_all_three_tell_the_same(self):
        said = {installed.run(program, "--version").removeprefix(program) for program in installed.PROGRAMS}
        self.assertEqual(len(said), 1, said)
        form = r"^ \d+\.\d+\.\d+, commit \S+, format \d+ \(opens folders of formats \d+ to \d+\), between nodes \d+\n$"
        self.assertRegex(said.pop(), form)

    def test_the_table_of_codes_is_the_helps(self):
        codes = re.findall(r"^ +(\d+)  \S", installed.help_of("opic").partition("\nExit codes:\n")[2], re.M)
        self.assertIn("130", codes)
        self.assertEqual(re.findall(r"^\| (\d+) \|", (ROOT / "README.md").read_text(), re.M), codes)


if __name__ == "__main__":
    unittest.main()
