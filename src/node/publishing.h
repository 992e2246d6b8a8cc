// What is asked of a running node about its publications: Control says what these do.
//
// Thread safety: REQUIRES the ledger's thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "node/control.h"
#include "node/node_parts.h"
#include "node/publications.h"
#include "refresh/publication_book.h"
#include "url/url.h"

namespace opic::node {

absl::StatusOr<Published> PublishOn(NodeParts& parts, const refresh::Publication& publication);
std::vector<refresh::Publication> PublicationsOf(const NodeParts& parts);
absl::Status WithdrawFrom(NodeParts& parts, uint64_t id);
// Those that govern the page of this normalised URL, in words: its treatment, then its errand.
std::vector<std::string> DescribePublications(const refresh::PublicationBook& book,
                                              const url::Url& url);

}  // namespace opic::node
