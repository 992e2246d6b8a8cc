#include "cli/host_access_flags.h"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/quoted.h"
#include "base/status_macros.h"
#include "cli/auth_file.h"
#include "cli/secret_settings.h"
#include "url/host.h"
#include "url/url.h"

namespace opic::cli {
namespace {

// Headers that a request has anyway, and why --header does not set them.
struct Managed {
  std::string_view name, instead;
};
constexpr Managed kManaged[] = {
    {"User-Agent", "is set by --agent and --contact"},
    {"Accept", "is set by --accept"},
    {"Authorization", "would go to all hosts; --auth-file sets it for one host"},
    {"Cookie",
     "would go to all hosts; --cookies sends each host those that it has set, and --auth-file has "
     "credentials"},
    {"Proxy-Authorization", "is set by --proxy http://USER:PASSWORD@HOST:PORT"},
    {"Host", "is set from the URL"},
    {"Accept-Encoding", "is set to what the crawler can decode"},
    {"If-None-Match", "is set from the last fetch of the page"},
    {"If-Modified-Since", "is set from the last fetch of the page"},
    {"Connection", "is not allowed: the crawler manages its connections"},
    {"Content-Length", "is not allowed: requests have no body"},
    {"Transfer-Encoding", "is not allowed: requests have no body"},
    {"Range", "is not allowed: pages are fetched whole"},
};

// RFC 9110 section 5.6.2.
bool IsToken(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
  });
}

bool IsFieldValue(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

// "is set by --agent and --contact"; empty: --header may set it.
std::string WhyNotSet(const std::string& name) {
  for (const Managed& managed : kManaged) {
    if (absl::EqualsIgnoreCase(name, absl::string_view(managed.name.data(), managed.name.size())))
      return std::string(managed.instead);
  }
  return "";
}

// `number` is that of the header, from 1. What follows the colon may be a secret, and is not shown.
absl::StatusOr<std::string> ParseHeader(const std::string& line, size_t number) {
  const size_t colon = std::min(line.find(':'), line.size());
  const std::string before = line.substr(0, colon);
  const std::string name(absl::StripAsciiWhitespace(before));
  const std::string value(
      absl::StripAsciiWhitespace(line.substr(std::min(colon + 1, line.size()))));
  const bool named = colon < line.size() && IsToken(name);
  const auto wrong = [&](const std::string& what) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--header ", number, named ? absl::StrCat(" (", base::Quoted(name), ")") : "", ": ", what));
  };
  if (const std::string why = WhyNotSet(name); named && !why.empty())
    return wrong("this header " + why);
  if (named && before != name) return wrong("the name must be without blanks around it");
  if (!named || value.empty() || !IsFieldValue(value))
    return wrong("must be \"Name: value\", e.g. \"Accept-Language: de\"");
  if (value == kLeftOut) {
    return wrong(absl::StrCat("the value \"", value,
                              "\" stands for one that was left out; put it in again"));
  }
  return absl::StrCat(name, ": ", value);
}

// As a normalised URL has it; nothing: it is no origin. No host has a '*': that was meant as a
// pattern, and would match nothing.
std::optional<std::string> Origin(const std::string& text) {
  const std::optional<url::Url> url =
      url::Parse(text.find("://") == std::string::npos ? "https://" + url::Bracketed(text) : text);
  if (!url || text.find_first_of("@*") != std::string::npos) return std::nullopt;
  const std::string_view origin = fetch::OriginOf(url->text());
  if (url->text() != std::string(origin) + "/") return std::nullopt;  // it has a path
  return std::string(origin);
}

// "basic USER PASSWORD" or "bearer TOKEN" as a header's value; empty: it is neither.
std::string Authorization(std::istringstream& words) {
  std::string scheme, first, rest;
  if (!(words >> scheme >> first)) return "";
  std::getline(words >> std::ws, rest);
  rest = std::string(absl::StripTrailingAsciiWhitespace(rest));
  if (!IsFieldValue(first) || !IsFieldValue(rest)) return "";
  if (scheme == "bearer" && rest.empty()) return "Bearer " + first;
  const bool user = first.find(':') == std::string::npos;  // RFC 7617 section 2
  if (scheme != "basic" || rest.empty() || !user) return "";
  return "Basic " + absl::Base64Escape(first + ":" + rest);
}

absl::Status ReadAuthorization(const std::string& line, fetch::HostAccessMap& access) {
  std::istringstream words(line);
  std::string host;
  if (!(words >> host) || host[0] == '#') return absl::OkStatus();
  const std::optional<std::string> origin = Origin(host);
  if (!origin) {
    return absl::InvalidArgumentError(
        "the line must begin with HOST, HOST:PORT, https://HOST or http://HOST; \"*\" is not "
        "supported");
  }
  const std::string authorization = Authorization(words);
  if (authorization.empty()) {
    return absl::InvalidArgumentError(
        "the host must be followed by \"basic USER PASSWORD\", with no ':' in USER, or by \"bearer "
        "TOKEN\"");
  }
  std::string& known = access[*origin].authorization;
  if (!known.empty()) return absl::InvalidArgumentError("the file has two lines for " + *origin);
  known = authorization;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseHeaders(const std::vector<std::string>& lines) {
  if (lines.size() > kHeadersMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("--header: ", lines.size(), " headers; at most ", kHeadersMax, " are sent"));
  }
  size_t bytes = 0;
  for (const std::string& line : lines) bytes += line.size();
  if (bytes > kHeaderBytesMax) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--header: ", bytes, " bytes in all headers; at most ", kHeaderBytesMax, " are sent"));
  }
  std::vector<std::string> headers;
  for (const std::string& line : lines) {
    ASSIGN_OR_RETURN(std::string header, ParseHeader(line, headers.size() + 1));
    headers.push_back(std::move(header));
  }
  return headers;
}

absl::StatusOr<fetch::HostAccessMap> ReadHostAccess(const std::string& auth_file,
                                                    const std::vector<std::string>& insecure) {
  fetch::HostAccessMap access;
  if (!auth_file.empty()) {
    ASSIGN_OR_RETURN(std::string text, ReadAuthFile(auth_file));
    std::istringstream file(std::move(text));
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      RETURN_IF_ERROR(
          base::WithContext(ReadAuthorization(line, access),
                            absl::StrCat("--auth-file ", auth_file, ", line ", number)));
    }
  }
  for (const std::string& host : insecure) {
    const std::optional<std::string> origin = Origin(host);
    if (!origin || !absl::StartsWith(*origin, "https://")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "--insecure ", base::Quoted(host),
          ": must be HOST or HOST:PORT, of one site with https; \"*\" is not supported"));
    }
    access[*origin].insecure = true;
  }
  return access;
}

}  // namespace opic::cli
