// What a shell reads to complete the commands and options of a program, made from its help.
//
// Each script finds the command that the line has come to ("opic cluster init"), and offers its
// commands, its options, the choices of an option, and files where there is nothing else.
//
// Thread safety: pure.
#pragma once

#include <string>

#include "cli/program_help.h"

namespace opic::cli {

std::string BashCompletion(const HelpCommand& program);
std::string ZshCompletion(const HelpCommand& program);
std::string FishCompletion(const HelpCommand& program);

}  // namespace opic::cli
