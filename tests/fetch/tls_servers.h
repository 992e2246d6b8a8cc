// Servers that speak TLS, with a certificate made for the test: openssl's, and nginx for HTTP/2.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tests/fetch/child.h"

namespace opic::fetch {

// A self-signed certificate for site.example, in a folder of its own.
class Certificate {
 public:
  Certificate();
  ~Certificate();
  std::string file() const { return folder_ + "/certificate.pem"; }  // its own authority
  std::string key() const { return folder_ + "/key.pem"; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

struct TlsServer {
  std::unique_ptr<Child> child;
  int port = 0;
  bool ok() const { return port != 0; }
};

// `openssl s_server -www`: HTTP/1.0, a page about the connection. With `raw_files` -HTTP: a file of
// the certificate's folder, which holds the whole answer.
TlsServer StartOpenssl(const Certificate& certificate, bool raw_files = false);

// nginx with HTTP/2; "/" answers the protocol's name, "/connection" the connection's number as
// text/html, "/big" a megabyte of text/plain. What is below "/behind/" a server at the port
// `behind` answers, which is told the connection's number as X-Connection. A connection has so many
// `streams` at once. Not ok() without nginx.
TlsServer StartNginx(const Certificate& certificate, int behind = 1, int streams = 128);

}  // namespace opic::fetch
