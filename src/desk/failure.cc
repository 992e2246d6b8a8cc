#include "desk/failure.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace opic::desk {
namespace {

constexpr int kOfRobots = 50;  // is added to the number

bool AsksToComeBack(int status) {
  return status == 408 || status == 425 || status == 429 || status >= 500;
}

std::string_view WhatHappened(Failure failure) {
  switch (failure) {
    case Failure::kNone:
      return "";
    case Failure::kDns:
      return "its host has no address: the name is wrong, or no name server answers";
    case Failure::kConnect:
      return "its host refused the connection, or is unreachable";
    case Failure::kTls:
      return "TLS failed: the certificate of its host is not trusted (--ca-file names others), has "
             "expired or is for another name";
    case Failure::kTimeout:
      return "its host answered too late or too slowly (--timeout, --connect-timeout)";
    case Failure::kBadAnswer:
      return "its host's answer cannot be read: it is no HTTP, as when another protocol has the "
             "port, "
             "or it is broken in another way";
    case Failure::kAddress:
      return "its host resolves to an address this crawl may not contact: without --contact only "
             "loopback is asked; with it, loopback and private ones need --allow-private";
    case Failure::kServer:
      return "its host answered with an error, or asked to come back later (HTTP 429, 5xx)";
    case Failure::kGivenUp:
      return "its host had not answered six times in a row and is left alone for a day";
    case Failure::kOther:
      return "the request failed; fetches.jsonl has the details";
    case Failure::kBlocked:
      return "it redirects to a host that an operator has blocked (`opic control show`)";
    case Failure::kNoAnswer:
      return "its host closed the connection without an answer, as those do that are overloaded or "
             "refuse a crawler: a longer --delay may help";
    case Failure::kCut:
      return "its host's answer was cut: the connection was closed before all of it had come";
    case Failure::kReset:
      return "its host reset the connection before the answer was whole, as those do that are "
             "overloaded or refuse a crawler: a longer --delay may help";
    case Failure::kBadHeader:
      return "the header of its host's answer has a line that is no field (with a zero byte; "
             "behind "
             "an HTTP proxy without a colon, too), or a wrong Content-Length: only its site can "
             "mend that";
    case Failure::kHeaderTooLarge:
      return "the header of its host's answer is larger than 64 KiB, or does not end: only its "
             "site "
             "can mend that";
    case Failure::kBadChunks:
      return "the body of its host's answer is not chunked as its header says (Transfer-Encoding): "
             "only its site can mend that";
    case Failure::kBadEncoding:
      return "the body of its host's answer is not packed as its header says, or not whole "
             "(Content-Encoding, Transfer-Encoding): only its site can mend that";
  }
  return "";
}

}  // namespace

Failure FailureOf(const fetch::Response& response) {
  using fetch::Error;
  switch (response.error) {
    case Error::kNone:
    case Error::kBodyTooLarge:
      return AsksToComeBack(response.status) ? Failure::kServer : Failure::kNone;
    case Error::kResolve:
      return Failure::kDns;
    case Error::kConnect:
      return Failure::kConnect;
    case Error::kTls:
      return Failure::kTls;
    case Error::kTimeout:
    case Error::kTooSlow:
      return Failure::kTimeout;
    case Error::kNoAnswer:
      return Failure::kNoAnswer;
    case Error::kCut:
      return Failure::kCut;
    case Error::kReset:
      return Failure::kReset;
    case Error::kGarbage:
      return Failure::kBadAnswer;
    case Error::kBadHeader:
      return Failure::kBadHeader;
    case Error::kHeaderTooLarge:
      return Failure::kHeaderTooLarge;
    case Error::kBadChunks:
      return Failure::kBadChunks;
    case Error::kBadEncoding:
      return Failure::kBadEncoding;
    case Error::kRefusedAddress:
      return Failure::kAddress;
    case Error::kAddressBusy:
    case Error::kNoDescriptor:
    case Error::kProxy:
    case Error::kNoRoom:
    case Error::kWithdrawn:
    case Error::kStopped:
    case Error::kOther:
      return Failure::kOther;
  }
  return Failure::kOther;
}

Counter CounterOf(Failure failure) {
  OPIC_CHECK(failure != Failure::kNone);
  return static_cast<Counter>(static_cast<int>(Counter::kFailedDns) + static_cast<int>(failure) -
                              1);
}

uint16_t RowStatusOf(PageFailure failure) {
  if (failure.cause == Failure::kNone) return 0;
  return static_cast<uint16_t>(static_cast<int>(failure.cause) +
                               (failure.of_robots ? kOfRobots : 0));
}

PageFailure FailureInRow(int status) {
  const bool of_robots = status > kOfRobots;
  const int number = of_robots ? status - kOfRobots : status;
  if (number <= 0 || number >= kFailures) return {};
  return {static_cast<Failure>(number), of_robots};
}

std::string Describe(PageFailure failure) {
  return absl::StrCat(failure.of_robots ? "its robots.txt could not be read: " : "",
                      std::string(WhatHappened(failure.cause)));
}

std::string_view ShortName(Failure failure) {
  switch (failure) {
    case Failure::kNone:
      return "";
    case Failure::kDns:
      return "no address (DNS)";
    case Failure::kConnect:
      return "connection refused";
    case Failure::kTls:
      return "TLS";
    case Failure::kTimeout:
      return "too late";
    case Failure::kBadAnswer:
      return "no HTTP";
    case Failure::kAddress:
      return "address not allowed";
    case Failure::kServer:
      return "server error";
    case Failure::kGivenUp:
      return "host given up";
    case Failure::kOther:
      return "other";
    case Failure::kBlocked:
      return "robots.txt on a blocked host";
    case Failure::kNoAnswer:
      return "no answer";
    case Failure::kCut:
      return "answer cut";
    case Failure::kReset:
      return "connection reset";
    case Failure::kBadHeader:
      return "broken header";
    case Failure::kHeaderTooLarge:
      return "header too large";
    case Failure::kBadChunks:
      return "broken chunks";
    case Failure::kBadEncoding:
      return "wrongly packed";
  }
  return "";
}

}  // namespace opic::desk
