// Why a page has failed, as it is counted, kept with the page and shown to people.
//
// Where a history row has no HTTP status it has the number of a failure instead: they are below
// 100, and no status is (docs/formats/store.md).
//
// Thread safety: pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "desk/counters.h"
#include "fetch/fetcher.h"

namespace opic::desk {

// The numbers are on disk.
enum class Failure : uint8_t {
  kNone = 0,
  kDns = 1,        // the host has no address, or no name server answers
  kConnect = 2,    // refused, or no way there
  kTls = 3,        // a certificate that is not trusted, or no common protocol
  kTimeout = 4,    // too late, or too slow
  kBadAnswer = 5,  // not HTTP; of rows of earlier releases: any broken answer
  kAddress = 6,    // an address that this crawl does not ask (fetch::Options::allow_private)
  kServer = 7,     // an HTTP status that asks to come back later: 429, 5xx
  kGivenUp = 8,    // the host had failed too often before
  kOther = 9,
  kBlocked = 10,   // of a robots.txt: it leads to a host that an operator has blocked
  kNoAnswer = 11,  // the connection was closed without a byte
  kCut = 12,
  kReset = 13,
  kBadHeader = 14,
  kHeaderTooLarge = 15,
  kBadChunks = 16,
  kBadEncoding = 17,  // a body that cannot be unpacked
};
inline constexpr int kFailures = 18;

struct PageFailure {
  Failure cause = Failure::kNone;
  bool of_robots = false;  // it was its robots.txt that could not be read
};

// kNone: it is an answer.
Failure FailureOf(const fetch::Response& response);
// REQUIRES: not kNone.
Counter CounterOf(Failure failure);

// As a history row keeps it; 0: no failure.
uint16_t RowStatusOf(PageFailure failure);
// Nothing (kNone) for an HTTP status, and for numbers of a later release.
PageFailure FailureInRow(int status);

// "its host has no address (DNS)"; empty for kNone.
std::string Describe(PageFailure failure);
// For a list of counts: "no address (DNS)".
std::string_view ShortName(Failure failure);

}  // namespace opic::desk
