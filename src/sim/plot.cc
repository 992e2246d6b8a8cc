#include "sim/plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace opic::sim {
namespace {

constexpr double kPlotWidth = 860, kPlotHeight = 500;
constexpr double kLeft = 70, kRight = 270, kTop = 44,
                 kBottom = 76;  // margins; the legend is at the right, the note at the bottom
constexpr double kInnerWidth = kPlotWidth - kLeft - kRight,
                 kInnerHeight = kPlotHeight - kTop - kBottom;

// Okabe and Ito's palette: told apart by colour-blind readers too.
constexpr std::array<std::string_view, 8> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                      "#56b4e9", "#e69f00", "#000000", "#999999"};

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// From values to pixels along one axis, and where its ticks are.
struct Axis {
  double low = 0, high = 1;
  Scale scale = Scale::kLinear;
  std::vector<double> ticks;
  double zero_room = 0;  // of the axis, left of a logarithmic scale for the value 0

  double Fraction(double value) const {
    if (scale == Scale::kLog && value <= 0) return 0;
    if (scale == Scale::kLog) {
      return zero_room + (1 - zero_room) * std::log10(value / low) / std::log10(high / low);
    }
    return (value - low) / (high - low);
  }
};

// 1, 2 or 5 times a power of ten, so that about six steps cover `span`.
double NiceStep(double span) {
  const double power = std::pow(10, std::floor(std::log10(span / 6)));
  for (double factor : {1.0, 2.0, 5.0}) {
    if (span <= 7 * factor * power) return factor * power;
  }
  return 10 * power;
}

Axis LinearAxis(double largest) {
  Axis axis;
  if (largest <= 0) largest = 1;
  const double step = NiceStep(largest);
  const double steps = std::max(1.0, std::ceil(largest / step - 1e-9));
  axis.high = steps * step;
  for (double i = 0; i <= steps; ++i) axis.ticks.push_back(i * step);
  return axis;
}

Axis LogAxis(double smallest, double largest) {
  Axis axis{.scale = Scale::kLog};
  const double first = std::floor(std::log10(smallest) + 1e-9);
  const double last = std::max(first + 1, std::ceil(std::log10(largest) - 1e-9));
  axis.low = std::pow(10, first);
  axis.high = std::pow(10, last);
  for (double power = first; power <= last; ++power) axis.ticks.push_back(std::pow(10, power));
  return axis;
}

// Of values that span few decades, as shares and rates do: from 1, 2 or 5 times a power of ten to
// another.
Axis FineLogAxis(double smallest, double largest, bool zero) {
  Axis axis{.scale = Scale::kLog, .zero_room = zero ? 0.12 : 0};
  if (zero) axis.ticks.push_back(0);
  double above = 0;  // the largest step that is not past the smallest value
  for (double power = std::pow(10, std::floor(std::log10(smallest) + 1e-9));; power *= 10) {
    for (double factor : {1.0, 2.0, 5.0}) {
      const double step = factor * power;
      if (step <= smallest * (1 + 1e-9)) {
        above = step;
        continue;
      }
      if (axis.ticks.size() == (zero ? 1u : 0u)) axis.ticks.push_back(axis.low = above);
      axis.ticks.push_back(axis.high = step);
      if (step >= largest * (1 - 1e-9)) return axis;
    }
  }
}

bool Drawable(const Plot& plot, double x, double y) {
  return std::isfinite(x) && std::isfinite(y) && x >= 0 &&
         (plot.y_scale == Scale::kLog ? y > 0 : y >= 0);
}

struct Frame {
  Axis x, y;
  double XPixel(double value) const { return kLeft + kInnerWidth * x.Fraction(value); }
  double YPixel(double value) const { return kTop + kInnerHeight * (1 - y.Fraction(value)); }
};

Frame FrameOf(const Plot& plot) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double x_high = 0, x_low = kInfinity, y_high = 0, y_low = kInfinity;
  bool x_zero = false;
  for (const Series& series : plot.series) {
    for (const auto& [x, y] : series.points) {
      if (!Drawable(plot, x, y)) continue;
      if (x == 0) x_zero = true;
      if (x > 0) x_low = std::min(x_low, x);
      x_high = std::max(x_high, x), y_high = std::max(y_high, y), y_low = std::min(y_low, y);
    }
  }
  const bool log = plot.y_scale == Scale::kLog && y_high > 0;
  const bool x_log = plot.x_scale == Scale::kLog && x_high > 0;
  return {x_log ? FineLogAxis(x_low, x_high, x_zero) : LinearAxis(x_high),
          log ? LogAxis(y_low, y_high) : LinearAxis(y_high)};
}

