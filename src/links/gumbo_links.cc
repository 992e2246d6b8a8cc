#include "links/gumbo_links.h"

#include <gumbo.h>

#include <string>
#include <vector>

#include "links/arena.h"

namespace opic::links {
namespace {

void* AllocateFrom(void* arena, size_t size) { return static_cast<Arena*>(arena)->Allocate(size); }
void FreeTo(void* arena, void* pointer) { static_cast<Arena*>(arena)->Free(pointer); }

Tag LinkTag(GumboTag tag) {
  switch (tag) {
    case GUMBO_TAG_A:
      return Tag::kA;
    case GUMBO_TAG_AREA:
      return Tag::kArea;
    case GUMBO_TAG_BASE:
      return Tag::kBase;
    case GUMBO_TAG_EMBED:
      return Tag::kEmbed;
    case GUMBO_TAG_FORM:
      return Tag::kForm;
    case GUMBO_TAG_FRAME:
      return Tag::kFrame;
    case GUMBO_TAG_IFRAME:
      return Tag::kIframe;
    case GUMBO_TAG_LINK:
      return Tag::kLink;
    case GUMBO_TAG_META:
      return Tag::kMeta;
    case GUMBO_TAG_OBJECT:
      return Tag::kObject;
    default:
      return Tag::kOther;
  }
}

std::optional<std::string_view> Value(const GumboElement& element, const char* name) {
  const GumboAttribute* attribute = gumbo_get_attribute(&element.attributes, name);
  if (attribute == nullptr) return std::nullopt;
  return attribute->value;
}

// Copies that the tree builder made of an element left open: the first one is a link already.
bool IsRepetition(const GumboNode& node) {
  return (node.parse_flags & (GUMBO_INSERTION_ADOPTION_AGENCY_CLONED |
                              GUMBO_INSERTION_RECONSTRUCTED_FORMATTING_ELEMENT)) != 0;
}

bool BeginsBody(GumboTag tag) { return tag == GUMBO_TAG_BODY || tag == GUMBO_TAG_FRAMESET; }

void VisitNode(const GumboNode& node, LinkElements& elements) {
  if (node.type != GUMBO_NODE_ELEMENT || IsRepetition(node)) return;
  if (BeginsBody(node.v.element.tag)) elements.BodyBegins();
  const GumboElement& element = node.v.element;
  const Tag tag = LinkTag(element.tag);
  const bool foreign = element.tag_namespace != GUMBO_NAMESPACE_HTML;
  if (!IsLinkElement(tag, foreign)) return;
  elements.Visit(tag, foreign, [&](const char* name) { return Value(element, name); });
}

bool IsShadowRoot(const GumboNode& node) {
  return node.type == GUMBO_NODE_TEMPLATE &&
         IsShadowRootMode(Value(node.v.element, "shadowrootmode"));
}

// Before its children, in order, without recursion.
void WalkTree(const GumboNode& root, LinkElements& elements) {
  std::vector<const GumboNode*> ahead = {&root};  // the next one last
  while (!ahead.empty()) {
    const GumboNode& node = *ahead.back();
    ahead.pop_back();
    if (node.type != GUMBO_NODE_ELEMENT && !IsShadowRoot(node)) continue;
    VisitNode(node, elements);
    const GumboVector& children = node.v.element.children;
    for (unsigned i = children.length; i-- > 0;)
      ahead.push_back(static_cast<const GumboNode*>(children.data[i]));
  }
}

// Takes all tags out of the text that Gumbo is reading. The angle brackets stay: Gumbo, as
// packaged, asserts that the tag it has just read begins and ends with them.
void Blank(std::string& text) {
  for (char& c : text) {
    if (c != '<' && c != '>') c = ' ';
  }
}

}  // namespace

GumboOutcome GumboLinks(std::string_view text, size_t arena_bytes_max, LinkElements& elements) {
  std::string copy(text);
  Arena arena(arena_bytes_max, [&copy] { Blank(copy); });
  GumboOptions options = kGumboDefaultOptions;
  options.allocator = &AllocateFrom;
  options.deallocator = &FreeTo;
  options.userdata = &arena;
  options.max_errors = 0;
  const GumboOutput* output = gumbo_parse_with_options(&options, copy.data(), copy.size());
  if (!arena.exhausted() && output->root != nullptr) WalkTree(*output->root, elements);
  return {!arena.exhausted(), arena.bytes()};
}

}  // namespace opic::links
