#include "base/metric.h"

#include <fmt/core.h>

namespace opic::base {
namespace {

std::string Escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? "\\n" : std::string(1, c);
  }
  return out;
}

}  // namespace

Metric::Metric(std::string& out, std::string name, std::string_view type, std::string_view meaning)
    : out_(out), name_(std::move(name)) {
  out_ += fmt::format("# HELP {0} {1}.\n# TYPE {0} {2}\n", name_, meaning, type);
}

void Metric::Add(const Labels& labels, double value) {
  std::string all;
  for (const auto& [label, text] : labels) {
    if (text.empty()) continue;
    all += fmt::format("{}{}=\"{}\"", all.empty() ? "" : ",", label, Escaped(text));
  }
  out_ += all.empty() ? fmt::format("{} {}\n", name_, value)
                      : fmt::format("{}{{{}}} {}\n", name_, all, value);
}

}  // namespace opic::base
