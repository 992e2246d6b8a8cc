// Window policies of Adaptive OPIC (paper section 3.3, ALGORITHM section 2): what is kept of a page's past, and the
// importance estimated from it.
//
// A measure is (C, G): the cash recorded at a visit and the clock after adding it. T is in units of G.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cash/amount.h"

namespace opic::importance {

enum class WindowKind : uint8_t { kNone = 0, kFixed = 1, kImprovedFixed = 2, kVariable = 3, kInterpolation = 4 };
std::optional<WindowKind> WindowFromName(std::string_view name);
std::string_view Name(WindowKind kind);

struct WindowOptions {
  WindowKind kind = WindowKind::kInterpolation;
  double supplies = 8;       // T in supplies (ALGORITHM section 2)
  uint32_t measures = 8;     // k of kVariable; minimum of kImprovedFixed is 3
  cash::Sum T() const;
};

// What is kept of one page. Bounded: at most 64 measures, longer histories are compressed by merging neighbours.
struct History {
  double h = 0;              // kInterpolation: H[i]; kNone: the exact sum of recorded cash is in `sum`
  cash::Sum sum = 0;         // all cash ever recorded
  cash::Sum stamp = 0;       // G[i] of the last visit, or of the discovery before the first one
  struct Measure { uint64_t cash; cash::Sum g; };
  std::vector<Measure> measures;  // kFixed, kImprovedFixed, kVariable: oldest first
  cash::Sum before = 0;      // those kinds: the stamp before the first measure
};

// Thread safety: immutable.
class Window {
 public:
  explicit Window(const WindowOptions& options) : options_(options) {}
  // A page discovered when the clock was `g`; `prior` is its default importance (ALGORITHM section 2), 0 for none.
  History Discovered(cash::Sum g, double prior) const;
  // Records a visit that took `paid`; `g` is the clock after adding it.
  void Visit(History& history, cash::Amount paid, cash::Sum g) const;
  // Estimated importance (share of 1) at clock `g` with present cash `cash`; `on_pages` is the cash on all real pages
  // now, used by kNone: X = (H + C) / (G + cash on pages).
  double Estimate(const History& history, cash::Amount cash, cash::Sum g, cash::Sum on_pages) const;
  const WindowOptions& options() const { return options_; }

  // The stored form; Decode refuses (nullopt) what Encode did not write.
  void Encode(const History& history, std::string& out) const;
  std::optional<History> Decode(std::string_view& bytes) const;  // consumes what it reads

 private:
  WindowOptions options_;
};

}  // namespace opic::importance
