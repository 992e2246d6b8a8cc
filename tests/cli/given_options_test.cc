// What a command was called with, told again.
#include "cli/given_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/setting_source.h"

namespace opic::cli {
namespace {

// The hint how a crawl goes on left out the delay, --allow-private and all the others.
TEST(GivenOptionsTest, AreThoseThatWereTypedButForTheOnesLeftOut) {
  CLI::App app;
  std::vector<std::string> seeds, routes;
  std::string delay, agent, data, contact, unused;
  bool allow_private = false, quiet = false;
  app.add_option("seeds", seeds);
  app.add_option("--data", data);
  app.add_option("--delay", delay);
  app.add_option("--agent", agent);
  app.add_option("--contact", contact);
  app.add_option("--unused", unused);
  app.add_option("--connect-to", routes)->allow_extra_args(false);
  app.add_flag("--allow-private", allow_private);
  app.add_flag("--quiet", quiet);
  RememberSources({{"contact", "opic.conf:3"}});
  std::vector<std::string> words = {"http://a.test/", "--data",         "d",         "--delay",
                                    "20ms",           "--agent",        "it's mine", "--connect-to",
                                    "a:1:b:2",        "--connect-to",   "c:3:d:4",   "--contact",
                                    "me@a.test",      "--allow-private"};
  std::reverse(words.begin(), words.end());
  app.parse(words);
  EXPECT_EQ(GivenOptions(app, {"data"}).words,
            " --delay 20ms --agent 'it'\\''s mine' --connect-to a:1:b:2 --connect-to c:3:d:4 "
            "--allow-private");
  EXPECT_FALSE(GivenOptions(app, {"data"}).secrets_left_out);
  EXPECT_TRUE(IsTyped(app, "delay"));
  EXPECT_FALSE(IsTyped(app, "contact"));
  EXPECT_FALSE(IsTyped(app, "unused"));
  RememberSources({});
}

// The hint named a folder "a b" as two words.
TEST(GivenOptionsTest, AWordIsQuotedForTheShellWhereItMustBe) {
  EXPECT_EQ(ForShell("crawls/of-2026_v1.2"), "crawls/of-2026_v1.2");
  EXPECT_EQ(ForShell("sp ace/e"), "'sp ace/e'");
  EXPECT_EQ(ForShell("it's"), "'it'\\''s'");
  EXPECT_EQ(ForShell(""), "''");
}

// A pattern of the shell, which gave the name of whatever file was there, or in zsh an error.
TEST(GivenOptionsTest, APatternIsQuoted) {
  EXPECT_EQ(ForShell("http://[::1]/"), "'http://[::1]/'");
  EXPECT_EQ(ForShell("=top"), "'=top'");
  EXPECT_EQ(ForShell("a=b"), "a=b");
}

// They were in the terminal, and in the log of whoever keeps it.
TEST(GivenOptionsTest, SecretsAreNotRepeated) {
  CLI::App app;
  std::vector<std::string> headers;
  std::string proxy;
  app.add_option("--header", headers)->allow_extra_args(false);
  app.add_option("--proxy", proxy);
  std::vector<std::string> words = {"--header", "X-Key: KEYSECRET", "--header",
                                    "DNT: 1",   "--proxy",          "http://me:PASSWORD@p.test:1"};
  std::reverse(words.begin(), words.end());
  app.parse(words);
  const GivenWords given = GivenOptions(app, {});
  EXPECT_EQ(given.words, " --header 'X-Key: ...' --header 'DNT: 1' --proxy http://me:...@p.test:1");
  EXPECT_TRUE(given.secrets_left_out);
}

}  // namespace
}  // namespace opic::cli
