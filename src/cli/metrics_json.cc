#include "cli/metrics_json.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/check.h"

namespace opic::cli {
namespace {

using Json = nlohmann::ordered_json;

// Takes a label's text, up to the quote that ends it, off the front.
std::string TakeText(absl::string_view& rest) {
  std::string text;
  size_t i = 0;
  for (; rest[i] != '"'; ++i) {
    if (rest[i] != '\\') {
      text += rest[i];
    } else {
      text += rest[++i] == 'n' ? '\n' : rest[i];
    }
  }
  rest.remove_prefix(i + 1);
  return text;
}

// name{label="text",...} value
Json SampleOf(absl::string_view line) {
  Json labels = Json::object();
  line.remove_prefix(line.find_first_of("{ "));
  while (line.front() != ' ') {
    line.remove_prefix(1);  // { or , or }
    const size_t equals = line.find("=\"");
    if (line.front() == ' ' || equals == line.npos) break;
    const std::string label(line.substr(0, equals));
    line.remove_prefix(equals + 2);
    labels[label] = TakeText(line);
  }
  double value = 0;
  OPIC_CHECK(absl::SimpleAtod(line, &value)) << "a sample without a value";
  return {{"labels", std::move(labels)}, {"value", value}};
}

}  // namespace

Json MetricsJson(std::string_view text) {
  Json metrics = Json::array();
  for (absl::string_view line :
       absl::StrSplit(absl::string_view(text.data(), text.size()), '\n', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&line, "# HELP ")) {
      const std::pair<std::string, std::string> named =
          absl::StrSplit(line, absl::MaxSplits(' ', 1));
      metrics.push_back({{"name", named.first},
                         {"type", ""},
                         {"help", named.second},
                         {"samples", Json::array()}});
    } else if (absl::ConsumePrefix(&line, "# TYPE ")) {
      metrics.back()["type"] = std::string(line.substr(line.find(' ') + 1));
    } else {
      metrics.back()["samples"].push_back(SampleOf(line));
    }
  }
  return metrics;
}

}  // namespace opic::cli
