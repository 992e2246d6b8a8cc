#include "links/json_feed.h"

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "links/ascii.h"

namespace opic::links {
namespace {

using Json = nlohmann::json;

constexpr size_t kDepthMax = 64;
constexpr std::string_view kVersion = "https://jsonfeed.org/version/";

// Shows the strings of a JSON text that are values of objects, until it ends, is none any more, or
// is nested too deep.
class Strings final : public nlohmann::json_sax<Json> {
 public:
  // The keys on the way to a value, the outermost first; empty ones are those of arrays.
  using Path = std::vector<std::string>;
  // False: it has seen enough.
  using Show = absl::FunctionRef<bool(const Path& path, const std::string& value)>;

  static void ForEach(std::string_view text, Show show) {
    Strings strings(show);
    Json::sax_parse(text.begin(), text.end(), &strings);
  }

  bool start_object(size_t) override { return Enter(true); }
  bool start_array(size_t) override { return Enter(false); }
  bool end_object() override { return Leave(); }
  bool end_array() override { return Leave(); }
  bool key(string_t& name) override {
    path_.back() = name;
    return true;
  }
  bool string(string_t& value) override {
    return path_.empty() || !in_object_.back() || show_(path_, value);
  }
  bool binary(binary_t&) override { return true; }
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool parse_error(size_t, const std::string&, const Json::exception&) override { return false; }

 private:
  explicit Strings(Show show) : show_(show) {}
  bool Enter(bool object) {
    path_.emplace_back();
    in_object_.push_back(object);
    return path_.size() <= kDepthMax;
  }
  bool Leave() {
    path_.pop_back();
    in_object_.pop_back();
    return true;
  }

  const Show show_;
  Path path_;
  std::vector<bool> in_object_;  // as long as the path
};

bool IsLink(const Strings::Path& path) {
  const std::string& key = path.back();
  if (path.size() == 1) return key == "home_page_url" || key == "next_url" || key == "feed_url";
  if (key != "url" && key != "external_url") return false;
  return std::none_of(path.begin(), path.end(), [](const std::string& name) {
    return name == "hubs" || name.starts_with("_");
  });
}

}  // namespace

bool IsJsonFeed(std::string_view text) {
  if (Trim(text.substr(0, 64)).substr(0, 1) != "{") return false;
  bool is_feed = false;
  Strings::ForEach(text, [&](const Strings::Path& path, const std::string& value) {
    if (path.size() > 1 || path.back() != "version") return true;
    is_feed = value.starts_with(kVersion);
    return false;
  });
  return is_feed;
}

void AddJsonFeedLinks(std::string_view text, LinkSink& sink) {
  Strings::ForEach(text, [&](const Strings::Path& path, const std::string& value) {
    if (IsLink(path)) sink.Add(value);
    return !sink.full();
  });
}

}  // namespace opic::links
