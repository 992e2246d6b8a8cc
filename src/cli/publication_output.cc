#include "cli/publication_output.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "absl/strings/str_join.h"
#include "base/quoted.h"
#include "cli/exit_code.h"
#include "cli/human.h"
#include "cli/json_output.h"

namespace opic::cli {
namespace {

using refresh::Publication;
using refresh::Treatment;

nlohmann::ordered_json PublicationJson(const Publication& publication) {
  nlohmann::ordered_json json = {{"id", refresh::IdText(publication.id)},
                                 {"treatment", NameOf(publication.treatment)}};
  if (publication.treatment == Treatment::kEvery) json["period_s"] = publication.amount;
  if (publication.treatment == Treatment::kRate) json["changes_per_s"] = publication.amount;
  if (publication.treatment == Treatment::kBoost) json["factor"] = publication.amount;
  json["target"] = NameOf(publication.target);
  json["of"] = publication.of;
  if (!publication.by.empty()) json["by"] = publication.by;
  if (publication.given > 0) json["given"] = publication.given;
  if (publication.until > 0) json["until"] = publication.until;
  if (!publication.note.empty()) json["note"] = publication.note;
  return json;
}

std::string InWords(const Publication& publication) {
  return fmt::format("{}  {}, for {}", refresh::IdText(publication.id),
                     refresh::DescribeTreatment(publication), refresh::DescribeTarget(publication));
}

nlohmann::ordered_json ListJson(const std::vector<ListedPublication>& list,
                                const std::vector<std::string>& missing) {
  nlohmann::ordered_json json = {{"publications", nlohmann::ordered_json::array()}};
  for (const auto& [publication, nodes] : list) {
    nlohmann::ordered_json entry = PublicationJson(publication);
    if (!nodes.empty()) entry["nodes"] = nodes;
    json["publications"].push_back(std::move(entry));
  }
  if (!missing.empty()) json["missing_nodes"] = missing;
  return json;
}

void PrintListed(const ListedPublication& listed, size_t nodes) {
  const auto& [publication, of_nodes] = listed;
  fmt::print("{}\n            by {}, {}{}", InWords(publication), publication.by,
             UtcTime(publication.given),
             publication.until > 0 ? ", until " + UtcTime(publication.until) : "");
  if (!publication.note.empty()) fmt::print(": {}", base::Quoted(publication.note));
  if (!publication.IsErrandOfOne() && !of_nodes.empty() && of_nodes.size() < nodes)
    fmt::print(" (only on {})", absl::StrJoin(of_nodes, ", "));
  fmt::print("\n");
}

}  // namespace

PublishedOutput::~PublishedOutput() {
  if (!json_) return;
  nlohmann::ordered_json json = {{"publications", nlohmann::ordered_json::array()}};
  for (const auto& [publication, seeded] : done_) {
    json["publications"].push_back(PublicationJson(publication));
    json["publications"].back()["seeded"] = seeded;
  }
  PrintJson(json);
}

void PublishedOutput::Add(const Publication& publication, bool seeded) {
  done_.push_back({publication, seeded});
  if (json_) return;
  fmt::print("{}{}\n", InWords(publication),
             seeded ? " (the page was not known; it is a seed now)" : "");
}

void PrintWithdrawn(const std::vector<uint64_t>& ids, bool json) {
  if (!json) return;
  nlohmann::ordered_json object = {{"withdrawn", nlohmann::ordered_json::array()}};
  for (const uint64_t id : ids) object["withdrawn"].push_back(refresh::IdText(id));
  PrintJson(object);
}

int ShowPublications(std::vector<ListedPublication> list, size_t nodes,
                     const std::vector<std::string>& missing, bool json) {
  std::stable_sort(list.begin(), list.end(),
                   [](const ListedPublication& a, const ListedPublication& b) {
                     return a.publication.given < b.publication.given;
                   });
  if (json) {
    PrintJson(ListJson(list, missing));
  } else {
    for (const ListedPublication& listed : list) PrintListed(listed, nodes);
    if (list.empty()) fmt::print("Nothing is published.\n");
  }
  return missing.empty() ? kOk : kPartial;
}

}  // namespace opic::cli
