// What opic publish prints, for people and as JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "refresh/publication.h"

namespace opic::cli {

// What a command has published: a line each as it goes, or one object of all when it ends.
//
// Thread safety: confined to one thread.
class PublishedOutput {
 public:
  explicit PublishedOutput(bool json) : json_(json) {}
  ~PublishedOutput();  // prints the object
  PublishedOutput(const PublishedOutput&) = delete;
  PublishedOutput& operator=(const PublishedOutput&) = delete;

  // `seeded`: its page was not known.
  void Add(const refresh::Publication& publication, bool seeded);

 private:
  struct Done {
    refresh::Publication publication;
    bool seeded;
  };
  const bool json_;
  std::vector<Done> done_;
};

// Nothing for people.
void PrintWithdrawn(const std::vector<uint64_t>& ids, bool json);

struct ListedPublication {
  refresh::Publication publication;
  std::vector<std::string> nodes;  // of a cluster, that have it
};

// In the order in which they were given. `nodes`: how many have answered; `missing`: which have
// not. The exit code.
int ShowPublications(std::vector<ListedPublication> list, size_t nodes,
                     const std::vector<std::string>& missing, bool json);

}  // namespace opic::cli
