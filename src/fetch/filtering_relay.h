// Relays an HTTP/1 request and its answer between libcurl and a connection that another handle has
// made (CURLOPT_CONNECT_ONLY), and filters the answer's head (HeadFilter).
//
// libcurl connects to a local socket of the relay's: name, address, proxy and TLS are the
// connection's handle's business, and requests, framing and limits the business of the handle that
// has the end. At most some 16 KiB each way are kept here, and the head's present line; what is not
// read at one end is not read from the other.
//
// Thread safety: confined to the owner thread.
#pragma once

#include <curl/curl.h>

#include <string>

#include "fetch/curl_handles.h"
#include "fetch/head_filter.h"
#include "fetch/multi_loop.h"
#include "fetch/response.h"

namespace opic::fetch {

class FilteringRelay {
 public:
  // REQUIRES: `connection` has ended well in `loop`, and is still in it. `loop` outlives this.
  FilteringRelay(MultiLoop& loop, EasyHandle connection, size_t head_bytes_max);
  ~FilteringRelay();
  FilteringRelay(const FilteringRelay&) = delete;
  FilteringRelay& operator=(const FilteringRelay&) = delete;

  // Where the request is to be sent, as CURLOPT_ABSTRACT_UNIX_SOCKET; empty: nowhere, and there is
  // an error. The first connection from this process is taken, and no other one.
  const std::string& name() const { return name_; }
  std::string address() const;  // the IP connected to
  uint64_t bytes_received() const { return bytes_received_; }

  // How the connection ended for the answer: kNone when in order, or not yet.
  Error error() const { return error_; }
  const std::string& detail() const { return detail_; }
  // No body has come.
  bool in_head() const { return filter_.in_head(); }

 private:
  void Listen();
  void Accept();
  void Relay();
  // False: nothing was done, and nothing can be until one of the sockets says so.
  bool RelayRequest();
  bool RelayAnswer();
  void Receive();
  void Fail(Error error, std::string_view detail);

  MultiLoop& loop_;
  const EasyHandle connection_;
  char message_[CURL_ERROR_SIZE] = {};
  HeadFilter filter_;
  curl_socket_t socket_ = CURL_SOCKET_BAD;  // the connection's
  int listener_ = -1;
  std::string name_;
  int end_ = -1;                  // towards libcurl, once it has connected
  std::string request_, answer_;  // received, and not yet sent on
  uint64_t bytes_received_ = 0;
  bool ended_ = false;  // no more of the answer comes
  Error error_ = Error::kNone;
  std::string detail_;
};

}  // namespace opic::fetch
