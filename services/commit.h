// What the programs were built from: a commit of git, with "+changes" behind it when the files were
// other ones; empty when it is not known. cmake/commit.cmake writes commit.cc.
#pragma once

extern const char kCommit[];
