#include "tests/fetch/tls_servers.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <filesystem>
#include <functional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "absl/time/clock.h"
#include "base/check.h"
#include "base/file.h"

namespace opic::fetch {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(20);

// `ready` is asked until it says yes; false when it did not for too long.
bool Await(const std::function<bool()>& ready) {
  for (const absl::Time end = absl::Now() + kPatience; absl::Now() < end;) {
    if (ready()) return true;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return false;
}

int BoundSocket(sockaddr_in& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  address = {.sin_family = AF_INET};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  OPIC_CHECK(bind(fd, reinterpret_cast<sockaddr*>(&address), size) == 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return fd;
}

// For a program that cannot be told port zero.
int FreePort() {
  sockaddr_in address;
  close(BoundSocket(address));
  return ntohs(address.sin_port);
}

bool Accepts(int port) {
  sockaddr_in address;
  const int fd = BoundSocket(address);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool accepted = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  close(fd);
  return accepted;
}

// From "ACCEPT 127.0.0.1:43211"; 0: not there yet.
int AcceptedPort(const std::string& output) {
  const size_t accept = output.find("ACCEPT ");
  const size_t end = output.find('\n', accept);
  if (accept == std::string::npos || end == std::string::npos) return 0;
  int port = 0;
  const size_t colon = output.rfind(':', end);
  return absl::SimpleAtoi(output.substr(colon + 1, end - colon - 1), &port) ? port : 0;
}

std::string NginxProgram() {
  for (const char* path : {"/usr/sbin/nginx", "/usr/bin/nginx"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return "";
}

// $0: folder, $1: port, $2: of the server behind it, $3: streams. Every path is inside the folder,
// so that no rights are needed.
constexpr char kNginxConfig[] = R"(
daemon off;
master_process off;
pid $0/nginx.pid;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path $0/body;
  proxy_temp_path $0/proxy;
  fastcgi_temp_path $0/fastcgi;
  uwsgi_temp_path $0/uwsgi;
  scgi_temp_path $0/scgi;
  server {
    listen 127.0.0.1:$1 ssl http2;
    http2_max_concurrent_streams $3;
    ssl_certificate $0/certificate.pem;
    ssl_certificate_key $0/key.pem;
    root $0;
    location = / { default_type text/plain; return 200 "$$server_protocol"; }
    location = /connection { default_type text/html; return 200 "$$connection"; }
    location /behind/ {
      proxy_pass http://127.0.0.1:$2;
      proxy_set_header X-Connection $$connection;
    }
  }
}
)";

}  // namespace

Certificate::Certificate() {
  std::string folder = std::filesystem::temp_directory_path() / "opic-tls-XXXXXX";
  OPIC_CHECK(mkdtemp(folder.data()) != nullptr) << folder;
  folder_ = folder;
  const std::string command = absl::StrCat(
      "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
      " -subj /CN=opic-test -addext subjectAltName=DNS:site.example -keyout ",
      key(), " -out ", file(), " 2>/dev/null");
  OPIC_CHECK(system(command.c_str()) == 0) << command;
}

Certificate::~Certificate() { std::filesystem::remove_all(folder_); }

TlsServer StartOpenssl(const Certificate& certificate, bool raw_files) {
  TlsServer server;
  const std::string output = certificate.folder() + "/openssl.out";
  server.child = std::make_unique<Child>(
      std::vector<std::string>{"env", "-C", certificate.folder(), "openssl", "s_server", "-accept",
                               "127.0.0.1:0", raw_files ? "-HTTP" : "-www", "-cert",
                               certificate.file(), "-key", certificate.key()},
      output);
  Await([&] {
    server.port = AcceptedPort(base::ReadFile(output).value_or(""));
    return server.ok();
  });
  return server;
}

TlsServer StartNginx(const Certificate& certificate, int behind, int streams) {
  const std::string program = NginxProgram();
  if (program.empty()) return {};
  const std::string& folder = certificate.folder();
  const int port = FreePort();
  const std::string config = absl::Substitute(kNginxConfig, folder, port, behind, streams);
  OPIC_CHECK(base::WriteFileDurably(folder + "/nginx.conf", config).ok());
  OPIC_CHECK(base::WriteFileDurably(folder + "/big", std::string(1 << 20, 'x')).ok());
  TlsServer server;
  server.child = std::make_unique<Child>(
      std::vector<std::string>{program, "-p", folder, "-e", folder + "/nginx.log", "-c",
                               folder + "/nginx.conf"},
      folder + "/nginx.out");
  if (Await([port] { return Accepts(port); })) server.port = port;
  return server;
}

}  // namespace opic::fetch
