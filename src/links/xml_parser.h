// The events of an XML document that a stranger wrote [expat].
//
// No DTD: an internal subset that declares an entity or an attribute ends the parse, an external
// one is never asked for. References to entities other than XML's own five are skipped.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace opic::links {

// What the parser may hold for one document, beside its copy of it (at most twice the body).
inline constexpr size_t kXmlMemoryBytesMax = 32 << 20;
inline constexpr size_t kXmlAttributesMax = 256;  // of one element; further ones are not seen

// The attributes of one start tag, names with their prefixes, values decoded. Valid during the
// event.
class XmlAttributes {
 public:
  // `raw`: name, value, name, value, ..., null.
  explicit XmlAttributes(const char* const* raw);

  size_t size() const { return size_; }
  std::string_view name(size_t i) const { return raw_[2 * i]; }
  std::string_view value(size_t i) const { return raw_[2 * i + 1]; }
  std::optional<std::string_view> Find(std::string_view name) const;

 private:
  const char* const* raw_;
  size_t size_ = 0;
};

// Who listens. `name`, `text`, `data` are UTF-8 and valid during the event.
class XmlEvents {
 public:
  enum class Next { kGoOn, kStop };

  virtual ~XmlEvents() = default;
  virtual Next OnStart(std::string_view name, const XmlAttributes& attributes) = 0;
  virtual void OnEnd() = 0;
  virtual void OnText(std::string_view text) = 0;  // one text may come in many pieces
  virtual void OnInstruction(std::string_view target, std::string_view data) = 0;
};

// Reports the document to `events`. True if it is well-formed to its end; false after an error, a
// bound, a declaration as above, or when `events` stopped. `charset` as in ParseXml (xml_links.h).
// Thread safety: pure; `events` must not parse in turn.
bool ReadXml(std::string_view body, std::string_view charset, XmlEvents& events);

}  // namespace opic::links
