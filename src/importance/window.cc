#include "importance/window.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace opic::importance {
namespace {

using Measure = History::Measure;

constexpr std::array<std::pair<WindowKind, std::string_view>, 5> kNames = {{
    {WindowKind::kNone, "none"},
    {WindowKind::kFixed, "fixed"},
    {WindowKind::kImprovedFixed, "improved-fixed"},
    {WindowKind::kVariable, "variable"},
    {WindowKind::kInterpolation, "interpolation"},
}};

double Ratio(cash::Sum part, cash::Sum whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// Merges the two neighbours that together cover the shortest stretch of clock, so that spans stay
// about equal.
void MergeShortestNeighbours(History& history) {
  std::vector<Measure>& measures = history.measures;
  size_t shortest = 0;
  cash::Sum shortest_span = std::numeric_limits<cash::Sum>::max();
  cash::Sum start = history.before;
  for (size_t i = 0; i + 1 < measures.size(); ++i) {
    const cash::Sum span = measures[i + 1].g - start;
    if (span < shortest_span) shortest = i, shortest_span = span;
    start = measures[i].g;
  }
  measures[shortest + 1].cash += measures[shortest].cash;
  measures.erase(measures.begin() + static_cast<std::ptrdiff_t>(shortest));
}

}  // namespace

std::optional<WindowKind> WindowFromName(std::string_view name) {
  for (const auto& [kind, its_name] : kNames) {
    if (its_name == name) return kind;
  }
  return std::nullopt;
}

std::string_view Name(WindowKind kind) {
  for (const auto& [its_kind, name] : kNames) {
    if (its_kind == kind) return name;
  }
  return "unknown";
}

cash::Sum WindowOptions::T() const {
  return static_cast<cash::Sum>(supplies * static_cast<double>(cash::kSupply.units()));
}

absl::Status Validate(const WindowOptions& options) {
  if (!(options.supplies >= 1e-9 && options.supplies <= 1e12)) {
    return absl::InvalidArgumentError("the window must be between 1e-9 and 1e12 supplies");
  }
  if (options.measures < 1 || options.measures > kMeasuresMax) {
    return absl::InvalidArgumentError("a variable window keeps 1 to 64 measures");
  }
  if (Name(options.kind) == "unknown") return absl::InvalidArgumentError("unknown window kind");
  return absl::OkStatus();
}

Window::Window(const WindowOptions& options) : options_(options), t_(0) {
  OPIC_CHECK(Validate(options).ok()) << Validate(options).message();
  t_ = options.T();
}

bool Window::keeps_measures() const {
  return options_.kind != WindowKind::kNone && options_.kind != WindowKind::kInterpolation;
}

cash::Sum Window::WindowAt(cash::Sum g, cash::Sum origin) const {
  return g > origin ? std::min(t_, g - origin) : 0;
}

History Window::Discovered(cash::Sum g, double prior, cash::Sum origin) const {
  History history{.stamp = g};
  const bool keeps_old =
      options_.kind == WindowKind::kImprovedFixed || options_.kind == WindowKind::kVariable;
  const cash::Sum window = WindowAt(g, keeps_old ? 0 : origin);
  const double earned = std::round(std::clamp(prior, 0.0, 1.0) * static_cast<double>(window));
  if (options_.kind == WindowKind::kInterpolation) history.h = earned;
  if (!keeps_measures()) return history;
  history.before = g;
  if (earned > 0) {
    history.before = g - window;
    history.measures.push_back({static_cast<cash::Sum>(earned), g});
  }
  return history;
}

void Window::Visit(History& history, cash::Amount paid, cash::Sum g, cash::Sum origin) const {
  g = std::max(g, history.stamp);
  if (options_.kind == WindowKind::kInterpolation) {
    history.h = std::round(Interpolated(history, static_cast<double>(paid.units()), g, origin));
  } else if (keeps_measures()) {
    Append(history, paid, g, origin);
  }
  history.sum += paid.units();
  history.stamp = g;
}

// Paper equation 3.3 with the window W(G) = min(T, G - origin). While that is below T the part of
// the old history that is still inside is all of it: W(G) - d = W(G[i]).
double Window::Interpolated(const History& history, double cash, cash::Sum g,
                            cash::Sum origin) const {
  const cash::Sum window = WindowAt(g, origin), elapsed = g - history.stamp;
  if (elapsed >= window) return elapsed == 0 ? cash : cash * Ratio(window, elapsed);
  return history.h * Ratio(window - elapsed, WindowAt(history.stamp, origin)) + cash;
}

void Window::Append(History& history, cash::Amount paid, cash::Sum g, cash::Sum origin) const {
  std::vector<Measure>& measures = history.measures;
  const bool clock_stood_still = g == history.stamp;
  if (!clock_stood_still) {
    measures.push_back({paid.units(), g});
  } else if (!measures.empty()) {
    measures.back().cash += paid.units();  // a stretch of no length would be no measure
  }
  const size_t expired = Expired(history, g, origin);
  if (expired > 0) {
    history.before = measures[expired - 1].g;
    measures.erase(measures.begin(), measures.begin() + static_cast<std::ptrdiff_t>(expired));
  }
  if (measures.size() > kMeasuresMax) MergeShortestNeighbours(history);
}

size_t Window::Expired(const History& history, cash::Sum g, cash::Sum origin) const {
  const std::vector<Measure>& measures = history.measures;
  const size_t kept_min = options_.kind == WindowKind::kVariable        ? options_.measures
                          : options_.kind == WindowKind::kImprovedFixed ? kImprovedMeasuresMin
                                                                        : 0;
  if (measures.size() <= kept_min) return 0;
  const size_t droppable = measures.size() - kept_min;
  if (options_.kind == WindowKind::kVariable) return droppable;
  const cash::Sum window = WindowAt(g, origin);
  size_t expired = 0;
  while (expired < droppable && g - measures[expired].g >= window) ++expired;
  return expired;
}

double Window::Estimate(const History& history, cash::Amount cash, cash::Sum g, cash::Sum on_pages,
                        cash::Sum origin) const {
  g = std::max(g, history.stamp);
  switch (options_.kind) {
    case WindowKind::kNone:  // section 2: (H + C) / (G + 1), the 1 without what the virtual page
                             // holds
      return Ratio(history.sum + cash.units(), g + on_pages);
    case WindowKind::kInterpolation: {
      const cash::Sum window = WindowAt(g, origin);
      if (window == 0) return Ratio(cash.units(), g - history.stamp);
      const double now = Interpolated(history, static_cast<double>(cash.units()), g, origin);
      return now / static_cast<double>(window);
    }
    default:
      return OverMeasures(history, cash, g, origin);
  }
}

double Window::OverMeasures(const History& history, cash::Amount cash, cash::Sum g,
                            cash::Sum origin) const {
  const size_t expired = Expired(history, g, origin);
  const cash::Sum start = expired == 0 ? history.before : history.measures[expired - 1].g;
  cash::Sum earned = cash.units();
  for (size_t i = expired; i < history.measures.size(); ++i) earned += history.measures[i].cash;
  return Ratio(earned, g - start);
}

}  // namespace opic::importance
