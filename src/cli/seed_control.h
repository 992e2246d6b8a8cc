// opic control seed: what became of each URL, according to the answers of the nodes.
//
// Thread safety: confined to one thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "node/seed_result.h"

namespace opic::cli {

class SeedAnswers {
 public:
  // `typed`: the URLs, as typed; what is not a URL is refused.
  explicit SeedAnswers(const std::vector<std::string>& typed);

  const std::vector<std::string>& to_tell() const { return told_; }  // the valid ones
  // What a node has answered to these. In a cluster, the node that has a page says what became of
  // it; the others say that it is another node's.
  void Take(const node::SeedResults& results);
  bool any_refused() const { return told_.size() < typed_.size(); }

  // For people: a line for each seed. Of more than 20 seeds: the number of each outcome, and lines
  // for those only that are not fetched.
  std::string InWords() const;
  nlohmann::ordered_json ToJson() const;

 private:
  const std::vector<std::string> typed_;
  node::SeedResults results_;  // of each
  std::vector<std::string> told_;
  std::vector<size_t> places_;  // of those, in `typed_`
  std::vector<bool> answered_;  // of those: the node that has the page has answered
};

}  // namespace opic::cli
