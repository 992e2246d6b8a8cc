// Window policies of Adaptive OPIC (paper section 3.3, docs/algorithm.md section 3): what is kept
// of a page's past, and the importance estimated from it.
//
// A measure is (C, G): the cash recorded at a visit and the clock after adding it. The window is
// the stretch of clock (G - T, G]; T is in units of G. What one crawl of N pages adds to G depends
// on the strategy: about 1 supply for Random, 2 for Cycle, 2.4 to 3.4 for Greedy, 4.1 to 4.7 for
// the threshold sweep.
//
// Each policy's estimate X:
//
// * kNone: (H + C) / (G + cash on pages), section 2.
// * kFixed: of the measures since G - T, the sum of their C and the present C, over the clock since
//   the stamp before the first of them.
// * kImprovedFixed: the same, but never of fewer than 3 measures.
// * kVariable: the same, of the last k measures.
// * kInterpolation: H alone, brought to now by equation 3.3, over the window.
//
// Until the clock reaches T the window is all of the past since the *origin*: W(G) = min(T, G -
// origin). The origin is 0, or the clock at which the graph came to stand still: what pages earned
// while most of the graph was unknown says nothing about it (docs/decisions/2026-11-21-origin.md).
// Equation 3.3 then reads, with d = G - G[i],
//
//   H' = H * (W(G) - d) / W(G[i]) + C   if d < W(G),   else   C * W(G) / d
//
// which is the paper's for G[i] - origin >= T and the plain sum H + C while G < T.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "cash/amount.h"

namespace opic::importance {

enum class WindowKind : uint8_t {
  kNone = 0,
  kFixed = 1,
  kImprovedFixed = 2,
  kVariable = 3,
  kInterpolation = 4
};
// "none", "fixed", "improved-fixed", "variable", "interpolation".
std::optional<WindowKind> WindowFromName(std::string_view name);
std::string_view Name(WindowKind kind);

inline constexpr uint32_t kMeasuresMax = 64;         // a longer history is compressed
inline constexpr uint32_t kImprovedMeasuresMin = 3;  // of kImprovedFixed

struct WindowOptions {
  WindowKind kind = WindowKind::kInterpolation;
  double supplies = 8;    // T in supplies; 1e-9 to 1e12
  uint32_t measures = 8;  // k of kVariable; 1 to kMeasuresMax
  cash::Sum T() const;
};

// InvalidArgument names the option that is out of its range.
absl::Status Validate(const WindowOptions& options);

// What is kept of one page. Bounded: at most kMeasuresMax measures; of a longer history those two
// neighbours are merged that cover the shortest stretch of clock. A zero value is a page discovered
// at clock 0.
struct History {
  double h = 0;         // kInterpolation: H[i], whole units of cash, at most about T
  cash::Sum sum = 0;    // all cash ever recorded, exact; kNone's H
  cash::Sum stamp = 0;  // G[i] of the last visit, or of the discovery before the first one
  struct Measure {
    cash::Sum cash;  // recorded since the measure before
    cash::Sum g;
    friend bool operator==(const Measure&, const Measure&) = default;
  };
  std::vector<Measure>
      measures;          // kFixed, kImprovedFixed, kVariable: oldest first, stamps ascending
  cash::Sum before = 0;  // those kinds: the stamp before the first measure
  friend bool operator==(const History&, const History&) = default;
};

// A clock behind a history's stamp (a shard that moved to a node whose peers' clocks are a little
// old) counts as that stamp. Total: no history or clock makes a method fail.
//
// Thread safety: immutable.
class Window {
 public:
  // REQUIRES: Validate(options) is ok.
  explicit Window(const WindowOptions& options);

  // A page discovered when the clock was `g`; `prior` is its default importance (docs/algorithm.md
  // section 3; see newcomers.h), 0 for none. The prior stands as history of the window before `g`,
  // which begins at the origin unless the kind keeps some measures however old; kNone, an exact
  // account, takes none.
  History Discovered(cash::Sum g, double prior, cash::Sum origin) const;

  // Records a visit that took `paid`; `g` is the clock after adding it.
  void Visit(History& history, cash::Amount paid, cash::Sum g, cash::Sum origin = 0) const;

  // Estimated importance (share of 1) at clock `g` with present cash `cash`; `on_pages` is the cash
  // on all real pages now, used by kNone. 0 while the clock has not moved since the page's
  // discovery and nothing else is known.
  double Estimate(const History& history, cash::Amount cash, cash::Sum g, cash::Sum on_pages,
                  cash::Sum origin = 0) const;

  const WindowOptions& options() const { return options_; }

  // The stored form, some 20 bytes for kInterpolation; the kind of window is not in it. All numbers
  // are varints:
  //
  // * kNone: sum, stamp
  // * kInterpolation: H, sum, stamp
  // * the others: sum, before, number of measures, then each measure's cash and its stamp less the
  //   one before
  void Encode(const History& history, std::string& out) const;
  // Consumes what it reads of `bytes`. Refuses (nullopt, `bytes` as it was) what Encode would not
  // write.
  std::optional<History> Decode(std::string_view& bytes) const;

 private:
  bool keeps_measures() const;
  cash::Sum WindowAt(cash::Sum g, cash::Sum origin) const;  // W(G)
  double Interpolated(const History& history, double cash, cash::Sum g,
                      cash::Sum origin) const;  // equation 3.3, at g >= stamp
  // How many of the oldest measures no longer count at clock `g`.
  size_t Expired(const History& history, cash::Sum g, cash::Sum origin) const;
  void Append(History& history, cash::Amount paid, cash::Sum g, cash::Sum origin) const;
  double OverMeasures(const History& history, cash::Amount cash, cash::Sum g,
                      cash::Sum origin) const;

  WindowOptions options_;
  cash::Sum t_;
};

}  // namespace opic::importance
