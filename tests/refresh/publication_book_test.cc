// Publications: which holds for a page, their bounds, and their bytes.
#include "refresh/publication_book.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"

namespace opic::refresh {
namespace {

Publication Of(uint64_t id, Treatment treatment, double amount, Target target, std::string of) {
  Publication publication;
  publication.id = id;
  publication.treatment = treatment;
  publication.amount = amount;
  publication.target = target;
  publication.of = std::move(of);
  publication.by = "operator";
  publication.given = 1'700'000'000 + static_cast<int64_t>(id);
  return publication;
}

PublicationBook BookOf(const std::vector<Publication>& publications) {
  PublicationBook book;
  for (const Publication& publication : publications) EXPECT_TRUE(book.Add(publication).value());
  return book;
}

TEST(PublicationBookTest, TheMostSpecificOneHolds) {
  const PublicationBook book =
      BookOf({Of(1, Treatment::kEvery, 100, Target::kDomain, "a.test"),
              Of(2, Treatment::kEvery, 200, Target::kHost, "www.a.test"),
              Of(3, Treatment::kEvery, 300, Target::kPrefix, "http://www.a.test/d"),
              Of(4, Treatment::kEvery, 400, Target::kPrefix, "http://www.a.test/d/e/"),
              Of(5, Treatment::kEvery, 500, Target::kPrefix, "http://www.a.test/d/a"),
              Of(6, Treatment::kEvery, 600, Target::kUrl, "http://www.a.test/d/e/f"),
              Of(7, Treatment::kEvery, 700, Target::kDomain, "b.a.test")});
  const auto period = [&](const std::string& host, const std::string& path) {
    return book.RuleFor("http://" + host + path, host).period;
  };
  EXPECT_EQ(period("www.a.test", "/d/e/f"), 600);
  EXPECT_EQ(period("www.a.test", "/d/e/g"), 400);
  EXPECT_EQ(period("www.a.test", "/d/e"), 300) << "the longer prefix ends in /";
  EXPECT_EQ(period("www.a.test", "/d/z"), 300) << "sorted behind others of the same prefix";
  EXPECT_EQ(period("www.a.test", "/c"), 200);
  EXPECT_EQ(period("a.test", "/"), 100);
  EXPECT_EQ(period("x.y.a.test", "/"), 100);
  EXPECT_EQ(period("b.a.test", "/"), 700);
  EXPECT_EQ(period("x.b.a.test", "/"), 700);
  EXPECT_EQ(period("www.a.test.", "/"), 200) << "the same host";
  EXPECT_EQ(period("xa.test", "/"), 0) << "no subdomain";
  EXPECT_EQ(period("test", "/"), 0);
  EXPECT_EQ(period("x.www.a.test", "/"), 100) << "the host alone";
}

TEST(PublicationBookTest, OfOneTargetTheOneGivenLastHolds) {
  Publication later = Of(1, Treatment::kNever, 0, Target::kHost, "a.test");
  later.given += 100;
  PublicationBook book = BookOf({later, Of(2, Treatment::kEvery, 60, Target::kHost, "a.test")});
  EXPECT_TRUE(book.RuleFor("http://a.test/", "a.test").never);
  EXPECT_EQ(book.RuleFor("http://a.test/", "a.test").treated_by, 1u);
  EXPECT_TRUE(book.Remove(1).has_value());
  EXPECT_EQ(book.RuleFor("http://a.test/", "a.test").period, 60);
  EXPECT_FALSE(book.Remove(1).has_value());
}

// Their clocks differ by much more than the time between the two commands.
TEST(PublicationBookTest, TheUnionOfBooksKeepsTheOrderOfTheCommands) {
  const Publication never = Of(9, Treatment::kNever, 0, Target::kHost, "a.test");
  Publication every = Of(5, Treatment::kEvery, 60, Target::kHost, "a.test");
  every.given = never.given + 1;
  Publication elsewhere = never;  // and there the second one never came
  elsewhere.given += 1'000;
  for (const std::vector<Publication>& all :
       {UnionOf({never, every}, {elsewhere}), UnionOf({elsewhere}, {never, every})}) {
    EXPECT_EQ(all, (std::vector<Publication>{every, never}));
    PublicationBook book = BookOf({elsewhere});
    EXPECT_EQ(book.Adopt(all)->size(), 3u) << "one is new, one has another time than before";
    EXPECT_EQ(book.RuleFor("http://a.test/", "a.test").period, 60);
    EXPECT_EQ(book.list(), all);
    EXPECT_TRUE(book.Adopt(all)->empty());
    EXPECT_EQ(PublicationBook::Decode(book.Encode())->list(), all);
  }
}

TEST(PublicationBookTest, OfOneIdThatAsksDifferentThingsTheOneGivenLastIsTakenUp) {
  const Publication never = Of(1, Treatment::kNever, 0, Target::kHost, "a.test");
  Publication every = Of(1, Treatment::kEvery, 60, Target::kHost, "b.test");
  every.given = never.given + 1;
  EXPECT_EQ(UnionOf({never}, {every}), std::vector<Publication>{every});
  PublicationBook book = BookOf({never});
  ASSERT_TRUE(book.Adopt({every}).ok());
  EXPECT_EQ(book.list(), std::vector<Publication>{every});
  EXPECT_TRUE(book.Adopt({never})->empty());
}

TEST(PublicationBookTest, ABookThatWouldBeTooLargeTakesUpNothing) {
  PublicationBook book = BookOf({Of(1, Treatment::kNever, 0, Target::kHost, "a.test")});
  std::vector<Publication> many;
  for (uint64_t id = 1; id <= PublicationBook::kMax + 1; ++id)
    many.push_back(Of(id, Treatment::kNever, 0, Target::kHost, "a.test"));
  EXPECT_TRUE(absl::IsFailedPrecondition(book.Adopt(many).status()));
  EXPECT_EQ(book.size(), 1u);
  many.pop_back();
  ASSERT_TRUE(book.Adopt(many).ok());
  EXPECT_EQ(book.size(), PublicationBook::kMax);
  Publication wrong = Of(0, Treatment::kNever, 0, Target::kHost, "a.test");
  EXPECT_TRUE(absl::IsInvalidArgument(book.Adopt({wrong}).status()));
}

TEST(PublicationBookTest, AnErrandHidesNoTreatment) {
  PublicationBook book = BookOf({Of(1, Treatment::kEvery, 60, Target::kHost, "a.test"),
                                 Of(2, Treatment::kNow, 0, Target::kUrl, "http://a.test/b"),
                                 Of(3, Treatment::kNow, 0, Target::kPrefix, "http://a.test/c")});
  Rule rule = book.RuleFor("http://a.test/b", "a.test");
  EXPECT_TRUE(rule.errand);
  EXPECT_EQ(rule.period, 60);
  EXPECT_EQ(rule.sent_by, 2u);
  EXPECT_EQ(rule.treated_by, 1u);
  rule = book.RuleFor("http://a.test/cd", "a.test");
  EXPECT_FALSE(rule.errand) << "not of this very page";
  EXPECT_EQ(rule.read_since, 1'700'000'003);
  EXPECT_EQ(book.RuleFor("http://a.test/", "a.test").read_since, 0);
}

// "Never" keeps an errand of a wider target away, and not one of the page itself.
TEST(PublicationBookTest, NeverOfAMoreSpecificTargetKeepsErrandsAway) {
  PublicationBook book = BookOf({Of(1, Treatment::kNever, 0, Target::kPrefix, "http://a.test/b"),
                                 Of(2, Treatment::kNow, 0, Target::kHost, "a.test"),
                                 Of(3, Treatment::kNow, 0, Target::kUrl, "http://a.test/b/c")});
  EXPECT_EQ(book.RuleFor("http://a.test/b", "a.test").read_since, 0);
  EXPECT_GT(book.RuleFor("http://a.test/c", "a.test").read_since, 0);
  EXPECT_TRUE(book.RuleFor("http://a.test/b/c", "a.test").errand);
  EXPECT_TRUE(book.RuleFor("http://a.test/b/c", "a.test").never);
}

TEST(PublicationBookTest, RatesAndBoostsScaleThePlan) {
  const PublicationBook book = BookOf({Of(1, Treatment::kRate, 0.01, Target::kHost, "a.test"),
                                       Of(2, Treatment::kBoost, 10, Target::kHost, "b.test")});
  PagePlan plan;
  const Rule rate = book.RuleFor("http://a.test/", "a.test");
  EXPECT_EQ(rate.Scale(plan), 1) << "it is not known what rate it was planned with";
  plan.rate = RoundedRate::Of(0.0001);
  EXPECT_NEAR(rate.Scale(plan), std::pow(100, 0.95 / 1.95), 0.03 * rate.Scale(plan));
  EXPECT_DOUBLE_EQ(book.RuleFor("http://b.test/", "b.test").Scale(plan), std::pow(10, 1 / 1.95));
  EXPECT_EQ(book.RuleFor("http://c.test/", "c.test").Scale(plan), 1);
}

TEST(PublicationBookTest, TheyEnd) {
  Publication early = Of(1, Treatment::kNever, 0, Target::kHost, "a.test");
  early.until = 1'800'000'000;
  Publication late = Of(2, Treatment::kNever, 0, Target::kHost, "b.test");
  late.until = 1'900'000'000;
  PublicationBook book =
      BookOf({early, late, Of(3, Treatment::kNever, 0, Target::kHost, "c.test")});
  EXPECT_EQ(book.next_expiry(), early.until);
  EXPECT_TRUE(book.RemoveExpired(early.until - 1).empty());
  EXPECT_EQ(book.RemoveExpired(early.until), std::vector<Publication>{early});
  EXPECT_FALSE(book.RuleFor("http://a.test/", "a.test").never);
  EXPECT_EQ(book.next_expiry(), late.until);
  EXPECT_EQ(book.RemoveExpired(late.until).size(), 1u);
  EXPECT_EQ(book.next_expiry(), 0);
  EXPECT_EQ(book.size(), 1u);
}

// By a clock that was ahead.
TEST(PublicationBookTest, WhatIsGivenLaterThanNowCountsAsGivenNow) {
  constexpr int64_t kNow = 1'700'000'000;
  Publication first = Of(9, Treatment::kEvery, 60, Target::kHost, "a.test");
  Publication last = Of(2, Treatment::kNever, 0, Target::kHost, "a.test");
  Publication other = Of(3, Treatment::kNever, 0, Target::kDomain, "a.test");
  Publication earlier = Of(4, Treatment::kNever, 0, Target::kHost, "b.test");
  first.given = kNow, last.given = kNow + 7200, other.given = kNow + 3600;
  earlier.given = kNow - 10;
  PublicationBook book = BookOf({first, last, other, earlier});
  EXPECT_EQ(book.last_given(), kNow + 7200);
  EXPECT_EQ(book.BringBack(kNow).size(), 3u);
  EXPECT_EQ(book.last_given(), kNow);
  EXPECT_EQ(book.Find(2)->given, kNow);
  EXPECT_EQ(book.Find(9)->given, kNow - 1) << "it stays before the other one of its target";
  EXPECT_EQ(book.Find(3)->given, kNow);
  EXPECT_EQ(*book.Find(4), earlier);
  EXPECT_TRUE(book.RuleFor("http://a.test/", "a.test").never);
  EXPECT_TRUE(book.BringBack(kNow).empty());
  EXPECT_EQ(PublicationBook::Decode(book.Encode())->all(), book.all());
}

TEST(PublicationBookTest, TheSameAgainChangesNothing) {
  Publication first = Of(1, Treatment::kEvery, 60, Target::kHost, "a.test");
  PublicationBook book = BookOf({first});
  Publication again = first;
  again.given += 10, again.by = "somebody else";
  EXPECT_FALSE(book.Add(again).value());
  EXPECT_EQ(*book.Find(1), first);
  again.amount = 61;
  EXPECT_TRUE(absl::IsAlreadyExists(book.Add(again).status()));
}

TEST(PublicationBookTest, WhatIsOutOfBoundsIsRefused) {
  const double nan = std::nan("");
  const std::string host = "a.test", long_text(Publication::kTextMax + 1, 'a');
  Publication noted = Of(1, Treatment::kNever, 0, Target::kHost, host);
  noted.note.assign(Publication::kWordsMax + 1, 'n');
  Publication endless = Of(1, Treatment::kNever, 0, Target::kHost, host);
  endless.until = -1;
  Publication note = Of(1, Treatment::kNever, 0, Target::kHost, host), by = note;
  note.note = "caf\xe9", by.by = "Ren\xe9";
  for (const Publication& wrong :
       {Of(0, Treatment::kNever, 0, Target::kHost, host),
        Of(Publication::kIdMax + 1, Treatment::kNever, 0, Target::kHost, host),
        Of(1, Treatment::kNever, 1, Target::kHost, host),
        Of(1, Treatment::kEvery, 0.5, Target::kHost, host),
        Of(1, Treatment::kEvery, 1.5, Target::kHost, host),
        Of(1, Treatment::kEvery, 1e12, Target::kHost, host),
        Of(1, Treatment::kEvery, nan, Target::kHost, host),
        Of(1, Treatment::kRate, 0, Target::kHost, host),
        Of(1, Treatment::kRate, 1e9, Target::kHost, host),
        Of(1, Treatment::kRate, nan, Target::kHost, host),
        Of(1, Treatment::kBoost, 0, Target::kHost, host),
        Of(1, Treatment::kBoost, 1e7, Target::kHost, host),
        Of(1, static_cast<Treatment>(5), 0, Target::kHost, host),
        Of(1, Treatment::kNever, 0, static_cast<Target>(4), host),
        Of(1, Treatment::kNever, 0, Target::kHost, ""),
        Of(1, Treatment::kNever, 0, Target::kHost, long_text),
        Of(1, Treatment::kNever, 0, Target::kHost, "b\xfc.test"),
        note,
        by,
        noted,
        endless}) {
    PublicationBook book;
    EXPECT_TRUE(absl::IsInvalidArgument(book.Add(wrong).status())) << wrong.amount << wrong.of;
  }
  note.note = "caf\xc3\xa9";
  PublicationBook book;
  EXPECT_TRUE(book.Add(note).value());
}

TEST(PublicationBookTest, TheirNumberAndBytesAreBounded) {
  const auto host = [](uint64_t id) {
    return Of(id, Treatment::kNever, 0, Target::kHost, std::to_string(id));
  };
  std::vector<Publication> told;
  for (uint64_t id = 1; id < PublicationBook::kMax; ++id) told.push_back(host(id));
  PublicationBook many, large;
  ASSERT_TRUE(many.Adopt(told).ok());
  EXPECT_TRUE(many.Add(host(PublicationBook::kMax)).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(many.Add(host(PublicationBook::kMax + 1)).status()));
  EXPECT_EQ(many.size(), size_t{PublicationBook::kMax});
  absl::Status full;
  for (uint64_t id = 1; full.ok() && id < PublicationBook::kMax; ++id) {
    std::string text = std::to_string(id);
    text.resize(Publication::kTextMax, 'a');
    full = large.Add(Of(id, Treatment::kNever, 0, Target::kHost, text)).status();
  }
  EXPECT_TRUE(absl::IsFailedPrecondition(full)) << full;
  EXPECT_LE(large.Encode().size(), size_t{PublicationBook::kBytesMax});
  EXPECT_GT(large.Encode().size(), PublicationBook::kBytesMax - 2 * Publication::kTextMax);
  EXPECT_EQ(PublicationBook::Decode(large.Encode())->size(), large.size());
  EXPECT_TRUE(large.Remove(1).has_value());
  EXPECT_TRUE(large.Add(Of(1, Treatment::kNever, 0, Target::kHost, "a")).ok()) << "there is room";
}

PublicationBook SomeBook() {
  Publication noted = Of(0xab, Treatment::kEvery, 3600, Target::kPrefix, "http://a.test/b");
  noted.until = 1'800'000'000;
  noted.note = "a note";
  return BookOf({Of(7, Treatment::kNow, 0, Target::kUrl, "http://a.test/"), noted});
}

TEST(PublicationBookTest, IsReadBack) {
  const auto book = PublicationBook::Decode(SomeBook().Encode());
  ASSERT_TRUE(book.ok()) << book.status();
  EXPECT_EQ(book->all(), SomeBook().all());
  EXPECT_EQ(book->RuleFor("http://a.test/bc", "a.test").period, 3600);
  EXPECT_TRUE(PublicationBook::Decode(PublicationBook().Encode())->empty());
}

TEST(PublicationBookTest, HasTheBytesOfTheFormat) {
  EXPECT_EQ(
      absl::BytesToHexString(BookOf({Of(7, Treatment::kBoost, 2, Target::kHost, "a")}).Encode()),
      "01010704020000000000000040"
      "87e2cfaa0600"
      "0161"
      "086f70657261746f72"
      "00");
}

TEST(PublicationBookTest, DamagedBytesAreRefusedOrHarmless) {
  const std::string bytes = SomeBook().Encode();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_TRUE(absl::IsDataLoss(PublicationBook::Decode(bytes.substr(0, size)).status())) << size;
  EXPECT_TRUE(absl::IsDataLoss(PublicationBook::Decode(bytes + '\0').status()));
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {1, 2, 0x40, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      const auto book = PublicationBook::Decode(damaged);
      if (!book.ok()) continue;
      for (const auto& [id, publication] : book->all())
        EXPECT_TRUE(CheckPublication(publication).ok()) << at;
      book->RuleFor("http://a.test/b", "a.test");
    }
  }
}

// Due times of a fixed period lie on a grid: what is late is not added up.
TEST(FixedDueTest, LatenessDoesNotAddUp) {
  Rule rule;
  rule.period = 3600;
  rule.period_at = 1'700'000'000;
  int64_t fetched = 1'600'000'000;
  int64_t due = FixedDue(fetched, rule, 42);
  EXPECT_GE(due, rule.period_at) << "spread over the first period";
  EXPECT_LT(due, rule.period_at + 3600);
  const int64_t first = due;
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(due, first + i * 3600);
    fetched = due + i * 17;
    due = FixedDue(fetched, rule, 42);
  }
  EXPECT_EQ(FixedDue(due + 2000, rule, 42), due + 7200) << "much too late: the next one is missed";
  rule.period = 1;
  EXPECT_EQ(FixedDue(1'800'000'000, rule, 42), 1'800'000'001);
}

TEST(FixedDueTest, PagesAreSpreadOverThePeriod) {
  Rule rule;
  rule.period = 1000;
  int halves[2] = {};
  for (uint64_t page = 0; page < 1000; ++page)
    ++halves[(FixedDue(1'800'000'000, rule, page << 20) - 1'800'000'500) / 500];
  EXPECT_NEAR(halves[0], 500, 60);
  EXPECT_NEAR(halves[1], 500, 60);
}

TEST(PublicationTest, IdsAreReadAsTheyAreWritten) {
  EXPECT_EQ(IdText(0xab), "00000000ab");
  EXPECT_EQ(IdOf("00000000ab"), 0xabu);
  EXPECT_EQ(IdOf("ab"), 0xabu);
  for (const char* wrong : {"", "0", "x", "ab ", "-1", "10000000000", "fffffffffffffffffffff"})
    EXPECT_FALSE(IdOf(wrong)) << wrong;
}

TEST(PublicationTest, IsSaidInWords) {
  EXPECT_EQ(DescribeTreatment(Of(1, Treatment::kEvery, 5400, Target::kHost, "a")), "every 1h30m");
  EXPECT_EQ(DescribeTreatment(Of(1, Treatment::kRate, 1 / 86'400.0, Target::kHost, "a")),
            "changes every 24h");
  EXPECT_EQ(DescribeTreatment(Of(1, Treatment::kBoost, 2.5, Target::kHost, "a")), "boost 2.5");
  EXPECT_EQ(DescribeTreatment(Of(1, Treatment::kNow, 0, Target::kHost, "a")), "now");
  EXPECT_EQ(DescribeTarget(Of(1, Treatment::kNow, 0, Target::kDomain, "a.test")),
            "host a.test and its subdomains");
}

}  // namespace
}  // namespace opic::refresh
