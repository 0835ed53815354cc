#include "fathom/report/internal/escape.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace fathom::report::internal::escape_test {
namespace {

TEST(EscapeHtml, LeavesNoMarkup) {
  EXPECT_EQ(escape_html("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
  EXPECT_EQ(escape_html("</script><script>alert(1)</script>"),
            "&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
  EXPECT_EQ(escape_html(""), "");
}

TEST(EscapeHtml, KeepsUnicodeAndLinesAndShowsWhatIsNoText) {
  EXPECT_EQ(escape_html("R\u00b2 \u2212 m\u00b7s\n\tnext"), "R\u00b2 \u2212 m\u00b7s\n\tnext");
  EXPECT_EQ(escape_html(std::string("a\0b\x1b\xff", 5)), "a\\x00b\\x1b\\xff");
}

TEST(EscapeJson, CannotEndAScript) {
  EXPECT_EQ(escape_json_in_script("[\"</script><!--&\"]"), "[\"\\u003c/script\\u003e\\u003c!--\\u0026\"]");
}

TEST(Base64, MatchesTheExamplesOfRfc4648) {
  const auto of = [](std::string_view text) {
    return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foob"), "Zm9vYg==");
  EXPECT_EQ(of("fooba"), "Zm9vYmE=");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
}

TEST(FloatsBase64, IsLittleEndianAndTurnsWhatIsNotFiniteIntoNaN) {
  EXPECT_EQ(floats_base64(std::vector<double>{1.0}), "AACAPw==");  // 00 00 80 3f
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::string nan = floats_base64(std::vector<double>{std::nan("")});
  EXPECT_EQ(nan, "AADAfw==");  // 00 00 c0 7f
  for (const double value : {infinity, -infinity, 1e300})
    EXPECT_EQ(floats_base64(std::vector<double>{value}), nan);
}

/// An hour at rates that float32 cannot hold: every time stays within a microsecond.
TEST(TimeSteps, FollowTheClockWithoutDrift) {
  for (const double start : {0.0, 12.345678, 1.7e6}) {
    std::vector<double> t;
    for (int i = 0; i <= 360000; ++i) t.push_back(start + i / 99.9 + (i > 100000 ? 17.3 : 0));
    const std::vector<double> steps = time_steps(t);
    double sum = t.front(), worst = 0;
    for (std::size_t i = 0; i < t.size(); ++i) {
      EXPECT_EQ(steps[i], static_cast<double>(static_cast<float>(steps[i])));
      sum += steps[i];
      worst = std::max(worst, std::abs(sum - t[i]));
    }
    EXPECT_LT(worst, 1e-6);
  }
}

}  // namespace
}  // namespace fathom::report::internal::escape_test
