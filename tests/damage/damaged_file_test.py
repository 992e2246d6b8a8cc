#!/usr/bin/env python3
"""The damages themselves: each changes what it says, and cuts at records end where records end."""
import random
import tempfile
import unittest
from pathlib import Path

import damaged_file


def record(payload):
    return bytes(4) + len(payload).to_bytes(2, "little") + b"\1" + payload


class DamagedFileTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "store").mkdir()

    def file(self, name, content):
        path = self.folder / "store" / name
        path.write_bytes(content)
        return path

    def test_records_end_where_they_end(self):
        data = record(b"abc") + record(b"") + record(bytes(100))
        self.assertEqual(damaged_file.record_ends(data), [10, 17, 124])

    def test_records_skip_the_rest_of_a_block(self):
        first = record(bytes(damaged_file.BLOCK - 7 - 3))  # three bytes are left, too few for a header
        self.assertEqual(damaged_file.record_ends(first + bytes(3) + record(b"a")),
                         [damaged_file.BLOCK - 3, damaged_file.BLOCK + 8])

    def test_a_cut_at_a_record_keeps_whole_records(self):
        data = b"".join(record(bytes([n]) * n) for n in range(1, 20))
        for seed in range(20):
            path = self.file("000001.log", data)
            self.assertIsNotNone(damaged_file.cut_at_record(path, random.Random(seed)))
            self.assertIn(len(path.read_bytes()), [0] + damaged_file.record_ends(data)[:-1])

    def test_every_damage_changes_the_folder(self):
        for seed in range(200):
            for number in (1, 2):
                self.file(f"{number:06}.sst", bytes(random.Random(number).randbytes(5000)))
            self.file("CURRENT", b"MANIFEST-000005\n")
            before = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
            damaged_file.damage(self.folder, random.Random(seed))
            after = {path: path.read_bytes() for path in self.folder.rglob("*") if path.is_file()}
            self.assertNotEqual(before, after)
            for path in after:
                path.unlink()
            (self.folder / "store").mkdir(exist_ok=True)

    def test_the_same_seed_does_the_same(self):
        said = []
        for _ in range(2):
            self.file("000001.sst", bytes(range(256)))
            said.append(damaged_file.damage(self.folder, random.Random("1-7")))
            for path in list(self.folder.rglob("*")):
                if path.is_file():
                    path.unlink()
            (self.folder / "store").mkdir(exist_ok=True)
        self.assertEqual(*said)


if __name__ == "__main__":
    unittest.main()
