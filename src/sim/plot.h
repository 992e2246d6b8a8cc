// Line plots as SVG 1.1: what a reader holds beside a figure of the paper. No scripts, no outside
// fonts or files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace opic::sim {

// One line of a plot with a marker at each point; shown in the legend by its name.
struct Series {
  std::string name;
  std::vector<std::pair<double, double>>
      points;                        // (x, y), x ascending; points that are not finite are left out
  std::vector<double> spreads = {};  // drawn up and down from each point; empty: none
  bool dashed = false;
  // The series whose colour this one has; its own by default.
  std::optional<size_t> as = std::nullopt;
};

enum class Scale { kLinear, kLog };

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  Scale y_scale = Scale::kLinear;  // kLog leaves out points with y <= 0
  std::vector<Series> series;
  // kLog has points with x = 0 at the left end, before the logarithmic part of the axis.
  Scale x_scale = Scale::kLinear;
  std::string note = {};  // a line below everything: what was drawn and how to draw it again
};

// The whole SVG document. Deterministic; axes begin at 0 (linear) or at a power of ten (log;
// across: at 1, 2 or 5 times one).
// Total: a plot without points has axes from 0 to 1.
std::string RenderSvg(const Plot& plot);

}  // namespace opic::sim
