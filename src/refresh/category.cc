#include "refresh/category.h"

namespace opic::refresh {
namespace {

constexpr std::array<std::string_view, kCategories> kNames = {"html",   "xml", "feed",
                                                              "schema", "pdf", "other"};

}  // namespace

std::string_view NameOf(Category category) { return kNames[static_cast<size_t>(category)]; }

std::optional<Category> CategoryNamed(std::string_view name) {
  for (size_t i = 0; i < kCategories; ++i) {
    if (kNames[i] == name) return static_cast<Category>(i);
  }
  return std::nullopt;
}

}  // namespace opic::refresh
