#include "fathom/report/page.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "fathom/base/test/error_text.hpp"

namespace fathom::report::page_test {
namespace {

using fathom::test::error_text;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
const std::string bad = "</script><script>alert(1)</script>'\"&\x01\xff";

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

Page page_of(Item item) {
  Page page;
  page.title = "Page";
  page.items.push_back(std::move(item));
  return page;
}

Plot plot_of(Series series) {
  Plot plot;
  plot.title = "Speed";
  plot.series.push_back(std::move(series));
  return plot;
}

Body swimming_body(std::size_t samples) {
  Body body;
  body.name = "rov";
  for (std::size_t i = 0; i < samples; ++i) {
    body.t.push_back(0.1 * static_cast<double>(i));
    body.p_n.push_back(Vec3(static_cast<double>(i), 0, 1));
    body.q_nb.push_back(Quat::Identity());
  }
  return body;
}

Scene scene_of(Body body) {
  Scene scene;
  scene.title = "Tank";
  scene.bodies.push_back(std::move(body));
  return scene;
}

/// What the page's script reads.
nlohmann::json data_of(const std::string& html) {
  const std::string_view opening = "<script type=\"application/json\" id=\"fathom-data\">";
  const std::size_t begin = html.find(opening) + opening.size();
  return nlohmann::json::parse(html.substr(begin, html.find("</script>", begin) - begin));
}

TEST(Page, WithoutItemsIsADocument) {
  const std::string html = to_html({});
  EXPECT_TRUE(html.starts_with("<!doctype html>"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
  EXPECT_EQ(data_of(html)["items"].size(), 0u);
  EXPECT_LT(html.size(), 900'000u);
}

TEST(Page, AsksForNothingFromANetwork) {
  const std::string html = to_html({});
  EXPECT_NE(html.find("default-src 'none'; script-src 'sha256-"), std::string::npos);
  for (const char* request : {"src=\"", "@import", "<iframe", "url(http", "<link rel=\"stylesheet"})
    EXPECT_EQ(html.find(request), std::string::npos) << request;
}

TEST(Page, ShowsEveryStringAsText) {
  Page page{bad, bad, bad, {}};
  page.items.emplace_back(Figures{{{bad, bad, bad}}});
  page.items.emplace_back(Text{bad, {bad}});
  page.items.emplace_back(Table{bad, {bad}, {{bad}}, bad});
  page.items.emplace_back(
      Plot{bad, bad, bad, {{bad, {0}, {0}, Series::Style::line}}, {{bad, {0}, {0}, {0}}}, {{0, bad}}});
  Scene scene = scene_of(swimming_body(2));
  scene.title = scene.bodies[0].name = bad;
  scene.paths = {{bad, {}, true}};
  scene.markers = {{bad, Vec3::Zero(), Vec3::UnitX(), bad, bad, bad}};
  page.items.emplace_back(scene);

  const std::string html = to_html(page);
  EXPECT_EQ(count(html, "alert(1)</script>"), 0u);
  EXPECT_EQ(count(html, "</script"), 2u);  // the data, the bundle
  EXPECT_EQ(html.find('\x01'), std::string::npos);
  EXPECT_EQ(html.find('\xff'), std::string::npos);
  EXPECT_NE(
      html.find("<h1>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;&quot;&amp;\\x01\\xff</h1>"),
      std::string::npos);
  EXPECT_EQ(data_of(html)["items"][0]["series"][0]["name"], "</script><script>alert(1)</script>'\"&\\x01\\xff");
}

TEST(Page, HasValidJsonWhateverTheNumbers) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Plot plot = plot_of({"u", {0, 1, 2, 3, 4}, {nan, infinity, -infinity, 1e308, 1}, Series::Style::line});
  const auto data = data_of(to_html(page_of(plot)));
  EXPECT_EQ(data["items"][0]["series"][0]["style"], "line");
  EXPECT_EQ(data["arrays"].size(), 2u);
  EXPECT_EQ(data["arrays"][1], "AADAfwAAwH8AAMB/AADAfwAAgD8=");  // NaN four times, 1
}

TEST(Page, TakesEmptySeries) {
  const auto data = data_of(to_html(page_of(plot_of({"u", {}, {}, Series::Style::points}))));
  EXPECT_EQ(data["arrays"][0]["steps"], "");
}

TEST(Page, StoresATimeThatSeriesShareOnce) {
  Plot plot = plot_of({"u", {0, 1, 2}, {1, 2, 3}, Series::Style::line});
  plot.series.push_back({"v", {0, 1, 2}, {4, 5, 6}, Series::Style::dashed});
  const auto data = data_of(to_html(page_of(plot)));
  EXPECT_EQ(data["arrays"].size(), 3u);
  EXPECT_EQ(data["items"][0]["series"][0]["t"], data["items"][0]["series"][1]["t"]);
}

TEST(Page, SaysWhatWasThinned) {
  Series series{"u", {}, {}, Series::Style::line};
  for (int i = 0; i < 360000; ++i) {
    series.t.push_back(0.01 * i);
    series.y.push_back(std::sin(0.01 * i));
  }
  Plot plot = plot_of(series);
  plot.series.push_back({"short", {0}, {1}, Series::Style::line});
  const std::string html = to_html(page_of(plot));
  EXPECT_NE(html.find(" of 360\u202f000 samples (u)"), std::string::npos);
  EXPECT_EQ(count(html, "shown: "), 1u);
  EXPECT_LT(html.size(), to_html({}).size() + 50'000);  // an hour at 100 Hz

  EXPECT_EQ(to_html(page_of(plot_of({"u", {0}, {1}, Series::Style::line}))).find("shown: "), std::string::npos);
}

TEST(Page, LeavesOutAndCountsPosesThatAreNone) {
  Body body = swimming_body(5);
  body.p_n[1].y() = nan;
  body.q_nb[3] = Quat(0, 0, 0, 0);
  const std::string html = to_html(page_of(scene_of(body)));
  EXPECT_NE(html.find("shown: 3 of 5 samples (rov)"), std::string::npos);
}

TEST(Page, PutsNeighbouringPlotsIntoOneGrid) {
  Page page;
  const Plot plot = plot_of({"u", {0}, {1}, Series::Style::line});
  page.items = {plot, plot, Text{"t", {}}, plot};
  EXPECT_EQ(count(to_html(page), "<div class=\"grid\">"), 2u);
}

TEST(Page, AlignsColumnsOfNumbers) {
  const std::string html =
      to_html(page_of(Table{"T",
                            {"name", "value", "verdict"},
                            {{"a", "1.5", "pass"}, {"b", "\u22122 m", "fail"}, {"c", "\u2013", ""}},
                            ""}));
  EXPECT_NE(html.find("<th>name</th><th class=\"number\">value</th><th>verdict</th>"), std::string::npos);
  EXPECT_NE(html.find("<td>a</td><td class=\"number\">1.5</td><td class=\"pass\">pass</td>"),
            std::string::npos);
}

TEST(PageErrors, NameTheSeriesAndItsLengths) {
  EXPECT_EQ(error_text([] {
              to_html(page_of(plot_of({"u", {0, 1}, {1}, Series::Style::line})));
            }),
            "plot 'Speed' series 'u' has 1 values of y for 2 times (one for each time)");
  Plot plot;
  plot.bands = {{"2 sigma", {0}, {1, 2}, {1}}};
  EXPECT_EQ(error_text([&] { to_html(page_of(plot)); }),
            "plot '' band '2 sigma' has 2 values of low for 1 times (one for each time)");
  Body body = swimming_body(3);
  body.q_nb.pop_back();
  EXPECT_EQ(error_text([&] { to_html(page_of(scene_of(body))); }),
            "scene 'Tank' body 'rov' has 2 values of q_nb for 3 times (one for each time)");
}

TEST(PageErrors, RefuseClocksThatStepBack) {
  EXPECT_EQ(
      error_text([] {
        to_html(page_of(plot_of({"u", {0, 2, 1}, {1, 2, 3}, Series::Style::line})));
      }),
      "plot 'Speed' series 'u' has t[2] = 1 after t[1] = 2 (sort by time, or make two series where the clock "
      "stepped back)");
  EXPECT_EQ(error_text([] {
              to_html(page_of(plot_of({"u", {0, nan}, {1, 2}, Series::Style::line})));
            }),
            "plot 'Speed' series 'u' has t[1] = nan (times are finite, in s)");
}

TEST(PageErrors, RefuseWhatCannotBeDrawn) {
  EXPECT_EQ(error_text([] {
              to_html(page_of(Table{"T", {"a", "b"}, {{"1", "2"}, {"1"}}, ""}));
            }),
            "table 'T' row 2 has 1 cells, the table has 2 columns (an empty cell is an empty string)");
  Scene scene = scene_of(swimming_body(1));
  scene.bodies[0].size.y() = 0;
  scene.tank_n = Box{Vec3(0, 0, 0), Vec3(1, 0, 1)};
  EXPECT_EQ(error_text([&] { to_html(page_of(scene)); }),
            "scene 'Tank' body 'rov' has size 0.46 0 0.25 (length, width and height in m, all > 0)\n"
            "scene 'Tank' tank has no volume (min below max in north, east and down; down is the depth)");
  Scene marked = scene_of(swimming_body(1));
  marked.markers = {{"dock", Vec3::Zero(), Vec3(0, nan, 0), "", "", ""}};
  EXPECT_EQ(error_text([&] { to_html(page_of(marked)); }),
            "scene 'Tank' marker 'dock' is not finite (check p_n and vector_n)");
}

TEST(Page, LinksLeadToFilesBesideItAlone) {
  Page page;
  page.items.emplace_back(Text{.title = "t", .paragraphs = {}, .links = {{"model.sdf", "for <Gazebo>"}}});
  const std::string html = to_html(page);
  EXPECT_NE(html.find("<a href=\"model.sdf\">model.sdf</a> for &lt;Gazebo&gt;"), std::string::npos);
  for (const char* wrong : {"", "../a", "a b", "javascript:x", "//host", "a\"b", ".hidden"}) {
    std::get<Text>(page.items[0]).links[0].file = wrong;
    EXPECT_THROW(to_html(page), InputError) << wrong;
  }
}

}  // namespace
}  // namespace fathom::report::page_test
