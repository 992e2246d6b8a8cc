#include "links/html_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <tuple>
#include <vector>

#include "base/rng.h"

namespace opic::links {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "a", "/a" for end tags; attributes as "a[href=x,class=]".
std::vector<std::string> Tokens(std::string_view text, bool cdata = false) {
  std::vector<std::string> out;
  HtmlTokens tokens(text);
  tokens.set_cdata_allowed(cdata);
  while (tokens.Next()) {
    std::string shown = (tokens.is_end_tag() ? "/" : "") + std::string(tokens.name());
    std::string list;
    for (const Attribute& attribute : tokens.attributes()) {
      list += (list.empty() ? "" : ",") + std::string(attribute.name) + "=" +
              std::string(attribute.raw);
    }
    if (!list.empty()) shown += "[" + list + "]";
    if (!tokens.is_end_tag() && Is(tokens.tag(), kRawText)) tokens.SkipRawText();
    out.push_back(shown);
  }
  return out;
}

// 13.2.5.32 to 13.2.5.39
TEST(HtmlTokens, ReadsAllFormsOfAttributes) {
  EXPECT_THAT(Tokens("<a b c=d e = 'f g' h=\"i>j\"k=l/m n=o/p>"),
              ElementsAre("a[b=,c=d,e=f g,h=i>j,k=l/m,n=o/p]"));
  EXPECT_THAT(Tokens("<a/b/c=d/ =e>"), ElementsAre("a[b=,c=d/,=e=]"));
}

TEST(HtmlTokens, TagThatNeverEndsIsNone) {
  for (const char* text : {"<a", "<a ", "<a href", "<a href=", "<a href='x>", "<a href=x", "</a",
                           "</", "<", "<!", "<!-", "<!--", "<?", "<a href = "}) {
    EXPECT_THAT(Tokens(text), IsEmpty()) << text;
  }
}

TEST(HtmlTokens, LessThanBeforeOtherCharactersIsText) {
  EXPECT_THAT(Tokens("1 < 2 <3 <<a> < b> <-c>"), ElementsAre("a"));
}

// 13.2.5.41: "</>" is nothing, "<!x>", "<?x>" and "</1>" are bogus comments up to ">".
TEST(HtmlTokens, BogusCommentsEndAtTheFirstGreaterThan) {
  EXPECT_THAT(Tokens("</><a><!x <b>><?y <c>><d></1 <e>><f>"), ElementsAre("a", "d", "f"));
  EXPECT_THAT(Tokens("<!DOCTYPE html PUBLIC \"-//x>\"><a>"), ElementsAre("a"));
}

// 13.2.5.43 to 13.2.5.52
TEST(HtmlTokens, CommentsEndAsTheStandardSays) {
  EXPECT_THAT(Tokens("<!--><a>-->"), ElementsAre("a"));
  EXPECT_THAT(Tokens("<!---><a>-->"), ElementsAre("a"));
  EXPECT_THAT(Tokens("<!----><a>"), ElementsAre("a"));
  EXPECT_THAT(Tokens("<!-- x --!><a>"), ElementsAre("a"));
  EXPECT_THAT(Tokens("<!-- <x> -- > <y> ---><a>"), ElementsAre("a"));
  EXPECT_THAT(Tokens("<!-- <!-- --><a> -->"), ElementsAre("a"));
  EXPECT_THAT(Tokens("<!--!><x>--><a>"), ElementsAre("a"));
}

TEST(HtmlTokens, CdataIsACommentOutsideOfSvg) {
  EXPECT_THAT(Tokens("<![CDATA[ <x> ]]><a>", true), ElementsAre("a"));
  EXPECT_THAT(Tokens("<![CDATA[ <x> <y> ]]><a>", false), ElementsAre("y", "a"));
}

TEST(HtmlTokens, RawTextEndsAtItsOwnEndTagOnly) {
  EXPECT_THAT(Tokens("<title><a></b></titles></TITLE ><a>"), ElementsAre("title", "/TITLE", "a"));
  EXPECT_THAT(Tokens("<style></style<a></style/><b>"), ElementsAre("style", "/style", "b"));
  EXPECT_THAT(Tokens("<plaintext></plaintext><a>"), ElementsAre("plaintext"));
  EXPECT_THAT(Tokens("<textarea><a>"), ElementsAre("textarea"));
}

// 13.2.5.15 to 13.2.5.31: a script in a comment in a script hides one end tag.
TEST(HtmlTokens, ScriptsInsideCommentsOfScripts) {
  EXPECT_THAT(Tokens("<script><!-- </script><a>"), ElementsAre("script", "/script", "a"));
  EXPECT_THAT(Tokens("<script><!-- <script> </script> <x> </script><a>"),
              ElementsAre("script", "/script", "a"));
  EXPECT_THAT(Tokens("<script><!-- <script> --> </script><a>"),
              ElementsAre("script", "/script", "a"));
  EXPECT_THAT(Tokens("<script><!--><script></script><a>"), ElementsAre("script", "/script", "a"));
  EXPECT_THAT(Tokens("<script><!-- <scripty> </script><a>"), ElementsAre("script", "/script", "a"));
}

TEST(HtmlTokens, AttributesBeyondTheMostAreCountedOnly) {
  std::string text = "<a";
  for (int i = 0; i < 1000; ++i) text += " x" + std::to_string(i);
  HtmlTokens tokens(text += ">");
  ASSERT_TRUE(tokens.Next());
  EXPECT_EQ(tokens.attributes().size(), HtmlTokens::kAttributesMax);
  EXPECT_EQ(tokens.attribute_count(), 1000u);
}

struct Seen {
  size_t begin, end;
  std::string name;
  Tag tag;
  bool is_end_tag, self_closing;
  std::vector<std::string> attributes;  // of start tags with kMeaning
  friend bool operator==(const Seen&, const Seen&) = default;
};

std::vector<Seen> AllSeen(std::string_view text, Attributes kept, bool with_attributes) {
  std::vector<Seen> seen;
  HtmlTokens tokens(text, kept);
  while (tokens.Next()) {
    Seen tag{tokens.begin(),
             tokens.end(),
             std::string(tokens.name()),
             tokens.tag(),
             tokens.is_end_tag(),
             tokens.self_closing(),
             {}};
    if (with_attributes && !tag.is_end_tag && Is(tag.tag, kMeaning)) {
      for (const Attribute& attribute : tokens.attributes())
        tag.attributes.push_back(std::string(attribute.name) + "=" + std::string(attribute.raw));
    }
    seen.push_back(tag);
    if (!tag.is_end_tag && Is(tag.tag, kRawText)) tokens.SkipRawText();
  }
  return seen;
}

std::string TagLikeText(base::Rng& rng) {
  static constexpr std::string_view kPieces[] = {
      "<",       "</",  ">",     "/>",       "=",     "\"",
      "'",       " ",   "\n",    "\v",       "/",     "<a ",
      "</a",     "<p",  "<div ", "<LiNK ",   "<span", "<title>",
      "</title", "x",   "href",  "class=\"", "id='",  "text of more than sixteen bytes",
      "<!--",    "-->", "<svg",  "<script",  "=\"",   "\">"};
  std::string text;
  for (uint64_t i = rng.Below(40); i > 0; --i) text += kPieces[rng.Below(std::size(kPieces))];
  return text;
}

// Tags end at the same places whether their attributes are kept or passed over.
TEST(HtmlTokens, AttributesThatNobodyAsksForAreReadAllTheSame) {
  base::Rng rng(17);
  size_t tags = 0;
  for (int round = 0; round < 50'000; ++round) {
    const std::string text = TagLikeText(rng);
    const std::vector<Seen> all = AllSeen(text, Attributes::kAll, true);
    ASSERT_EQ(AllSeen(text, Attributes::kMeaning, true), all) << text;
    ASSERT_EQ(AllSeen(text, Attributes::kNone, false), AllSeen(text, Attributes::kAll, false))
        << text;
    tags += all.size();
  }
  EXPECT_GT(tags, 50'000u);
}

// Where a tag is, whether it is an end tag, and what is told of it unless it is passed over.
using Met = std::tuple<size_t, size_t, bool, std::string>;

std::string ToldOf(const HtmlTokens& tokens) {
  if (tokens.plain()) return "plain";
  std::string told(tokens.name());
  for (const Attribute& attribute : tokens.attributes())
    told += " " + std::string(attribute.name) + "=" + std::string(attribute.raw);
  return told + (tokens.self_closing() ? " /" : "");
}

std::vector<Met> MetByNext(std::string_view text, Attributes kept) {
  std::vector<Met> met;
  HtmlTokens tokens(text, kept);
  while (tokens.Next()) {
    met.emplace_back(tokens.begin(), tokens.end(), tokens.is_end_tag(), ToldOf(tokens));
    if (!tokens.plain() && Is(tokens.tag(), kRawText)) tokens.SkipRawText();
  }
  return met;
}

// Counts the tags that were passed over, and expects that no markup is in front of one.
std::vector<Met> MetPastPlainTags(std::string_view text, Attributes kept, size_t& passed) {
  std::vector<Met> met;
  HtmlTokens tokens(text, kept);
  size_t after = 0;
  const auto pass = [&](size_t begin, size_t end, bool is_end_tag) {
    EXPECT_EQ(text.substr(0, begin).find('<', after), std::string_view::npos);
    met.emplace_back(begin, end, is_end_tag, "plain");
    after = end;
    ++passed;
  };
  while (tokens.NextPastPlainTags(pass)) {
    met.emplace_back(tokens.begin(), tokens.end(), tokens.is_end_tag(), ToldOf(tokens));
    if (!tokens.plain() && Is(tokens.tag(), kRawText)) tokens.SkipRawText();
    after = tokens.end();
  }
  return met;
}

// Mostly as people write it, so that many plain tags follow each other, some of them across the 64
// bytes that are looked at at once.
std::string TextWithPlainTags(base::Rng& rng) {
  static constexpr std::string_view kPieces[] = {"<p>",
                                                 "</p>",
                                                 "<div class=\"x y\" id='z'>",
                                                 "</div >",
                                                 "<li>",
                                                 "<br/>",
                                                 "<span title=\"a > b\">",
                                                 "<td colspan=2>",
                                                 "<tr =x>",
                                                 "<b=\"c>",
                                                 "<i a=\"b\"=\"c>d\">",
                                                 "<em a/=\"b>c\">",
                                                 "1 = 2 > 3 < 4",
                                                 "text of more than sixteen bytes, and some more"};
  std::string text;
  for (uint64_t i = rng.Below(12); i > 0; --i)
    text += rng.Below(12) == 0 ? TagLikeText(rng) : kPieces[rng.Below(std::size(kPieces))];
  return text;
}

TEST(HtmlTokens, PlainTagsThatArePassedOverAreThoseThatNextMeets) {
  base::Rng rng(18);
  size_t plain = 0, passed = 0;
  for (int round = 0; round < 100'000; ++round) {
    const std::string written = TextWithPlainTags(rng);
    const std::vector<char> bytes(written.begin(), written.end());  // none behind them
    const std::string_view text(bytes.data(), bytes.size());
    for (const Attributes kept : {Attributes::kMeaning, Attributes::kNone}) {
      const std::vector<Met> met = MetByNext(text, kept);
      ASSERT_EQ(MetPastPlainTags(text, kept, passed), met) << written;
      for (const Met& tag : met) plain += std::get<3>(tag) == "plain" ? 1 : 0;
    }
  }
  EXPECT_GT(passed, 200'000u);
  EXPECT_GT(passed, plain / 2);
}

TEST(HtmlTokens, ThreeLettersTellWhatMatters) {
  size_t plain = 0;
  for (const std::string_view name : {
#define OPIC_TAG(id, name, traits) std::string_view(name),
#include "links/html_tags.inc"
#undef OPIC_TAG
       }) {
    const Tag tag = TagOfName(name);
    ASSERT_NE(tag, Tag::kOther) << name;
    EXPECT_EQ(TagOfNameIn("<" + std::string(name) + "> and so on, and on", 1, name.size()), tag);
    const std::string text = std::string(name) + ">>";
    const bool may = MayMatter(text[0], text[1], text[2]);
    if (Is(tag, kRawText | kMetadata | kMeaning) || tag == Tag::kSvg || tag == Tag::kMath ||
        tag == Tag::kFrameset) {
      EXPECT_TRUE(may) << name;
    }
    plain += may ? 0 : 1;
  }
  EXPECT_GT(plain, 60u);
  EXPECT_FALSE(MayMatter('l', 'i', '>')) << "the most frequent tag that begins as another one";
  EXPECT_TRUE(MayMatter('L', 'i', 'N'));
  for (const char behind : {' ', '\t', '\n', '\f', '\r', '/', '>'}) {
    EXPECT_TRUE(MayMatter('A', behind, 'x')) << static_cast<int>(behind);
  }
  EXPECT_EQ(TagOfNameIn("DIVx............", 0, 3), Tag::kDiv);
  EXPECT_EQ(TagOfNameIn(std::string("a\0..............", 16), 0, 2), Tag::kOther);
}

TEST(HtmlTokens, KnowsElementsByNameInAnyCase) {
  EXPECT_EQ(TagOfName("BLOCKquote"), Tag::kBlockquote);
  EXPECT_EQ(TagOfName("annotation-xml"), Tag::kAnnotationXml);
  EXPECT_EQ(TagOfName("blockquot"), Tag::kOther);
  EXPECT_EQ(TagOfName(""), Tag::kOther);
  EXPECT_TRUE(Is(Tag::kScript, kRawText));
}

}  // namespace
}  // namespace opic::links
