// Which sample web a command serves.
#pragma once

#include "sample/options.h"

namespace CLI {
class App;
}

namespace opic::cli {

struct SampleFlags {
  sample::Options web;

  void AddTo(CLI::App& app);
};

}  // namespace opic::cli
