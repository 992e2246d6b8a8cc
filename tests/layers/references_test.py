"""That references.py catches what it is for, shown on small repositories."""

import pathlib
import tempfile
import unittest

import references

DESIGN = """# Design

## 1. Processes

## 5. Ledger

* **R1** A batch is sent only after its write is synced.
"""


class ReferencesTest(unittest.TestCase):
    def complaints(self, files: dict[str, str]) -> list[str]:
        """What is wrong with a repository of these files, beside docs/design.md."""
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for path, text in {"docs/design.md": DESIGN, **files}.items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(text)
            return references.check(root)

    def assertOneComplaint(self, complaints: list[str], expected: str):
        self.assertEqual(len(complaints), 1, complaints)
        self.assertIn(expected, complaints[0])

    def test_sections_and_rules_that_exist_pass(self):
        files = {
            "src/a/a.h": "// The ledger (docs/design.md sections 1 and 5), rule R1 of it.\n#include <vector>\n",
            "docs/other.md": "See [design](design.md), section 5 and `src/a/a.h`; (R1). RFC 9309 section 2.\n",
        }
        self.assertEqual(self.complaints(files), [])

    def test_missing_document_is_caught_with_file_and_line(self):
        found = self.complaints({"src/a/a.h": "#pragma once\n// See docs/notes.md.\n"})
        self.assertOneComplaint(found, "src/a/a.h:2: docs/notes.md does not exist")

    def test_missing_section_is_caught(self):
        self.assertOneComplaint(self.complaints({"src/a/a.h": "// docs/design.md section 7\n"}), "has no section 7")

    def test_one_missing_section_of_several_is_caught(self):
        found = self.complaints({"src/a/a.h": "// docs/design.md sections 1 and 9\n"})
        self.assertOneComplaint(found, "has no section 9")

    def test_citation_wrapped_over_two_comment_lines_is_caught(self):
        found = self.complaints({"src/a/a.h": "// Long (docs/design.md section\n// 7).\n"})
        self.assertOneComplaint(found, "src/a/a.h:1: docs/design.md has no section 7")

    def test_document_named_in_capitals_is_caught(self):
        found = self.complaints({"src/a/a.cc": "// The ledger (NOTES section 5).\n"})
        self.assertOneComplaint(found, '"NOTES section 5" names no document')

    def test_undefined_rule_is_caught(self):
        self.assertOneComplaint(self.complaints({"src/a/a.cc": "// By rule R9.\n"}), "rule R9 is not defined")

    def test_dead_link_is_caught(self):
        found = self.complaints({"docs/other.md": "[there](formats/none.md#here)\n"})
        self.assertOneComplaint(found, "docs/other.md:1: formats/none.md does not exist")

    def test_section_of_a_link_is_checked(self):
        found = self.complaints({"docs/other.md": "[design](design.md),\nsection 2\n"})
        self.assertOneComplaint(found, "design.md has no section 2")

    def test_missing_source_in_a_document_is_caught(self):
        self.assertOneComplaint(self.complaints({"README.md": "`src/a/b.h`\n"}), "src/a/b.h does not exist")

    def test_missing_header_in_a_comment_is_caught(self):
        found = self.complaints({"src/a/a.cc": "int a;  // as a/b.h says\n"})
        self.assertOneComplaint(found, "src/a/a.cc:1: a/b.h does not exist")

    def test_header_of_another_folder_without_its_name_is_caught(self):
        files = {"src/a/a.cc": "// As a.h and b.h say (b/b.h), and <c.h>.\n", "src/a/a.h": "", "src/b/b.h": ""}
        self.assertOneComplaint(self.complaints(files), "src/a/a.cc:1: b.h is not in its folder")


if __name__ == "__main__":
    unittest.main()
