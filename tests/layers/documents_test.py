"""That documents.py catches what it is for, shown on small repositories."""

import pathlib
import tempfile
import unittest

import documents

PROTO = """package opic.v1;
service Control {
  rpc Status(StatusRequest) returns (StatusResponse);
  rpc Pause(PauseRequest) returns (PauseResponse);
}
"""


class DocumentsTest(unittest.TestCase):
    def complaints(self, operations: str) -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "proto").mkdir()
            (root / "docs/operations.md").write_text(operations)
            (root / "proto/control.proto").write_text(PROTO)
            return documents.check(root)

    def test_a_whole_table_passes(self):
        self.assertEqual(self.complaints("| `opic.v1.Control` | Status (of a Node), Pause: Why |\n"), [])

    def test_a_missing_and_a_stale_call_are_caught(self):
        wrong = self.complaints("| `opic.v1.Control` | Status, Resume |\n")
        self.assertEqual([line.split(": ", 1)[1] for line in wrong],
                         ["opic.v1.Control has no rpc Resume", "opic.v1.Control lacks its rpc Pause"])

    def test_a_missing_service_is_caught(self):
        self.assertIn("no row of opic.v1.Control", self.complaints("")[0])

    def test_only_prose_has_a_width(self):
        row = "| `opic.v1.Control` | Status, Pause |\n"
        self.assertEqual(self.complaints(row + "| " + "x" * 130 + " |\n```\n" + "x" * 130 + "\n```\n# " + "x" * 130), [])
        self.assertIn("operations.md:2: more than 120", self.complaints(row + "é" * 121)[0])
        self.assertEqual(self.complaints(row + "é" * 120), [])


if __name__ == "__main__":
    unittest.main()
