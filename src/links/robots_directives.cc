#include "links/robots_directives.h"

#include "links/ascii.h"

namespace opic::links {
namespace {

void Apply(std::string_view directive, Result& result) {
  const bool none = EqualsLower(directive, "none");
  if (none || EqualsLower(directive, "nofollow")) result.nofollow = true;
  if (none || EqualsLower(directive, "noindex")) result.noindex = true;
}

// "max-snippet: 20" and "unavailable_after: <date>" have a colon and are no agents.
bool TakesValue(std::string_view name) {
  return StartsWithLower(name, "max-") || EqualsLower(name, "unavailable_after");
}

// No agent is called so, but the rest of a date behind its comma is: "25 Jun 2030 15:00:00 GMT".
bool HasBlank(std::string_view name) { return name.find_first_of(" \t") != name.npos; }

}  // namespace

void ApplyRobotsMeta(std::string_view content, Result& result) {
  ForEachPiece(content, ',', [&result](std::string_view piece) {
    // "noindex nofollow", without the comma, is a common mistake with a clear meaning.
    ForEachWord(piece, [&result](std::string_view word) { Apply(word, result); });
  });
}

void ApplyRobotsHeader(std::string_view value, std::string_view product_token, Result& result) {
  ForEachPiece(value, '\n', [&](std::string_view line) {
    bool ours = true;
    ForEachPiece(line, ',', [&](std::string_view piece) {
      const size_t colon = piece.find(':');
      const std::string_view name = Trim(piece.substr(0, colon));
      if (colon != std::string_view::npos && !HasBlank(name)) {
        if (TakesValue(name)) return;
        ours = name == "*" || EqualsNoCase(name, product_token);
        piece = Trim(piece.substr(colon + 1));
      }
      if (ours) Apply(piece, result);
    });
  });
}

}  // namespace opic::links
