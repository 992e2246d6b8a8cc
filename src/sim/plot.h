// Line plots as SVG 1.1: what a reader holds beside a figure of the paper. No scripts, no outside
// fonts or files.
#pragma once

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
};

enum class Scale { kLinear, kLog };

struct Plot {
  std::string title;
  std::string x_label;
  std::string y_label;
  Scale y_scale = Scale::kLinear;  // kLog leaves out points with y <= 0
  std::vector<Series> series;
};

// The whole SVG document. Deterministic; axes begin at 0 (linear) or at a power of ten (log).
// Total: a plot without points has axes from 0 to 1.
std::string RenderSvg(const Plot& plot);

}  // namespace opic::sim
