#include "links/xml_parser.h"

#include <expat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>

namespace opic::links {
namespace {

// expat keeps each distinct name for the length of a document, some 13 bytes for a byte of it, and
// stops in good order when it gets no memory. Its allocator takes no context, hence the thread's
// own budget.
thread_local size_t bytes_left = 0;

// What expat can copy to a buffer whose size is a power of two and an int.
constexpr size_t kBodyBytesMax = std::numeric_limits<int>::max() / 4;

// In front of each block stands its size.
constexpr size_t kHeaderBytes = alignof(std::max_align_t);
static_assert(kHeaderBytes >= sizeof(size_t));

size_t SizeOf(void* memory) {
  size_t size;
  std::memcpy(&size, static_cast<char*>(memory) - kHeaderBytes, sizeof(size));
  return size;
}

void* Allocate(size_t size) {
  if (size > bytes_left) return nullptr;
  char* block = static_cast<char*>(std::malloc(kHeaderBytes + size));
  if (!block) return nullptr;
  std::memcpy(block, &size, sizeof(size));
  bytes_left -= size;
  return block + kHeaderBytes;
}

void Free(void* memory) {
  if (!memory) return;
  bytes_left += SizeOf(memory);
  std::free(static_cast<char*>(memory) - kHeaderBytes);
}

void* Reallocate(void* memory, size_t size) {
  void* grown = Allocate(size);
  if (!grown || !memory) return grown;
  std::memcpy(grown, memory, std::min(size, SizeOf(memory)));
  Free(memory);
  return grown;
}

// What the callbacks of one parse share.
struct Listener {
  XML_Parser parser;
  XmlEvents& events;
  bool stopped = false;

  void Stop() {
    stopped = true;
    XML_StopParser(parser, XML_FALSE);
  }
};

void OnStart(void* user, const XML_Char* name, const XML_Char** attributes) {
  auto* listener = static_cast<Listener*>(user);
  if (listener->stopped) return;
  if (listener->events.OnStart(name, XmlAttributes(attributes)) == XmlEvents::Next::kStop) {
    listener->Stop();
  }
}

// After a stop expat still ends the element whose tag was "<a/>"; nobody has to know.
void OnEnd(void* user, const XML_Char*) {
  auto* listener = static_cast<Listener*>(user);
  if (!listener->stopped) listener->events.OnEnd();
}

void OnText(void* user, const XML_Char* text, int size) {
  auto* listener = static_cast<Listener*>(user);
  if (!listener->stopped) listener->events.OnText({text, static_cast<size_t>(size)});
}

void OnInstruction(void* user, const XML_Char* target, const XML_Char* data) {
  auto* listener = static_cast<Listener*>(user);
  if (!listener->stopped) listener->events.OnInstruction(target, data);
}

// Entities may double with each line of the DTD; default attributes are copied to each element.
void OnEntityDeclaration(void* user, const XML_Char*, int, const XML_Char*, int, const XML_Char*,
                         const XML_Char*, const XML_Char*, const XML_Char*) {
  static_cast<Listener*>(user)->Stop();
}
void OnAttributeDeclaration(void* user, const XML_Char*, const XML_Char*, const XML_Char*,
                            const XML_Char*, int) {
  static_cast<Listener*>(user)->Stop();
}

void Listen(Listener& listener) {
  XML_Parser parser = listener.parser;
  XML_SetUserData(parser, &listener);
  XML_SetElementHandler(parser, OnStart, OnEnd);
  XML_SetCharacterDataHandler(parser, OnText);
  XML_SetProcessingInstructionHandler(parser, OnInstruction);
  XML_SetEntityDeclHandler(parser, OnEntityDeclaration);
  XML_SetAttlistDeclHandler(parser, OnAttributeDeclaration);
  // As if every document had an external subset, which we do not read: an entity that is not
  // declared may be declared there, so "&nbsp;" is no error.
  XML_UseForeignDTD(parser, XML_TRUE);
}

// Feeds write blank lines before the XML declaration, where none may stand.
std::string_view WithoutLeadingBlanks(std::string_view body) {
  if (body.substr(0, 3) == "\xEF\xBB\xBF") body.remove_prefix(3);
  return body.substr(std::min(body.find_first_not_of(" \t\r\n"), body.size()));
}

}  // namespace

XmlAttributes::XmlAttributes(const char* const* raw) : raw_(raw) {
  while (size_ < kXmlAttributesMax && raw_[2 * size_]) ++size_;
}

std::optional<std::string_view> XmlAttributes::Find(std::string_view wanted) const {
  for (size_t i = 0; i < size_; ++i) {
    if (name(i) == wanted) return value(i);
  }
  return std::nullopt;
}

bool ReadXml(std::string_view body, std::string_view charset, XmlEvents& events) {
  body = WithoutLeadingBlanks(body);
  if (body.size() > kBodyBytesMax) return false;
  bytes_left = kXmlMemoryBytesMax + 2 * body.size();
  const XML_Memory_Handling_Suite memory = {Allocate, Reallocate, Free};
  const std::string encoding(charset);
  // Without expat's own namespaces: it copies the namespace's name, of any length, for each
  // attribute.
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(
      XML_ParserCreate_MM(encoding.empty() ? nullptr : encoding.c_str(), &memory, nullptr),
      &XML_ParserFree);
  if (!parser) return false;
  Listener listener{parser.get(), events};
  Listen(listener);
  // In one piece: fed in pieces, expat scans a long token once for each of them.
  return XML_Parse(parser.get(), body.data(), static_cast<int>(body.size()), XML_TRUE) ==
         XML_STATUS_OK;
}

}  // namespace opic::links
