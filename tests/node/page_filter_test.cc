#include "node/page_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ledger/rows.h"
#include "refresh/page_plan.h"

namespace opic::node {
namespace {

std::string CheckedHost(const std::string& typed) {
  const auto filter = Checked({.host = typed, .domain = "", .state = ""});
  return filter.ok() ? filter->host : "refused";
}
std::string CheckedDomain(const std::string& typed) {
  const auto filter = Checked({.host = "", .domain = typed, .state = ""});
  return filter.ok() ? filter->domain : std::string(filter.status().message());
}

TEST(PageFilterTest, NamesAreNormalised) {
  EXPECT_EQ(CheckedHost("WWW.Example.ORG."), "www.example.org");
  EXPECT_EQ(CheckedHost("https://a.test:8080/x"), "a.test");
  EXPECT_EQ(CheckedHost("::1"), "[::1]");
  EXPECT_EQ(CheckedHost("a b"), "refused");
  EXPECT_EQ(CheckedHost("*.test"), "*.test") << "a name like any other";
  EXPECT_EQ(CheckedDomain("Example.co.uk"), "example.co.uk");
}

TEST(PageFilterTest, APartOfADomainIsToldWhichDomainThatIs) {
  EXPECT_EQ(CheckedDomain("www.example.co.uk"),
            "--domain www.example.co.uk: this is a part of the registrable domain example.co.uk; "
            "give that one, or use --host for this host alone");
}

// Few pages are of such a "domain", or none, and whoever gives it means many.
TEST(PageFilterTest, WhatNobodyCanOwnIsNoDomain) {
  for (const std::string name : {"co.uk", "com", "localhost", "127.0.0.1", "[::1]"}) {
    EXPECT_EQ(CheckedDomain(name),
              "--domain " + name +
                  ": this is not a registrable domain (a name that somebody can own, such as "
                  "example.org); use --host for this host alone");
    EXPECT_NE(CheckedHost(name), "refused");
  }
}

TEST(PageFilterTest, AHostOfAnotherDomainIsRefused) {
  const auto checked = [](const std::string& host, const std::string& domain) {
    return Checked({.host = host, .domain = domain, .state = ""}).status();
  };
  EXPECT_TRUE(checked("A.b.test.", "b.test").ok());
  EXPECT_TRUE(checked("b.test", "b.test").ok());
  EXPECT_EQ(checked("a.b.test", "c.test"),
            absl::InvalidArgumentError(
                "--host a.b.test: this is not a host of --domain c.test; leave out one of them"));
  EXPECT_FALSE(checked("ab.test", "b.test").ok());
}

TEST(PageFilterTest, StatesAreThoseOfPages) {
  for (const char* state :
       {"unread", "fetched", "redirect", "gone", "forbidden", "failed", "out_of_scope"}) {
    EXPECT_TRUE(Checked({.host = "", .domain = "", .state = state}).ok()) << state;
  }
  for (const char* state : {"not_modified", "unknown", "Fetched", " "}) {
    EXPECT_TRUE(
        absl::IsInvalidArgument(Checked({.host = "", .domain = "", .state = state}).status()))
        << state;
  }
}

TEST(PageFilterTest, CategoriesAreThoseOfPlans) {
  for (const char* category : {"html", "xml", "feed", "schema", "pdf", "other"})
    EXPECT_TRUE(Checked({.category = category}).ok()) << category;
  EXPECT_TRUE(absl::IsInvalidArgument(Checked({.category = "HTML"}).status()));
  EXPECT_FALSE(PageFilter{.category = "pdf"}.empty());
}

// Of a page that was never visited, and of one whose visits are not planned, nobody knows what it
// is.
TEST(PageFilterTest, APageIsOfTheCategoryOfItsPlan) {
  ledger::HistoryRow row;
  row.kind = ledger::VisitKind::kFetched;
  EXPECT_TRUE(IsOfKind({}, &row));
  EXPECT_FALSE(IsOfKind({.category = "html"}, &row));
  EXPECT_FALSE(IsOfKind({.category = "html"}, nullptr));
  EXPECT_TRUE(IsOfKind({.state = "unread"}, nullptr));
  refresh::PagePlan plan;
  plan.category = refresh::Category::kFeed;
  row.plan = plan.Encode();
  EXPECT_TRUE(IsOfKind({.category = "feed"}, &row));
  EXPECT_FALSE(IsOfKind({.category = "html"}, &row));
  EXPECT_TRUE(IsOfKind({.state = "fetched", .category = "feed"}, &row));
  EXPECT_FALSE(IsOfKind({.state = "gone", .category = "feed"}, &row));
}

void ExpectOfSite(const PageFilter& filter, const std::vector<std::string>& its_own,
                  const std::vector<std::string>& of_others) {
  for (const std::string& url : its_own) EXPECT_TRUE(IsOfSite(filter, url)) << url;
  for (const std::string& url : of_others) EXPECT_FALSE(IsOfSite(filter, url)) << url;
}

TEST(PageFilterTest, AHostIsOneHostOnAnyPort) {
  ExpectOfSite({.host = "a.test", .domain = "", .state = ""},
               {"http://a.test/", "https://a.test:8443/x", "http://a.test./x"},
               {"http://b.a.test/", "http://aa.test/", "http://b.test/?http://a.test/"});
}

TEST(PageFilterTest, ADomainIsAllItsHosts) {
  ExpectOfSite({.host = "", .domain = "example.co.uk", .state = ""},
               {"http://example.co.uk/", "http://a.b.example.co.uk:81/x"},
               {"http://anexample.co.uk/", "http://co.uk/"});
}

TEST(PageFilterTest, HostAndDomainMustBothHold) {
  ExpectOfSite({.host = "a.b.test", .domain = "b.test", .state = ""}, {"http://a.b.test/"},
               {"http://b.test/"});
  ExpectOfSite({.host = "a.b.test", .domain = "c.test", .state = ""}, {}, {"http://a.b.test/"});
}

}  // namespace
}  // namespace opic::node
