// Implements a part of url/scope.h.
#include <libpsl.h>

#include "url/ip_address.h"
#include "url/scope.h"

namespace opic::url {

namespace {

// Of a name without final dots.
std::string LookUp(const std::string& name) {
  if (name.starts_with('[') || EndsInNumber(name)) return name;
  const char* domain = psl_registrable_domain(psl_builtin(), name.c_str());
  return domain == nullptr ? name : std::string(domain);
}

}  // namespace

std::string RegistrableDomain(std::string_view host) {
  // A page's is asked for by one after another. The list is built in, and never another one.
  thread_local std::string last, its_domain;
  while (host.ends_with('.')) host.remove_suffix(1);
  if (host != last) {
    last = host;
    its_domain = LookUp(last);
  }
  return its_domain;
}

}  // namespace opic::url
