// opic control seed: what became of each URL, as the nodes that were told have answered.
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
  // `typed`: the URLs; those that are none are refused.
  explicit SeedAnswers(const std::vector<std::string>& typed);

  const std::vector<std::string>& to_tell() const { return told_; }  // those that are some
  // What a node has answered to these. In a cluster the node that has a page says what became of
  // it; the others, that it is another one's.
  void Take(const node::SeedResults& results);
  bool any_refused() const { return told_.size() < typed_.size(); }

  // For people: a line each, and of many the number of each outcome, and those alone that are not
  // fetched.
  std::string InWords() const;
  nlohmann::ordered_json ToJson() const;

 private:
  const std::vector<std::string> typed_;
  node::SeedResults results_;  // of each
  std::vector<std::string> told_;
  std::vector<size_t> places_;  // of those, in `typed_`
  std::vector<bool> answered_;  // likewise: by the node that has it
};

}  // namespace opic::cli
