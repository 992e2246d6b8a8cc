#include "ledger/charter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/encoding.h"
#include "ledger/trim_note.h"

namespace opic::ledger {
namespace {

using ::testing::HasSubstr;

Charter SomeCharter() {
  Charter charter;
  charter.cluster_id = 99;
  charter.shards = 64;
  charter.shard_by = url::ShardBy::kUrl;
  charter.epsilon = cash::SmallEdge::FromShare(0.2);
  charter.window = {importance::WindowKind::kVariable, 3.5, 5};
  charter.keep_links = false;
  return charter;
}

TEST(Charter, IsReadBack) {
  const Charter read = Charter::Decode(SomeCharter().Encode()).value();
  EXPECT_EQ(read.cluster_id, 99u);
  EXPECT_EQ(read.supply, cash::kSupply);
  EXPECT_TRUE(read.AgreesWith(SomeCharter()).ok());
}

TEST(Charter, EveryFlippedBitIsNoticed) {
  const std::string sound = SomeCharter().Encode();
  for (size_t bit = 0; bit < 8 * sound.size(); ++bit) {
    std::string bytes = sound;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ 1 << bit % 8);
    EXPECT_FALSE(Charter::Decode(bytes).ok()) << "bit " << bit;
  }
  EXPECT_TRUE(absl::IsDataLoss(Charter::Decode(sound.substr(0, 20)).status()));
  EXPECT_TRUE(absl::IsDataLoss(Charter::Decode("").status()));
}

TEST(Charter, OfAnotherFormatVersionIsNamedAsSuch) {
  std::string bytes = SomeCharter().Encode();
  bytes[12] = 77;  // behind "opic charter"
  const absl::Status status = Charter::Decode(bytes).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("format version 77"));
}

// Those of version 7 had referrers, as those of version 9 have.
TEST(Charter, ReferrersAreKeptFromVersionToVersion) {
  const auto of_version = [](char version) {
    std::string bytes = SomeCharter().Encode();
    bytes[12] = version;
    bytes.resize(bytes.size() - 8);
    base::AppendFixed64(bytes, base::Hash64(bytes));
    return Charter::Decode(bytes).value();
  };
  for (const char version : {6, 8}) {
    EXPECT_FALSE(of_version(version).referrers);
    EXPECT_EQ(of_version(version).written_version(), 8u);
  }
  for (const char version : {7, 9}) {
    EXPECT_TRUE(of_version(version).referrers);
    EXPECT_EQ(of_version(version).written_version(), 9u);
  }
}

TEST(Charter, TheFirstDifferenceIsNamed) {
  const auto difference = [](auto change) {
    Charter wanted = SomeCharter();
    change(wanted);
    const absl::Status status = SomeCharter().AgreesWith(wanted);
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    return std::string(status.message());
  };
  EXPECT_THAT(difference([](Charter& c) { c.shards = 2; }), HasSubstr("shards = 64"));
  EXPECT_THAT(difference([](Charter& c) { c.supply = cash::Amount(5); }), HasSubstr("supply"));
  EXPECT_THAT(difference([](Charter& c) { c.shard_by = url::ShardBy::kHost; }), HasSubstr("h_url"));
  EXPECT_THAT(difference([](Charter& c) { c.epsilon.parts = 1; }), HasSubstr("epsilon"));
  EXPECT_THAT(difference([](Charter& c) { c.window.kind = {}; }), HasSubstr("variable"));
  EXPECT_THAT(difference([](Charter& c) { c.window.supplies = 4; }), HasSubstr("3.5"));
  EXPECT_THAT(difference([](Charter& c) { c.window.measures = 4; }), HasSubstr("measures"));
  EXPECT_THAT(difference([](Charter& c) { c.keep_links = true; }), HasSubstr("forgotten"));
}

TEST(Charter, AgreesWithItsOwnClusterNodeAndGenerationOnly) {
  Charter wanted = SomeCharter();
  wanted.birth = 77;  // drawn when a folder is made; who opens it again does not know it
  EXPECT_TRUE(SomeCharter().AgreesWith(wanted).ok());
  wanted.cluster_id = 0;
  EXPECT_THAT(SomeCharter().AgreesWith(wanted).message(), HasSubstr("cluster"));
  wanted = SomeCharter();
  wanted.node = NodeId{3};
  EXPECT_THAT(SomeCharter().AgreesWith(wanted).message(), HasSubstr("node = 0"));
  wanted = SomeCharter();
  wanted.generation = 2;
  EXPECT_THAT(SomeCharter().AgreesWith(wanted).message(), HasSubstr("generation 1"));
}

TEST(Charter, WhatNoCrawlCanBeginWithIsInvalid) {
  const auto invalid = [](auto change) {
    Charter charter;
    change(charter);
    return absl::IsInvalidArgument(charter.Validate());
  };
  EXPECT_TRUE(Charter().Validate().ok());
  EXPECT_TRUE(invalid([](Charter& c) { c.shards = 0; }));
  EXPECT_TRUE(invalid([](Charter& c) { c.supply = cash::Amount(5); })) << "less than the genesis";
  EXPECT_TRUE(invalid([](Charter& c) { c.shards = 1000; }));
  EXPECT_TRUE(invalid([](Charter& c) { c.shards = 1 << 17; }));
  EXPECT_TRUE(invalid([](Charter& c) { c.supply = cash::Amount(); }));
  EXPECT_TRUE(invalid([](Charter& c) { c.supply = cash::Amount(cash::kSupply.units() + 1); }));
  EXPECT_TRUE(invalid([](Charter& c) { c.window.supplies = -1; }));
}

TEST(TrimNote, IsReadBack) {
  const TrimNote note{.journal_begin = 1000, .positions = {{ShardId{0}, 7}, {ShardId{63}, 999}}};
  const TrimNote read = DecodeTrimNote(Encode(note), 64).value();
  EXPECT_EQ(read.journal_begin, 1000u);
  EXPECT_EQ(read.positions, note.positions);
}

TEST(TrimNote, ThatNamesNoShardOfOursIsRefused) {
  const TrimNote note{.journal_begin = 1, .positions = {{ShardId{64}, 7}}};
  EXPECT_TRUE(absl::IsDataLoss(DecodeTrimNote(Encode(note), 64).status()));
}

TEST(TrimNote, DamagedItIsRefused) {
  const std::string sound = Encode(TrimNote{.journal_begin = 5, .positions = {{ShardId{1}, 2}}});
  for (size_t size = 0; size < sound.size(); ++size) {
    EXPECT_FALSE(DecodeTrimNote(sound.substr(0, size), 64).ok()) << size;
  }
  std::string bytes = sound;
  bytes[0] = 6;
  EXPECT_FALSE(DecodeTrimNote(bytes, 64).ok());
}

}  // namespace
}  // namespace opic::ledger
