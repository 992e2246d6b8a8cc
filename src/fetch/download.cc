#include "fetch/download.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/clock.h"
#include "fetch/settings.h"

namespace opic::fetch {
namespace {

// A validator comes back from a stranger's header by way of our store. Control bytes would end its
// line and begin another (RFC 9110 section 5.5); such a one is not sent.
bool IsFieldValue(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return c == '\t' || (c >= 0x20 && c != 0x7f);
  });
}

// An IPv4 address that came as an IPv6 one (RFC 4291 section 2.5.5.2) is the same machine.
std::string_view WithoutMapping(std::string_view address) {
  constexpr std::string_view kMapped = "::ffff:";
  const bool mapped = address.starts_with(kMapped) && address.find('.') != address.npos;
  return mapped ? address.substr(kMapped.size()) : address;
}

// As libcurl writes it, but for WithoutMapping.
std::string MachineAt(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = {};
  const void* bytes =
      address.sa_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr)
          : &reinterpret_cast<const sockaddr_in&>(address).sin_addr;
  if (inet_ntop(address.sa_family, bytes, text, sizeof text) == nullptr) return "";
  return std::string(WithoutMapping(text));
}

// Of one address, for each request that may be under way there: most hosts are asked again soon.
constexpr int kKeptPerSlot = 4;

}  // namespace

Download::Download(const Options& options, const Routes& routes, AddressSlots& slots,
                   OpenConnections& connections, BodyRoom& room)
    : options_(options), routes_(routes), slots_(slots), connections_(connections), room_(room) {
  MakeEasy();
}

void Download::MakeEasy() {
  easy_.reset(curl_easy_init());
  OPIC_CHECK(easy_ != nullptr) << "out of memory";
  Configure(easy(), options_, routes_);
  InstallCallbacks();
}

void Download::InstallCallbacks() {
  Set(easy(), CURLOPT_PRIVATE, this);
  Set(easy(), CURLOPT_ERRORBUFFER, message_);
  Set(easy(), CURLOPT_OPENSOCKETFUNCTION, &Download::OnOpenSocket);
  Set(easy(), CURLOPT_OPENSOCKETDATA, this);
  Set(easy(), CURLOPT_CLOSESOCKETFUNCTION, &Download::OnCloseSocket);
  Set(easy(), CURLOPT_CLOSESOCKETDATA, &connections_);
  Set(easy(), CURLOPT_PREREQFUNCTION, &Download::OnReady);
  Set(easy(), CURLOPT_PREREQDATA, this);
  Set(easy(), CURLOPT_HEADERFUNCTION, &Download::OnHeader);
  Set(easy(), CURLOPT_HEADERDATA, this);
  Set(easy(), CURLOPT_WRITEFUNCTION, &Download::OnBody);
  Set(easy(), CURLOPT_WRITEDATA, this);
}

Download& Download::Of(CURL* easy) {
  Download* download = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &download);
  return *download;
}

void Download::Begin(const Request& request, bool filter_head) {
  OPIC_CHECK(!active_);
  if (filter_head_) MakeEasy();  // that of the last request serves its purpose alone
  filter_head_ = filter_head;
  active_ = true;
  message_[0] = '\0';
  response_ = {};
  response_.ticket = request.ticket;
  url_ = request.url;
  response_.started = base::RealClock::Get().Now();
  response_.held = room_.Hold();
  ShowCookies(request);  // first: easy() may be another one afterwards
  total_timeout_ = options_.total_timeout;
  SetTotalTimeout(easy(), total_timeout_);
  held_back_ = absl::ZeroDuration();
  begun_ = paced_at_ = base::RealClock::Get().Steady(), paced_bytes_ = 0;
  reader_.emplace(response_, options_.header_bytes_max);
  decoder_.reset();
  body_bytes_max_ = request.body_bytes_max > 0 ? request.body_bytes_max : options_.body_bytes_max;
  any_type_ = request.any_type;
  drained_ = encoded_ = 0;
  address_allowed_ = address_refused_ = no_descriptor_ = false;
  // Without an URL (absurdly long, or a byte zero would cut it) libcurl ends at once with an error.
  const bool whole = request.url.find('\0') == std::string::npos;
  curl_easy_setopt(easy(), CURLOPT_URL, whole ? request.url.c_str() : "");
  const auto access = options_.host_access.find(OriginOf(request.url));
  if (access == options_.host_access.end()) {
    SetHeaders(request, HostAccess());
  } else {
    SetHeaders(request, access->second);
  }
  if (filter_head_) OnlyConnect(easy());
}

