#include <typeinfo>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "fathom/base/random.hpp"
#include "fathom/base/text.hpp"
#include "fathom/model_file/test/robots.hpp"

#ifdef FATHOM_SANITIZED
// A limit of the address space would stop the sanitizer itself.
extern "C" const char* __asan_default_options() { return "hard_rss_limit_mb=3000"; }
#endif

namespace fathom::model::reader_robustness_test {
namespace {

/// While it lives, a reader that runs away gets std::bad_alloc at half a gigabyte instead of the whole machine.
class MemoryLimit {
 public:
  MemoryLimit() {
    ::getrlimit(RLIMIT_AS, &before_);
#ifndef FATHOM_SANITIZED
    const rlimit limit{1u << 29, before_.rlim_max};
    ::setrlimit(RLIMIT_AS, &limit);
#endif
  }
  ~MemoryLimit() { ::setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  rlimit before_{};
};

/// "loads", "rejected", or the exception that must not be.
std::string outcome(const std::string& text) {
  const MemoryLimit limit;
  try {
    parse_robot(text, "f.yaml");
    return "loads";
  } catch (const InputError& error) {
    return error.findings().empty() ? "refused without a word" : "refused";
  } catch (const std::exception& error) {
    return std::string(typeid(error).name()) + ": " + error.what();
  } catch (...) {
    return "something that is no exception";
  }
}

void expect_loads_or_rejected(const std::string& text, int* loads = nullptr) {
  const std::string got = outcome(text);
  ASSERT_TRUE(got == "loads" || got == "refused") << got << " for " << in_quotes(text);
  if (loads) *loads += got == "loads";
}

TEST(ReaderRobustness, TakesOrRefusesAFileCutAtAnyByte) {
  int loads = 0;
  constexpr std::size_t step = 7;  // the fuzzer robot_file cuts everywhere
  for (std::size_t length = 0; length <= test::rich_file().size(); length += step) {
    const std::string got = outcome(test::rich_file().substr(0, length));
    EXPECT_TRUE(got == "loads" || got == "refused") << got << " at byte " << length;
    loads += got == "loads";
    if (length < test::rich_file().find("damping:")) {
      EXPECT_EQ(got, "refused") << "without its damping at byte " << length;
    }
  }
  EXPECT_EQ(outcome(test::rich_file()), "loads");
  EXPECT_GT(loads, 1);
}

TEST(ReaderRobustness, RefusesAnEmptyFile) {
  const std::string expected = "bad.yaml: is empty (a robot file begins with 'format: fathom-robot-1')";
  for (const char* text : {"", "\n\n", "# only a comment\n", "---\n", "---\n...\n", "~\n"})
    EXPECT_EQ(test::error_text(text), expected) << in_quotes(text);
}

TEST(ReaderRobustness, RefusesAFileThatIsNoMap) {
  EXPECT_EQ(test::error_text("- a\n- b\n"),
            "bad.yaml:1: is a list of 2, expected a map of keys (lines of 'key: value', indented alike)");
  EXPECT_EQ(test::error_text("hello\n"),
            "bad.yaml:1: is 'hello', expected a map of keys (lines of 'key: value', indented alike)");
}

TEST(ReaderRobustness, RefusesASecondDocument) {
  EXPECT_EQ(test::error_text(test::small_file() + "---\nname: other\n"),
            "bad.yaml:14: a second YAML document, or something that belongs to none, begins here (one robot "
            "per file; remove it)");
  EXPECT_EQ(test::error_text("---\n" + test::small_file() + "...\n"), "(it loads)");
}

TEST(ReaderRobustness, SaysWhereTheYamlBreaks) {
  const std::string tab = test::error_text(test::changed("  volume:", "\tvolume:"));
  EXPECT_TRUE(tab.starts_with("bad.yaml:7: is not valid YAML: ")) << tab;
  const std::string open = test::error_text("format: [a, b\n");
  EXPECT_TRUE(open.starts_with("bad.yaml:2: is not valid YAML: ")) << open;
  EXPECT_TRUE(open.ends_with("(a bracket or quote left open, a tab, or the file was cut off?)")) << open;
}

TEST(ReaderRobustness, RefusesDeepNesting) {
  for (const std::string piece : {"[", "{", "- ", "? ", "a: [", "{a: ", "[[a]: "}) {
    std::string text;
    for (int k = 0; k < 100000; ++k) text += piece;
    EXPECT_EQ(outcome(text), "refused") << piece;
  }
}

TEST(ReaderRobustness, RefusesListsThatHoldThemselves) {
  EXPECT_EQ(outcome(test::changed("[6.36, 7.12, 18.68, 0.189, 0.135, 0.222]", "&a [*a, *a, *a, *a, *a, *a]")),
            "refused");
  EXPECT_EQ(outcome("&a {format: *a, name: *a, hull: *a, damping: *a}\n"), "refused");
  EXPECT_EQ(outcome("format: *nowhere\n"), "refused");
}

// yaml-cpp gives out empty documents for ever where a token stands that can begin none.
TEST(ReaderRobustness, ComesToAnEndWhereADocumentBeginsWithAComma) {
  for (const char* text : {",t,u,v,w\n0,0.1,1,2,3\n", "{\"format\": \"fathom-robot-1\"},\n"})
    EXPECT_EQ(outcome(text), "refused") << in_quotes(text);
}

TEST(ReaderRobustness, ComesToAnEndAtAStrayQuestionMark) {
  for (const char* text : {"&a name\n? \n", "[]--\n? "}) EXPECT_EQ(outcome(text), "refused") << in_quotes(text);
}

TEST(ReaderRobustness, TakesOrRefusesRandomBytes) {
  RandomStream random(1, "random bytes");
  for (int k = 0; k < 2000; ++k) {
    std::string text(static_cast<std::size_t>(random.uniform(0, 200)), ' ');
    for (char& c : text) c = static_cast<char>(random.next() & 0xff);
    ASSERT_NO_FATAL_FAILURE(expect_loads_or_rejected(text)) << k;
  }
}

TEST(ReaderRobustness, TakesOrRefusesRandomPiecesOfYaml) {
  static const std::string pieces[] = {": ",   "- ",   "[",    "]",  "{",    "}",   "\n",    "  ", "#",
                                       "&a ",  ", ",   "!",    "*a", "|",    "> ",  "'",     "\"", "%",
                                       "@",    "`",    "? ",   "~",  "\t",   "<<",  "---\n", "x",  "1",
                                       ".nan", "\x04", "\xff", "\\", "hull", "name"};
  RandomStream random(1, "random pieces");
  for (int k = 0; k < 2000; ++k) {
    std::string text;
    for (int n = static_cast<int>(random.uniform(0, 40)); n > 0; --n)
      text += pieces[static_cast<std::size_t>(random.uniform(0, std::size(pieces)))];
    ASSERT_NO_FATAL_FAILURE(expect_loads_or_rejected(text)) << k;
  }
}

TEST(ReaderRobustness, TakesOrRefusesAFileWithRandomFaults) {
  static const std::string pieces[] = {": ", "- ", "[",  "]", "{",  "}",    "\n", "  ",
                                       "#",  "'",  "\"", "-", "e9", ".nan", "\t"};
  RandomStream random(1, "random faults");
  int loads = 0;
  for (int k = 0; k < 100; ++k) {
    std::string text = test::rich_file();
    for (int n = static_cast<int>(random.uniform(1, 4)); n > 0; --n) {
      const auto at = static_cast<std::size_t>(random.uniform(1, static_cast<double>(text.size())));
      const double what = random.uniform();
      if (what < 0.4)
        text.insert(at, pieces[static_cast<std::size_t>(random.uniform(0, std::size(pieces)))]);
      else if (what < 0.7)
        text.erase(at, static_cast<std::size_t>(random.uniform(1, 20)));
      else
        text[at] = static_cast<char>(random.next() & 0xff);
    }
    ASSERT_NO_FATAL_FAILURE(expect_loads_or_rejected(text, &loads)) << k;
  }
  EXPECT_GT(loads, 0) << "faults in comments and texts do no harm";
}

}  // namespace
}  // namespace fathom::model::reader_robustness_test
