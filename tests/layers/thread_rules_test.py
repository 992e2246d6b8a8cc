"""That thread_rules.py catches what it is for, shown on small headers."""

import pathlib
import tempfile
import unittest

import thread_rules


class ThreadRulesTest(unittest.TestCase):
    def complaints(self, text: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "src/a/a.h"
            file.parent.mkdir(parents=True)
            file.write_text(text)
            return thread_rules.check(pathlib.Path(folder))

    def test_a_class_without_a_rule_is_caught_with_its_line(self):
        for text in ("// A.\nclass A {\n};\n", "// A.\nclass A final : public B {\n};\n",
                     "// A.\nclass A\n    : public B {\n};\n", "class B;\nclass A {\n  std::thread thread_;\n};\n",
                     "// A.\nclass A {\n  // REQUIRES: the ledger's thread.\n  void B();\n};\n"):
            found = self.complaints(text)
            self.assertEqual(len(found), 1, text)
            self.assertIn("src/a/a.h:2: ", found[0])
            self.assertIn(" A", found[0])

    def test_a_rule_passes_wherever_it_stands(self):
        for text in ("// A.\n//\n// Thread safety: pure.\nclass A {\n};\n",
                     "class B;\n// Thread safety: synchronised inside.\nclass A {\n};\n"):
            self.assertEqual(self.complaints(text), [], text)

    def test_a_class_that_is_only_declared_passes(self):
        self.assertEqual(self.complaints("namespace CLI {\nclass App;\n}\nstruct A {\n  int b;\n};\n"), [])


if __name__ == "__main__":
    unittest.main()