void Download::SetHeaders(const Request& request, const HostAccess& access) {
  CheckCertificate(easy(), !access.insecure);
  std::vector<std::string> lines = options_.headers;
  lines.push_back(absl::StrCat("Accept: ", request.any_type ? "*/*" : options_.accept));
  if (!access.authorization.empty())
    lines.push_back(absl::StrCat("Authorization: ", access.authorization));
  if (IsFieldValue(request.etag)) lines.push_back(absl::StrCat("If-None-Match: ", request.etag));
  if (IsFieldValue(request.last_modified)) {
    lines.push_back(absl::StrCat("If-Modified-Since: ", request.last_modified));
  }
  if (filter_head_) lines.push_back("Connection: close");
  StringList headers = MakeList(lines);
  Set(easy(), CURLOPT_HTTPHEADER, headers.get());
  headers_ = std::move(headers);
}

// From 50 Set-Cookie lines of one answer libcurl takes no more cookies, and forgets that only when
// the next transfer begins: those of the next host, given before, would be dropped, and then be
// missing after its answer, too. So a handle that takes none is replaced.
void Download::ShowCookies(const Request& request) {
  cookies_of_.clear();
  if (options_.cookies == nullptr) return;
  if (request.cookies) cookies_of_ = HostOf(request.url);
  if (cookies_of_.empty()) return SetCookies(easy(), {});
  const std::vector<std::string> cookies = options_.cookies->Of(cookies_of_, response_.started);
  SetCookies(easy(), cookies);
  if (cookies.empty() || !CookiesOf(easy()).empty()) return;
  MakeEasy();
  SetCookies(easy(), cookies);
}

// The answer of a proxy is not the host's.
void Download::KeepCookies() {
  if (cookies_of_.empty() || response_.status == 0 || response_.error == Error::kProxy) return;
  std::vector<std::string> cookies = CookiesOf(easy());
  response_.cookies = static_cast<uint32_t>(cookies.size());
  response_.cookies_changed =
      options_.cookies->Keep(cookies_of_, std::move(cookies), base::RealClock::Get().Now());
}

// Called for each address tried, before connecting to it.
curl_socket_t Download::OnOpenSocket(void* self, curlsocktype, curl_sockaddr* address) {
  Download& download = *static_cast<Download*>(self);
  const bool to_relay = download.relay_ && address->family == AF_UNIX;
  if (download.relay_ && (!to_relay || download.relay_->name().empty())) return CURL_SOCKET_BAD;
  const Options& options = download.options_;
  // A proxy is the operator's choice: its address is trusted.
  if (!to_relay && options.proxy.empty() &&
      !MayConnectTo(options, &address->addr, address->addrlen)) {
    download.address_refused_ = true;
    return CURL_SOCKET_BAD;
  }
  download.address_allowed_ = true;
  const int made = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (made < 0 && (errno == EMFILE || errno == ENFILE)) download.no_descriptor_ = true;
  if (made >= 0 && !to_relay) download.connections_.Opened(made, MachineAt(address->addr));
  return made;
}

int Download::OnCloseSocket(void* connections, curl_socket_t socket) {
  static_cast<OpenConnections*>(connections)->Closed(socket);
  return close(socket);
}

