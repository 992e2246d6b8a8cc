// What kind of document a page is (thesis chapter 5). How much the refreshing of a page is worth
// can be set for each category, while a crawl runs (frequencies.h).
//
// Thread safety: pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace opic::refresh {

// The numbers stand in rows (docs/formats/page_plan.md).
enum class Category : uint8_t {
  kHtml = 0,    // XHTML, too
  kXml = 1,     // that is none of the following; sitemaps, too
  kFeed = 2,    // RSS, Atom
  kSchema = 3,  // DTD, XML Schema, RELAX NG
  kPdf = 4,
  kOther = 5,  // text, images, archives, …
};
inline constexpr size_t kCategories = 6;

// "html", "xml", "feed", "schema", "pdf", "other".
std::string_view NameOf(Category category);
std::optional<Category> CategoryNamed(std::string_view name);

// Factors on the importance of a category's pages, by Category; 0: not read again.
using Factors = std::array<double, kCategories>;
inline constexpr double kFactorMax = 1e6;
inline constexpr Factors kNoFactors = {1, 1, 1, 1, 1, 1};

}  // namespace opic::refresh
