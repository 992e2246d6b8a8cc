// Which sample web a command serves.
//
// Thread safety: confined to one thread.
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
