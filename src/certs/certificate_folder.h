// The certificates of a cluster as files: <folder>/ca.pem and ca-key.pem of the authority, and
// NAME.pem and NAME-key.pem of each holder. Readable by their owner only.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "certs/authority.h"

namespace opic::certs {

std::string AuthorityFile(const std::string& folder);
std::string CertificateFile(const std::string& folder, const std::string& holder);
std::string KeyFile(const std::string& folder, const std::string& holder);

// Makes what is missing and gives the names of the holders that it made certificates for. What is
// there stays: a new holder is issued for by the old authority, and who wants a new certificate
// removes the old one first. The authority's key is needed for issuing only and may be kept
// elsewhere. New certificates are good for `days`. InvalidArgument: names that collide or cannot
// be, or days out of bounds; FailedPrecondition: half of a pair.
absl::StatusOr<std::vector<std::string>> FillFolder(const std::string& folder,
                                                    const std::string& authority_name,
                                                    const std::vector<Holder>& holders,
                                                    int days = Authority::kDays);

}  // namespace opic::certs