// Called on a connection that is ready, before the request is sent. Once more when libcurl sends it
// again because a kept-alive connection turned out to be closed.
int Download::OnReady(void* self, char* address, char* local, int port, int local_port) {
  Download& download = *static_cast<Download*>(self);
  if (download.room_.full()) {
    download.Refuse(Error::kNoRoom, "the memory for answers is full");
    return CURL_PREREQFUNC_ABORT;
  }
  const std::string machine = download.relay_ ? download.relay_->address() : address;
  if (!download.MaySend() || !download.TakeSlot(machine.c_str())) return CURL_PREREQFUNC_ABORT;
  if (!download.relay_) {
    // HTTP/2 is for TLS only (SpeakHttp): no other connection is shared.
    if (!download.url_.starts_with("http:"))
      download.JoinConnection(absl::StrCat(address, " ", port, " ", local, " ", local_port));
    // One that only connects keeps what it has made: it is what the filter needs.
    if (!download.filter_head_) download.KeepOrNot(address);
  }
  download.response_.sent = true;
  return CURL_PREREQFUNC_OK;
}

bool Download::MaySend() {
  if (!options_.may_send || options_.may_send(url_)) return true;
  Refuse(Error::kWithdrawn, "withdrawn before it was sent");
  return false;
}

// A server may have thousands of names, and no more connections than it has workers.
void Download::KeepOrNot(const char* address) {
  const int open = connections_.to(std::string(WithoutMapping(address)));
  const bool close_after = options_.proxy.empty() && open > kKeptPerSlot * options_.per_address_max;
  Set(easy(), CURLOPT_FORBID_REUSE, close_after ? 1L : 0L);
}

bool Download::TakeSlot(const char* address) {
  GiveSlotBack();
  if (!options_.proxy.empty()) return true;  // `address` is the proxy's
  const std::string machine(WithoutMapping(address));
  if (!slots_.Take(machine)) {
    Refuse(Error::kAddressBusy, absl::StrCat("too many requests under way to ", machine));
    return false;
  }
  slot_ = machine;
  return true;
}

void Download::GiveSlotBack() {
  if (!slot_.empty()) slots_.GiveBack(slot_);
  slot_.clear();
}

void Download::JoinConnection(std::string connection) {
  LeaveConnection();
  connections_.Join(connection);
  connection_ = std::move(connection);
}

void Download::LeaveConnection() {
  if (!connection_.empty()) connections_.Leave(connection_);
  connection_.clear();
}

size_t Download::OnHeader(char* bytes, size_t one, size_t size, void* self) {
  Download& download = *static_cast<Download*>(self);
  download.response_.ended = base::RealClock::Get().Now();
  if (!download.reader_->Line({bytes, one * size})) {
    download.Refuse(Error::kHeaderTooLarge, "header lines above the limit");
    return 0;
  }
  if (download.reader_->at_end_of_head() && !(download.ChooseDecoder() && download.JudgeType()))
    return 0;
  return one * size;
}

std::optional<double> Download::Pace(absl::Time now, absl::Duration least) {
  if (!active_ || held_back() || response_.held.bytes() == 0 || now - paced_at_ < least)
    return std::nullopt;
  const absl::Time since = paced_at_;
  const int64_t before = paced_bytes_;
  NotePace(now);
  return static_cast<double>(paced_bytes_ - before) / absl::ToDoubleSeconds(now - since);
}

void Download::NotePace(absl::Time now) {
  curl_off_t received = 0;
  curl_easy_getinfo(easy(), CURLINFO_SIZE_DOWNLOAD_T, &received);
  paced_at_ = now, paced_bytes_ = received;
}

void Download::Refuse(Error error, std::string_view detail) {
  response_.error = error;
  response_.detail = detail;
}

void Download::Measure() {
  long status = 0, header_bytes = 0;
  curl_off_t body_bytes = 0;
  char* address = nullptr;
  curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
  curl_easy_getinfo(easy(), CURLINFO_HEADER_SIZE, &header_bytes);
  curl_easy_getinfo(easy(), CURLINFO_SIZE_DOWNLOAD_T, &body_bytes);
  curl_easy_getinfo(easy(), CURLINFO_PRIMARY_IP, &address);
  response_.status = static_cast<int>(status);
  response_.wire_bytes = static_cast<uint64_t>(header_bytes) + static_cast<uint64_t>(body_bytes);
  const std::string machine = relay_ ? relay_->address() : address != nullptr ? address : "";
  if (relay_) response_.wire_bytes = relay_->bytes_received();
  if (options_.proxy.empty()) response_.address = WithoutMapping(machine);
}

}  // namespace opic::fetch
