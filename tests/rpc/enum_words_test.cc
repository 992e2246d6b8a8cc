// Every value that a module knows has a value in proto/opic/v1, whose word is its name.
#include "rpc/enum_words.h"

#include <gtest/gtest.h>

#include "base/log.h"
#include "importance/push.h"
#include "ledger/rows.h"
#include "node/crawl_memory.h"
#include "node/page_filter.h"
#include "node/phase.h"
#include "opic/v1/control.pb.h"
#include "opic/v1/importance.pb.h"
#include "opic/v1/scheduler.pb.h"
#include "refresh/publication.h"
#include "scheduler/scheduler.h"
#include "url/trap.h"

namespace opic::rpc {
namespace {

template <typename Enum>
void ExpectWord(std::string_view word) {
  const auto value = ValueOf<Enum>(word);
  EXPECT_NE(static_cast<int>(value), 0) << word;
  EXPECT_EQ(WordOf(value), word);
}

// The values of the module: 0 to `last`.
template <typename Enum, typename Value, typename NameOf>
void ExpectWords(Value last, NameOf name) {
  int values = 0;
  for (int value = 0; value <= static_cast<int>(last); ++value, ++values)
    ExpectWord<Enum>(name(static_cast<Value>(value)));
  EXPECT_EQ(google::protobuf::GetEnumDescriptor<Enum>()->value_count(), values + 1);
}

TEST(EnumWordsTest, AreTheNamesThatTheModulesHave) {
  ExpectWords<v1::CrawlPhase>(node::Phase::kFinished, [](auto of) { return node::Name(of); });
  ExpectWords<v1::LogLevel>(base::LogLevel::kError, [](auto of) { return base::Name(of); });
  ExpectWords<v1::CrawlScope>(url::ScopeKind::kAny, [](auto of) { return node::Name(of); });
  ExpectWords<v1::TrapUse>(url::TrapUse::kSkip, [](auto of) { return url::Name(of); });
  ExpectWords<v1::Treatment>(refresh::Treatment::kBoost,
                             [](auto of) { return refresh::NameOf(of); });
  ExpectWords<v1::PublicationTarget>(refresh::Target::kDomain,
                                     [](auto of) { return refresh::NameOf(of); });
  ExpectWords<v1::WaitReason>(scheduler::HostWait::kNext,
                              [](auto of) { return scheduler::Name(of); });
  for (const auto method : {importance::Method::kPush, importance::Method::kWindow})
    ExpectWord<v1::RankingMethod>(importance::Name(method));
}

TEST(EnumWordsTest, StatesOfPagesAreThoseOfTheirVisits) {
  ExpectWord<v1::PageState>(node::kUnreadState);
  for (int kind = 0; kind < ledger::kVisitKinds; ++kind) {
    const std::string_view word = ledger::Name(static_cast<ledger::VisitKind>(kind));
    if (node::IsState(word)) ExpectWord<v1::PageState>(word);
  }
}

TEST(EnumWordsTest, WhatIsNotKnownIsUnspecified) {
  EXPECT_EQ(ValueOf<v1::PageState>("read"), v1::PAGE_STATE_UNSPECIFIED);
  EXPECT_EQ(ValueOf<v1::PageState>(""), v1::PAGE_STATE_UNSPECIFIED);
  EXPECT_EQ(ValueOf<v1::PageState>("unspecified"), v1::PAGE_STATE_UNSPECIFIED);
  EXPECT_EQ(WordOf(v1::PAGE_STATE_UNSPECIFIED), "");
  EXPECT_EQ(WordOf(static_cast<v1::PageState>(99)), "");
}

TEST(EnumWordsTest, AValueOfALaterReleaseIsRefused) {
  EXPECT_EQ(WordTold("scope", v1::CRAWL_SCOPE_ANY).value(), "any");
  EXPECT_EQ(WordTold("scope", v1::CRAWL_SCOPE_UNSPECIFIED).value(), "");
  const absl::Status refused = WordTold("scope", static_cast<v1::CrawlScope>(9)).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused)) << refused;
  EXPECT_EQ(refused.message(), "scope: there is none with the number 9");
}

}  // namespace
}  // namespace opic::rpc
