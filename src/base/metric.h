// One metric in the text exposition format of Prometheus (version 0.0.4).
//
//   Metric pages(text, "opic_pages", "gauge", "Known pages");
//   pages.Add({{"node", "a"}}, 7);  // opic_pages{node="a"} 7
//
// Thread safety: confined to one thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opic::base {

class Metric {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  // Writes meaning and type to the end of `out`, which must outlive it. `type` is counter or gauge,
  // `meaning` a sentence without its stop.
  Metric(std::string& out, std::string name, std::string_view type, std::string_view meaning);
  // A sample. Labels without text are left out.
  void Add(const Labels& labels, double value);

 private:
  std::string& out_;
  const std::string name_;
};

}  // namespace opic::base
