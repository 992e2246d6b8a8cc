// Drives a fuzzer that is not built with libFuzzer:
//
//     url_fuzz [--mutation N] [CORPUS_FOLDER...]
//
// runs every file of the folders, then seeded mutations of them, each in a heap buffer of its exact
// size so that AddressSanitizer sees a read past the end. A crash names the mutation; given its
// number, that one alone is run. Stops after 20,000 mutations or five seconds.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace {

using SteadyClock = std::chrono::steady_clock;
using Bytes = std::vector<uint8_t>;

constexpr uint64_t kMutations = 20'000;
constexpr auto kPatience = std::chrono::seconds(5);
constexpr size_t kBytesMax = size_t{1} << 20;  // of one input

char running[512] = "nothing";  // what a crash is to be blamed on

void Blame() { std::fprintf(stderr, "replay: crashed in %s\n", running); }

void BlameOnAbort(int) {
  Blame();
  std::signal(SIGABRT, SIG_DFL);
  std::abort();
}

void Run(const Bytes& input) {
  // A vector may own more than its size; an array of the exact size does not.
  uint8_t* exact = new uint8_t[input.size()];
  std::copy(input.begin(), input.end(), exact);
  LLVMFuzzerTestOneInput(exact, input.size());
  delete[] exact;
}

std::vector<std::filesystem::path> FilesOf(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());  // the same order, so the same mutations, everywhere
  return files;
}

Bytes ContentOf(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Bytes content{std::istreambuf_iterator<char>(stream), {}};
  if (content.size() > kBytesMax) content.resize(kBytesMax);
  return content;
}

Bytes RandomBytes(opic::base::Rng& rng) {
  Bytes bytes(rng.Below(256));
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng());
  return bytes;
}

// One random edit of `input`; `other` gives material for a splice.
void Edit(Bytes& input, const Bytes& other, opic::base::Rng& rng) {
  static constexpr uint8_t kTelling[] = {0,   1,   '\t', '\n', ' ', '"', '#', '%',  '&',  '/',
                                         ':', '<', '>',  '?',  '@', '[', ']', 0x7f, 0x80, 0xff};
  const size_t at = rng.Below(input.size() + 1);
  const size_t left = input.size() - at;
  const size_t size = rng.Below(std::min<size_t>(left, 64) + 1);
  const Bytes part(input.begin() + at, input.begin() + at + size);
  switch (rng.Below(6)) {
    case 0:
      if (left > 0) input[at] ^= static_cast<uint8_t>(1 << rng.Below(8));
      break;
    case 1:
      input.insert(input.begin() + at, kTelling[rng.Below(sizeof kTelling)]);
      break;
    case 2:
      input.erase(input.begin() + at, input.begin() + at + size);
      break;
    case 3:
      input.insert(input.begin() + at, part.begin(), part.end());
      break;
    case 4:
      input.resize(at);
      break;
    default: {
      const size_t from = rng.Below(other.size() + 1);
      const size_t taken = rng.Below(std::min<size_t>(other.size() - from, 64) + 1);
      input.insert(input.begin() + at, other.begin() + from, other.begin() + from + taken);
    }
  }
}

// Each mutation has its own generator, so that any of them can be run alone.
Bytes Mutation(uint64_t number, const std::vector<Bytes>& corpus) {
  opic::base::Rng rng(opic::base::Mix64(number));
  if (corpus.empty() || rng.Below(16) == 0) return RandomBytes(rng);
  Bytes input = corpus[rng.Below(corpus.size())];
  const Bytes& other = corpus[rng.Below(corpus.size())];
  for (uint64_t edits = 1 + rng.Below(6); edits > 0; --edits) Edit(input, other, rng);
  if (input.size() > kBytesMax) input.resize(kBytesMax);
  return input;
}

void RunCorpus(const std::filesystem::path& folder, std::vector<Bytes>& corpus) {
  for (const auto& file : FilesOf(folder)) {
    std::snprintf(running, sizeof running, "%s", file.c_str());
    corpus.push_back(ContentOf(file));
    Run(corpus.back());
  }
}

void RunMutation(uint64_t number, const std::vector<Bytes>& corpus) {
  std::snprintf(running, sizeof running, "mutation %llu", static_cast<unsigned long long>(number));
  Run(Mutation(number, corpus));
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGABRT, BlameOnAbort);
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(Blame);
  const auto start = SteadyClock::now();
  std::optional<uint64_t> only;
  std::vector<Bytes> corpus;
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) == "--mutation" && i + 1 < argc) {
      only = std::strtoull(argv[++i], nullptr, 10);
    } else {
      RunCorpus(argv[i], corpus);
    }
  }
  if (only) {
    RunMutation(*only, corpus);
    return 0;
  }
  uint64_t mutations = 0;
  while (mutations < kMutations && SteadyClock::now() - start < kPatience) {
    RunMutation(mutations++, corpus);
  }
  std::printf("replay: %zu corpus files, %llu mutations\n", corpus.size(),
              static_cast<unsigned long long>(mutations));
  return 0;
}
