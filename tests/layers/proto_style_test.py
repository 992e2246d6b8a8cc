"""That proto_style.py catches what it is for, shown on small contracts."""

import pathlib
import tempfile
import unittest

import proto_style

GOOD = """// What it is for.
syntax = "proto3";
package opic.v1;

import "opic/v1/other.proto";

// Pages.
service Pages {
  // One page.
  rpc Get(GetRequest) returns (stream GetResponse);
  // The same without changing anything.
  rpc Find(FindRequest) returns (FindResponse) { option idempotency_level = NO_SIDE_EFFECTS; }
}

message FindRequest {}
message FindResponse {}

message GetRequest {
  string url = 1;  // as typed
  // Several, which are
  // said above.
  repeated opic.v1.Other others = 2;
  map<string, uint64> by_name = 3;  // all
  reserved 4, 5;
}
message GetResponse {
  oneof message {
    uint64 id = 1;         // its number
    optional bool no = 2;  // or nothing
  }
}
message Nothing {}  // at all

// How it is.
enum PageState {
  PAGE_STATE_UNSPECIFIED = 0;  // any
  PAGE_STATE_READ = 1;         // read
}
"""


class ProtoStyleTest(unittest.TestCase):
    def complaints(self, text: str, name: str = "opic/v1/pages.proto") -> list[str]:
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "proto" / name
            path.parent.mkdir(parents=True)
            path.write_text(text)
            return proto_style.check(pathlib.Path(folder))

    def expect(self, before: str, after: str, wrong: str):
        """`after` in the place of `before` is refused, with one line that says so."""
        self.assertIn(before, GOOD)
        lines = self.complaints(GOOD.replace(before, after, 1))
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(wrong, lines[0])

    def test_a_good_contract_passes(self):
        self.assertEqual(self.complaints(GOOD), [])

    def test_a_line_says_where(self):
        self.assertEqual(self.complaints(GOOD.replace("  // as typed", "")),
                         ["proto/opic/v1/pages.proto:19: url has no comment"])

    def test_files(self):
        self.expect('syntax = "proto3";', 'syntax = "proto2";', "there is no syntax")
        self.expect("package opic.v1;", "package opic.v2;", "is not that of its folder")
        self.expect("package opic.v1;", "", "there is no package")
        self.assertIn("is not lower_snake_case", self.complaints(GOOD, "opic/v1/Pages.proto")[0])
        unversioned = GOOD.replace("package opic.v1;", "package opic;")
        self.assertIn("a version at the end", self.complaints(unversioned, "opic/pages.proto")[0])

    def test_names(self):
        for style, renamed in (
                ("PascalCase", (("service Pages", "service pages_"), ("rpc Get(", "rpc get("),
                                ("message Nothing", "message no_thing"))),
                ("lower_snake_case", (("string url", "string Url"), ("oneof message", "oneof Message"),
                                      ("by_name", "byName")))):
            for before, after in renamed:
                self.expect(before, after, f"is not {style}")
        self.expect("PAGE_STATE_READ", "READ", "does not begin with PAGE_STATE_")
        self.expect("PAGE_STATE_UNSPECIFIED", "PAGE_STATE_ANY", "is not PAGE_STATE_UNSPECIFIED")

    def test_comments(self):
        for comment, whose in (("// Pages.\n", "service Pages"), ("  // One page.\n", "rpc Get"),
                               ("  // at all", "message Nothing"), ("// How it is.\n", "enum PageState"),
                               ("  // any", "PAGE_STATE_UNSPECIFIED"), ("         // its number", "id"),
                               ("  // all", "by_name")):
            self.expect(comment, "", f"{whose} has no comment")
        self.expect("  // said above.\n", "  // said above.\n\n", "others has no comment")

    def test_what_continues_the_line_above_is_no_comment_of_the_next_field(self):
        self.expect("  // Several, which are\n  // said above.\n", "                   // by a person\n",
                    "others has no comment")

    def test_requests_and_responses_are_said_with_their_call(self):
        self.expect("message Nothing {}  // at all", "message Nothing {}", "message Nothing has no comment")

    def test_times_are_no_numbers(self):
        for field in ("int64 delay_us", "optional int64 since", "uint64 fetched_at", "int64 next_due", "int32 wait_s"):
            self.expect("string url = 1;", field + " = 1;", "is a number: use google.protobuf.Timestamp or Duration")
            deprecated = GOOD.replace("string url = 1;", field + " = 1 [deprecated = true];")
            self.assertEqual(self.complaints(deprecated), [])
            self.assertEqual(self.complaints(GOOD.replace("string url", field), "opic/v1/session.proto"), [])
        for field in ("uint64 due", "double pages_per_s", "google.protobuf.Timestamp since", "int64 status"):
            self.assertEqual(self.complaints(GOOD.replace("string url", field)), [])

    def test_fields_that_a_header_explains_need_no_comment(self):
        bare = GOOD.replace("  // as typed", "").replace("         // its number", "")
        self.assertEqual(self.complaints(bare, "opic/v1/peer.proto"), [])

    def test_messages_are_named_after_their_call(self):
        for before, after in (("GetRequest", "Query"), ("GetResponse", "GetReply"), ("FindResponse", "FoundResponse")):
            lines = self.complaints(GOOD.replace(before, after))
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(f"{after} of rpc", lines[0])
        self.assertEqual(self.complaints(GOOD.replace("FindRe", "PagesFindRe")), [])
        both = "service Peers {\n  // All.\n  rpc Channel(stream Nothing) returns (stream Nothing);\n}\n"
        self.assertEqual(self.complaints(GOOD + "// Peers.\n" + both), [])

    def test_a_message_has_one_call(self):
        twice = "  // One page.\n  rpc Get(GetRequest) returns (stream GetResponse);\n"
        lines = self.complaints(GOOD.replace(twice, twice + twice))
        self.assertEqual([line.partition(": ")[2] for line in lines],
                         ["GetRequest is a message of Pages.Get, too", "GetResponse is a message of Pages.Get, too"])

    def test_also_of_another_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("pages", "sheets"):
                path = pathlib.Path(folder) / "proto/opic/v1" / f"{name}.proto"
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(GOOD)
            self.assertIn("proto/opic/v1/sheets.proto:10: GetRequest is a message of Pages.Get, too",
                          proto_style.check(pathlib.Path(folder)))

    def test_what_it_cannot_read_is_refused(self):
        self.expect("  string url = 1;", "  string url = 1; string path = 2;", "one statement a line")
        self.assertIn("is not closed", self.complaints(GOOD.rstrip()[:-1])[0])

    def test_contracts_of_others_are_theirs(self):
        self.assertEqual(self.complaints("service health {}", "grpc/health/v1/health.proto"), [])


if __name__ == "__main__":
    unittest.main()
