// Implements a part of url/scope.h.
#include <libpsl.h>

#include "url/ip_address.h"
#include "url/scope.h"

namespace opic::url {

std::string RegistrableDomain(std::string_view host) {
  while (host.ends_with('.')) host.remove_suffix(1);
  std::string name(host);
  if (host.starts_with('[') || EndsInNumber(host)) return name;
  const char* domain = psl_registrable_domain(psl_builtin(), name.c_str());
  return domain == nullptr ? name : std::string(domain);
}

}  // namespace opic::url
