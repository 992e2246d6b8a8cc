#include "desk/near_text.h"

#include <algorithm>

#include "base/encoding.h"
#include "desk/duplicate.h"
#include "url/scope.h"

namespace opic::desk {
namespace {

void AddLink(std::string_view link, links::TextSketch& sketch) {
  for (uint64_t element = 1; element <= kElementsPerLink; ++element)
    links::Flip(base::Hash64(link, element), sketch);
  sketch.lasting = base::Hash64(link, sketch.lasting);
}

}  // namespace

std::optional<NearText> NearTextOf(const url::Url& page, const links::Result& found,
                                   const ContentLinks& content_links, uint64_t content_hash,
                                   LeftOut left_out) {
  if (found.text_sketch.words < kNearWordsMin || !MayBeDuplicate(found, content_hash, left_out))
    return std::nullopt;
  NearText text{content_hash, base::Hash64(url::RegistrableDomain(page.host())), found.text_sketch};
  for (const std::string_view link : content_links.texts()) AddLink(link, text.sketch);
  uint64_t number = 0;
  for (uint64_t& band : text.sketch.bands)
    band = base::Hash64(base::Big64(band) + base::Big64(number++), text.site);
  uint64_t& lasting = text.sketch.lasting;
  const bool named = found.text_sketch.lasting != 0;
  lasting = named ? std::max<uint64_t>(1, base::Hash64(base::Big64(lasting), text.site)) : 0;
  return text;
}

bool AreNearDuplicates(const NearText& one, const NearText& other) {
  return one.site == other.site && one.sketch.lasting != 0 &&
         one.sketch.lasting == other.sketch.lasting &&
         links::Differences(one.sketch, other.sketch) <= kNearDifferencesMax;
}

bool AreSimilar(const NearText& one, const NearText& other) {
  const uint32_t words = std::min(one.sketch.words, other.sketch.words);
  const int most = std::min<int>(kNearDifferencesMax, words / kNearWordsPerDifference);
  return one.site == other.site && links::Differences(one.sketch, other.sketch) <= most;
}

std::string Encode(const NearText& text) {
  std::string bytes;
  base::AppendFixed64(bytes, text.content_hash);
  base::AppendFixed64(bytes, text.site);
  for (const uint64_t band : text.sketch.bands) base::AppendFixed64(bytes, band);
  for (const uint64_t bits : text.sketch.parity) base::AppendFixed64(bytes, bits);
  base::AppendVarint(bytes, text.sketch.words);
  base::AppendFixed64(bytes, text.sketch.lasting);
  return bytes;
}

std::optional<NearText> DecodeNearText(std::string_view bytes) {
  base::Decoder decoder(bytes);
  NearText text;
  text.content_hash = decoder.Fixed64();
  text.site = decoder.Fixed64();
  for (uint64_t& band : text.sketch.bands) band = decoder.Fixed64();
  for (uint64_t& bits : text.sketch.parity) bits = decoder.Fixed64();
  const uint64_t words = decoder.Varint();
  if (decoder.ok() && !decoder.done()) text.sketch.lasting = decoder.Fixed64();
  if (!decoder.done() || words > UINT32_MAX) return std::nullopt;
  text.sketch.words = static_cast<uint32_t>(words);
  return text;
}

}  // namespace opic::desk