void DrawAxes(const Plot& plot, const Frame& frame, std::string& svg) {
  const double bottom = kTop + kInnerHeight;
  for (double tick : frame.x.ticks) {
    const double x = frame.XPixel(tick);
    absl::StrAppendFormat(&svg, "<path d=\"M%.1f %.1fv5\" stroke=\"#444\"/>\n", x, bottom);
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%g</text>\n", x,
                          bottom + 19, tick);
  }
  for (double tick : frame.y.ticks) {
    const double y = frame.YPixel(tick);
    absl::StrAppendFormat(&svg, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"#ddd\"/>\n", kLeft, y,
                          kInnerWidth);
    absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%g</text>\n",
                          kLeft - 7, y + 4, tick);
  }
  absl::StrAppendFormat(&svg, "<path d=\"M%.1f %.1fV%.1fH%.1f\" fill=\"none\" stroke=\"#444\"/>\n",
                        kLeft, kTop, bottom, kLeft + kInnerWidth);
  absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                        kLeft + kInnerWidth / 2, kTop + kInnerHeight + 42, Escaped(plot.x_label));
  absl::StrAppendFormat(
      &svg, "<text transform=\"translate(18 %.1f) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
      kTop + kInnerHeight / 2, Escaped(plot.y_label));
}

// A bar from y - spread to y + spread, as far as the axis goes.
void DrawSpread(const Plot& plot, const Frame& frame, double x, double y, double spread,
                std::string_view colour, std::string& svg) {
  if (!(spread > 0) || !std::isfinite(spread)) return;
  const double low = std::max(y - spread, plot.y_scale == Scale::kLog ? frame.y.low : 0);
  const double high = std::min(y + spread, frame.y.high);
  absl::StrAppendFormat(&svg,
                        "<path d=\"M%.1f %.1fV%.1fm-3 0h6M%.1f %.1fm-3 0h6\" stroke=\"%s\"/>\n",
                        frame.XPixel(x), frame.YPixel(low), frame.YPixel(high), frame.XPixel(x),
                        frame.YPixel(low), colour);
}

void DrawSeries(const Plot& plot, const Frame& frame, size_t index, std::string& svg) {
  const Series& series = plot.series[index];
  const std::string_view colour = kColours[series.as.value_or(index) % kColours.size()];
  const std::string_view dash = series.dashed ? " stroke-dasharray=\"5 4\"" : "";
  std::string path, markers;
  for (size_t i = 0; i < series.points.size(); ++i) {
    const auto& [x, y] = series.points[i];
    if (!Drawable(plot, x, y)) continue;
    if (i < series.spreads.size()) {
      DrawSpread(plot, frame, x, y, series.spreads[i], colour, markers);
    }
    const double px = frame.XPixel(x), py = frame.YPixel(y);
    absl::StrAppendFormat(&path, "%c%.1f %.1f", path.empty() ? 'M' : 'L', px, py);
    absl::StrAppendFormat(&markers, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", px,
                          py, colour);
  }
  if (!path.empty()) {
    absl::StrAppendFormat(&svg,
                          "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s/>\n",
                          path, colour, dash);
  }
  svg += markers;
  const double x = kLeft + kInnerWidth + 16, y = kTop + 12 + 20 * static_cast<double>(index);
  absl::StrAppendFormat(&svg, "<path d=\"M%.1f %.1fh20\" stroke=\"%s\" stroke-width=\"3\"%s/>\n", x,
                        y, colour, dash);
  absl::StrAppendFormat(&svg, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x + 27, y + 4,
                        Escaped(series.name));
}

}  // namespace

std::string RenderSvg(const Plot& plot) {
  const Frame frame = FrameOf(plot);
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" viewBox=\"0 0 %g %g\" "
      "font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%%\" height=\"100%%\" "
      "fill=\"white\"/>\n",
      kPlotWidth, kPlotHeight, kPlotWidth, kPlotHeight);
  absl::StrAppendFormat(
      &svg, "<text x=\"%.1f\" y=\"25\" text-anchor=\"middle\" font-size=\"16\">%s</text>\n",
      kLeft + kInnerWidth / 2, Escaped(plot.title));
  DrawAxes(plot, frame, svg);
  absl::StrAppendFormat(&svg,
                        "<text x=\"12\" y=\"%.1f\" font-size=\"11\" fill=\"#666\">%s</text>\n",
                        kPlotHeight - 8, Escaped(plot.note));
  for (size_t i = 0; i < plot.series.size(); ++i) DrawSeries(plot, frame, i, svg);
  return svg + "</svg>\n";
}

}  // namespace opic::sim
