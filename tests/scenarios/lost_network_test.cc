// A node loses its network in the middle of a crawl, and gets it back. In a network namespace of
// its own, whose one address goes and comes: needs a system that lets users make such, and no root.
#include "base/file.h"
#include "tests/scenarios/sample_crawl.h"

namespace opic::scenarios {
namespace {

using support::Process;

// Everything happens within. Exit code 77: the namespace cannot be had or set up.
constexpr char kScript[] = R"sh(
opic=$1 folder=$2
network() { ip addr "$1" 10.9.0.1/32 dev lo; }
fail() { echo "FAILED: $1"; "$opic" status --data "$folder/data"; exit 1; }
# Until `opic status` says so, for at most a minute.
await() {
  for _ in $(seq 300); do
    "$opic" status --data "$folder/data" --json >"$folder/status" 2>&1
    if grep -Eq "$1" "$folder/status"; then return 0; fi
    sleep 0.2
  done
  fail "never: $1"
}
ip link set lo up && network add || exit 77
# Bounded in time besides: this script may be killed.
web= crawl=
trap 'kill $web $crawl 2>/dev/null' EXIT
timeout 240 "$opic" sample-web --address 10.9.0.1 --sample-pages 400 --sample-hosts 8 >"$folder/web" 2>&1 &
web=$!
for _ in $(seq 300); do grep -q '^connect-to ' "$folder/web" && break; sleep 0.1; done
seed=$(sed -n 's/^seed //p' "$folder/web")
connect_to=$(sed -n 's/^connect-to //p' "$folder/web")
timeout 240 "$opic" crawl "$seed" --connect-to "$connect_to" --data "$folder/data" --scope any --attempts 1 \
  --delay 200ms --timeout 2s --allow-private --contact test@example.org >"$folder/crawl" 2>&1 &
crawl=$!
await '"pages_read": [1-9][0-9]'
network del
await '"without_network": true'
"$opic" status --data "$folder/data" >"$folder/said"
echo "status ended with $?"
"$opic" health --node "$(cat "$folder/data/node.address")" >>"$folder/said" 2>&1
echo "health ended with $?"
"$opic" explain --idle --data "$folder/data" >>"$folder/said"
cat "$folder/said"
# What was under way is put off, too.
await '"in_flight": 0,'
network add
wait $crawl
echo "crawl ended with $?"
"$opic" status --data "$folder/data" --json >"$folder/end"
cat "$folder/crawl"
)sh";

TEST(LostNetworkTest, NothingIsGivenUpAndEverythingIsFetchedInTheEnd) {
  const std::string folder = FreshFolder();
  ASSERT_TRUE(base::WriteFileDurably(folder + "/script", kScript).ok());
  Process process({"/bin/sh", "-c",
                   "unshare --user --map-root-user "
                   "--net true 2>/dev/null || exit 77; exec unshare --user --map-root-user --net "
                   "/bin/sh \"$@\"",
                   "sh", folder + "/script", Program("opic"), folder},
                  {.output = folder + "/out"});
  const std::optional<int> code = process.Wait(absl::Seconds(250));
  if (code == 77) GTEST_SKIP() << "no network namespace for users here: " << process.output();
  const std::string out = process.output();
  ASSERT_EQ(code, 0) << out;
  for (const char* said :
       {"status ended with 9", "health ended with 9", "crawl ended with 0",
        "attention  this node has had no network since",
        "Nothing is ordered now: the node has no network", "the network is back after"})
    EXPECT_NE(out.find(said), std::string::npos) << said << "\nin\n" << out;
  const absl::StatusOr<std::string> end = base::ReadFile(folder + "/end");
  ASSERT_TRUE(end.ok()) << out;
  const nlohmann::json status = nlohmann::json::parse(*end, nullptr, false);
  ASSERT_TRUE(status.is_object()) << *end;
  EXPECT_EQ(status["unread"], 0) << *end;
  EXPECT_EQ(status["by_state"].value("failed", 0), 0) << *end;
  EXPECT_GT(status["by_state"].value("fetched", 0), 300) << *end;
}

}  // namespace
}  // namespace opic::scenarios
