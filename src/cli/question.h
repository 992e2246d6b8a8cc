// A command that asks a node, a cluster or a folder at rest: its flags, its target, its exit code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/target.h"

namespace opic::cli {

// Runs `ask` on the target that the flags name; its status becomes the exit code.
template <typename Flags>
int Ask(const Flags& flags, const std::function<absl::StatusOr<int>(Target&)>& ask) {
  absl::StatusOr<Target> target = Target::Find(flags);
  if (!target.ok()) return PrintError(target.status());
  const absl::StatusOr<int> code = ask(*target);
  return code.ok() ? *code : PrintError(code.status());
}

template <typename Flags>
Command QuestionCommand(CLI::App& opic, const char* name, const char* description,
                        absl::StatusOr<int> (*run)(const Flags&, Target&),
                        const std::function<void(CLI::App&, Flags&)>& more) {
  auto flags = std::make_shared<Flags>();
  CLI::App* app = opic.add_subcommand(name, description);
  flags->AddTo(*app);
  if (more) more(*app, *flags);
  return {app, [flags, run] {
            return Ask(*flags, [&](Target& target) { return run(*flags, target); });
          }};
}

}  // namespace opic::cli
