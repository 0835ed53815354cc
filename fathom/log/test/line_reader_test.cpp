#include <gtest/gtest.h>

#include "fathom/base/test/temporary_folder.hpp"
#include "fathom/log/internal/table_text.hpp"

namespace fathom::log::internal::line_reader_test {
namespace {

struct Line {
  std::string text;
  bool terminated;
  int number;
  bool operator==(const Line&) const = default;
};

std::vector<Line> all_lines(LineReader& reader) {
  std::vector<Line> lines;
  while (reader.next()) lines.push_back({std::string(reader.line()), reader.terminated(), reader.number()});
  return lines;
}

TEST(LineReader, GivesTheSameLinesWhateverTheBuffer) {
  const fathom::test::TemporaryFolder folder;
  for (const std::string text :
       {"", "\n", "a", "a\n", "\n\nab\r\nabc\r\r\n\rabcd\n\r", "abcdefg\nx\n\nlast\r"}) {
    fathom::test::spill(folder / "a", text);
    LineReader memory(text, "a");
    const std::vector<Line> expected = all_lines(memory);
    for (std::size_t size = 9; size < 40; ++size) {
      LineReader file(folder / "a", size);
      EXPECT_EQ(all_lines(file), expected) << text << size;
    }
  }
}

TEST(LineReader, KnowsLineBreaks) {
  LineReader reader(std::string_view("a\r\n\nb\rc"), "a");
  EXPECT_EQ(all_lines(reader), (std::vector<Line>{{"a", true, 1}, {"", true, 2}, {"b\rc", false, 3}}));
  EXPECT_FALSE(reader.next());
}

}  // namespace
}  // namespace fathom::log::internal::line_reader_test
