// Seeds as people write them: on the command line, and a file of them, one a line.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace opic::cli {

// Why it is not an http or https URL, and what may have been meant; empty: it is one.
std::string WhyNoSeed(const std::string& typed);
// The same as a status, InvalidArgument, that names it.
absl::Status CheckSeed(const std::string& seed);

// How many of them have a user name or a password, which no URL that is crawled has.
uint64_t WithCredentials(const std::vector<std::string>& seeds);
// Says so on standard error, if there are any.
void TellOfCredentials(const std::vector<std::string>& seeds);

// What stands before a '#' at the beginning or after a space.
absl::string_view WithoutComment(absl::string_view line);

struct SeedFile {
  std::vector<std::string> seeds;
  std::vector<std::string> junk;  // a sentence for each of the first lines that are no URL
  uint64_t junk_lines = 0;        // all of them
  // Lines of an export's pages: those that had been visited; those out of its crawl's scope,
  // visited or not.
  uint64_t visited = 0, out_of_scope = 0;
};
inline constexpr size_t kJunkShown = 5;
inline constexpr size_t kSeedLineBytesMax = 64 << 10;

// What stands in `in`, for ParseSeeds; of a line no more than shows that it is too long.
// InvalidArgument: there are more than `bytes_max`.
absl::StatusOr<std::string> ReadSeedText(std::istream& in, uint64_t bytes_max);

// `text` of the file `name`: one URL a line. What follows a '#' at the beginning or after a space
// is a comment; blank lines, spaces around a URL, a byte order mark and the line ends of Windows
// are left out; a line above kSeedLineBytesMax is no URL. A line that begins with { is one of
// `opic export --pages --json`: of a page that is unread, its URL counts. InvalidArgument: it is
// not UTF-8 but UTF-16.
absl::StatusOr<SeedFile> ParseSeeds(std::string_view text, const std::string& name);

// The seeds in the file at `path`, or on standard input ("-"). Lines that are no URL are printed to
// standard error and left out; with `strict`, or when there is no other line, they are refused
// (InvalidArgument).
absl::StatusOr<std::vector<std::string>> ReadSeeds(const std::string& path, bool strict);

}  // namespace opic::cli
