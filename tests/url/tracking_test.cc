#include <gtest/gtest.h>

#include "url/scope.h"

namespace opic::url {
namespace {

std::string Stripped(std::string_view text) { return StripTracking(*Parse(text)).text(); }

TEST(StripTrackingTest, KeepsOtherParametersInOrder) {
  EXPECT_EQ(Stripped("http://h/a?z=1&utm_source=x&b=2&gclid=3&c"), "http://h/a?z=1&b=2&c");
}

TEST(StripTrackingTest, NamesAreComparedWithoutCase) {
  EXPECT_EQ(Stripped("http://h/a?PHPSESSID=1&Sid=2&UTM_Medium&ASPSESSIONIDQQ=4&x=5"),
            "http://h/a?x=5");
}

TEST(StripTrackingTest, QuestionMarkGoesWithTheLastParameter) {
  EXPECT_EQ(Stripped("http://h/a?fbclid=1"), "http://h/a");
}

TEST(StripTrackingTest, SimilarNamesStay) {
  for (std::string_view url : {"http://h/a?side=1&xsid=2&utm=3", "http://h/a?", "http://h/a?&&b",
                               "http://h/a?x=sid", "http://h/a;sid=1"}) {
    EXPECT_EQ(Stripped(url), url);
  }
}

TEST(StripTrackingTest, SessionInThePathGoes) {
  EXPECT_EQ(Stripped("http://h/a;jsessionid=AB.c1/b;v=1;JSESSIONID=2;w?x=1"),
            "http://h/a/b;v=1;w?x=1");
  EXPECT_EQ(Stripped("http://h/a;jsessionid=AB?x=1"), "http://h/a?x=1");
}

TEST(StripTrackingTest, ResultIsNormalised) {
  const Url url = StripTracking(*Parse("http://h:81/a/..;jsessionid=1/b"));
  EXPECT_EQ(url.text(), "http://h:81/b");
  EXPECT_EQ(url.path(), "/b");
  EXPECT_EQ(url.port(), 81);
}

}  // namespace
}  // namespace opic::url
