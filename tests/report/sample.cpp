// Writes the pages that tests/report/check.mjs opens in a browser: sample.html (every kind of item, a vehicle
// through way-points in a tank), hostile.html (names that try to be markup), still.html (bodies held together,
// with arrows), empty.html, bare.html (items without content).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "fathom/base/file.hpp"
#include "fathom/base/random.hpp"
#include "fathom/geometry/rotation.hpp"
#include "fathom/report/page.hpp"

namespace {

using namespace fathom;
using namespace fathom::report;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double leg = 9;  // s from way-point to way-point

const std::vector<Vec3> waypoints = {{0.9, 0.9, 0.5}, {3.0, 1.2, 0.8}, {5.3, 0.9, 1.2}, {5.3, 2.8, 1.3},
                                     {3.2, 2.4, 0.9}, {1.0, 2.8, 0.6}, {0.9, 0.9, 0.5}};

/// Catmull-Rom through the way-points: smooth enough for a picture.
Vec3 path(double t) {
  const int n = static_cast<int>(waypoints.size());
  const double s = std::clamp(t / leg, 0.0, n - 1.0 - 1e-9);
  const int k = static_cast<int>(s);
  const double a = s - k;
  const auto at = [&](int i) { return waypoints[static_cast<std::size_t>((i + n - 1) % (n - 1))]; };
  const Vec3 p0 = at(k - 1), p1 = at(k), p2 = at(k + 1), p3 = at(k + 2);
  return 0.5 * (2 * p1 + (p2 - p0) * a + (2 * p0 - 5 * p1 + 4 * p2 - p3) * a * a +
                (3 * p1 - p0 - 3 * p2 + p3) * a * a * a);
}

Vec3 velocity(double t) { return (path(t + 1e-3) - path(t - 1e-3)) / 2e-3; }

Vec3 drift(double t) {  // what the current does to the vehicle
  return Vec3(0.05 * std::sin(0.31 * t), 0.08 * std::sin(0.23 * t + 0.4), 0.03 * std::sin(0.53 * t));
}

Body vehicle() {
  Body body;
  body.name = "BlueROV2 Heavy";
  body.size = Vec3(0.457, 0.436, 0.254);
  const double r = std::sqrt(0.5);
  for (const double x : {1.0, -1.0})
    for (const double y : {1.0, -1.0}) {
      body.thrusters.push_back({Vec3(0.156 * x, 0.111 * y, 0.08), Vec3(r, -x * y * r, 0)});
      body.thrusters.push_back({Vec3(0.12 * x, 0.218 * y, -0.01), Vec3(0, 0, -1)});
    }
  for (int i = 0; i <= 2700; ++i) {
    const double t = 0.02 * i, yaw = std::atan2(velocity(t).y(), velocity(t).x());
    body.t.push_back(t);
    body.p_n.push_back(path(t) + drift(t));
    body.q_nb.push_back(quaternion_from_euler(Vec3(0.06 * std::sin(1.1 * t), 0.08 * std::sin(0.7 * t), yaw)));
  }
  return body;
}

Scene scene() {
  Scene scene;
  scene.title = "Motion in the tank";
  scene.bodies = {vehicle()};
  Path3 reference{"reference", {}, true};
  for (int i = 0; i <= 540; ++i) reference.points_n.push_back(path(0.1 * i));
  scene.paths = {reference};
  scene.waypoints_n.assign(waypoints.begin(), waypoints.end() - 1);
  scene.tank_n = Box{Vec3(0, 0, -0.2), Vec3(6.3, 3.7, 1.8)};
  scene.current_n = Vec3(-0.03, 0.11, 0);
  return scene;
}

template <class Function>
Series series(std::string name, Series::Style style, double rate_hz, const Function& value) {
  Series made{std::move(name), {}, {}, style};
  for (int i = 0; i <= 54 * rate_hz; ++i) {
    made.t.push_back(i / rate_hz);
    made.y.push_back(value(i / rate_hz));
  }
  return made;
}

std::vector<Plot> plots() {
  RandomStream random(1, "report sample");
  const auto u = [](double t) { return velocity(t).norm() + 0.02 * std::sin(1.7 * t); };
  std::vector<Plot> plots;

  Plot surge{"Surge speed", "u", "m/s", {}, {}, {}};
  surge.series = {
      series("measured", Series::Style::points, 4, [&](double t) { return u(t) + 0.012 * random.normal(); }),
      series("model", Series::Style::line, 50, u),
      series("reference", Series::Style::dashed, 20, [](double t) { return velocity(t).norm(); })};
  Band band{"95 % of the model", {}, {}, {}};
  for (double t = 0; t <= 54; t += 0.25) {
    band.t.push_back(t);
    band.low.push_back(u(t) - 0.02 - 0.0006 * t);
    band.high.push_back(u(t) + 0.02 + 0.0006 * t);
  }
  surge.bands = {band};
  for (std::size_t k = 1; k + 1 < waypoints.size(); ++k)
    surge.marks.push_back({leg * static_cast<double>(k), fmt::format("way-point {}", k + 1)});
  plots.push_back(surge);

  Plot depth{"Depth", "z", "m", {}, {}, {{24, "fix lost"}, {29, "fix back"}}};
  depth.series = {series("sensor", Series::Style::line, 10,
                         [&](double t) {
                           return t > 24 && t < 29 ? nan : path(t).z() + drift(t).z() + 0.006 * random.normal();
                         }),
                  series("reference", Series::Style::dashed, 20, [](double t) { return path(t).z(); })};
  plots.push_back(depth);

  Plot rate{"Yaw rate, gyroscope at 400 Hz", "r", "rad/s", {}, {}, {}};
  rate.series = {series("gyroscope", Series::Style::line, 400, [&](double t) {
    return 0.4 * std::sin(0.7 * t) * std::cos(0.19 * t) + 0.03 * random.normal();
  })};
  plots.push_back(rate);

  Plot thrust{"Thruster forces", "force", "N", {}, {}, {}};
  for (int k = 0; k < 8; ++k)
    thrust.series.push_back(series(fmt::format("T{}", k + 1), Series::Style::line, 10, [k](double t) {
      return (k < 4 ? 9 : 4) * std::sin(0.35 * t + 0.8 * k) * std::exp(-0.01 * t) + (k < 4 ? 4 : -2);
    }));
  plots.push_back(thrust);

  Plot error{"Distance from the path", "error", "mm", {}, {}, {}};
  error.series = {series("error", Series::Style::line, 20, [](double t) { return 1000 * drift(t).norm(); })};
  plots.push_back(error);
  Plot residual{"Residual of the model", "residual", "N", {}, {}, {}};
  residual.series = {series("X", Series::Style::line, 20, [&](double) { return 0.4 * random.normal(); }),
                     series("Y", Series::Style::line, 20,
                            [&](double t) { return 0.3 * random.normal() + 0.2 * std::sin(t); })};
  plots.push_back(residual);
  return plots;
}

/// Something over iterations, and a limit.
Plot search() {
  Plot plot{.title = "Search", .y_label = "error", .y_unit = "%", .x_label = "iteration"};
  plot.series = {{.name = "start 2"}, {"floor", {0, 700}, {9, 9}, Series::Style::limit}};
  for (int i = 0; i <= 700; ++i) {
    plot.series[0].t.push_back(i);
    plot.series[0].y.push_back(9.5 + 20 * std::exp(-0.02 * i));
  }
  return plot;
}

/// Three decades, one that is not there and one that is endless.
Bars sigmas() {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  return {.title = "Sigmas",
          .label = "relative",
          .unit = "%",
          .names = {"design", "sinusoids"},
          .groups = {"m11", "d11", "W-B", "q11|1|", "m22", "m33", "m66", "d22", "d33", "d66", "q66|6|"},
          .values = {{0.1, 1, 10, 100, 3, 4, 5, 6, 7, 8, 9}, {0.2, 2, 20, nan, 3, 4, 5, 6, 7, 8, infinity}},
          .note = "Of each parameter."};
}

Page sample() {
  Page page;
  page.title = "Pool day: BlueROV2 Heavy, 24 parameters";
  page.subtitle =
      "Identified from 54 s of motion through six way-points in a tank of 6.3 \u00d7 3.7 \u00d7 1.8 m, "
      "validated on motion that the fit never saw.";
  page.footer = "fathom demo --seed 1 \u00b7 Fathom 0.1.0 \u00b7 seed 1";
  page.items.emplace_back(Figures{{{"R\u00b2, surge", "0.982", "unseen motion"},
                                   {"R\u00b2, heave", "0.957", "unseen motion"},
                                   {"Position after 54 s", "41 mm", "no position fixes"},
                                   {"Parameters", "24", "all within physical limits"},
                                   {"Fit time", "0.31 s", "2 threads"}}});
  page.items.emplace_back(scene());
  for (Plot& plot : plots()) page.items.emplace_back(std::move(plot));
  page.items.emplace_back(
      Table{"Parameters",
            {"parameter", "unit", "true", "identified", "sigma", "z", "verdict"},
            {{"added mass, surge", "kg", "6.36", "6.41", "0.08", "0.62", "pass"},
             {"added mass, sway", "kg", "7.12", "7.05", "0.11", "\u22120.64", "pass"},
             {"added mass, heave", "kg", "18.68", "18.93", "0.21", "1.19", "pass"},
             {"linear damping, surge", "N s/m", "13.70", "13.52", "0.34", "\u22120.53", "pass"},
             {"quadratic damping, surge", "N s\u00b2/m\u00b2", "141.0", "143.8", "1.9", "1.47", "pass"},
             {"weight minus buoyancy", "N", "0.98", "1.41", "0.12", "3.58", "fail"}},
            "A parameter passes if it lies within three standard deviations of the truth."});
  page.items.emplace_back(search());
  page.items.emplace_back(sigmas());
  page.items.emplace_back(
      Text{"What was done",
           {"Thruster forces come from the measured voltages through the bench curve; the hull from least "
            "squares under the constraints that nature sets: positive inertia, positive added mass, damping "
            "that never drives.",
            "Depth was lost for five seconds; those samples were left out and are a gap in the plot."}});
  return page;
}

Page hostile() {
  const std::string bad =
      "</script><script>window.broken=1</script><img src=x onerror='window.broken=1'>\"&amp;\x01\xff]]>-->";
  Page page{bad, bad, bad, {}};
  page.items.emplace_back(Figures{{{bad, bad, bad}}});
  page.items.emplace_back(Text{bad, {bad, "<!--<script>"}});
  page.items.emplace_back(Table{bad, {bad, "<b>"}, {{bad, "<!--<script>"}}, bad});
  page.items.emplace_back(Plot{bad,
                               bad,
                               bad,
                               {{bad, {0, 1, 2}, {0, 1, nan}, Series::Style::line}},
                               {{bad, {0, 1}, {0, 1}, {1, 2}}},
                               {{1, bad}},
                               bad});
  page.items.emplace_back(Bars{bad, bad, bad, {bad, bad}, {bad}, {{1}, {2}}, bad});
  page.items.emplace_back(Boxes{bad, bad, bad, {bad, bad}, {bad}, {{{0, 1, 2, 3, 4}}, {{1, 1, 1, 1, 1}}}, bad});
  Scene scene;
  scene.title = bad;
  scene.bodies.resize(2);
  for (Body& body : scene.bodies) {
    body.name = bad;
    body.t = {0, 1};
    body.p_n = {Vec3::Zero(), Vec3::Ones()};
    body.q_nb = {Quat::Identity(), Quat::Identity()};
  }
  scene.paths = {{bad, {Vec3::Zero(), Vec3::Ones()}, false}};
  scene.markers = {{bad, Vec3::Zero(), Vec3::UnitX(), bad, bad, bad},
                   {bad, Vec3::Ones(), Vec3::UnitX(), bad, bad, ""}};
  page.items.emplace_back(scene);
  return page;
}

/// Two bodies that do not move, held together by two couplings, with the forces there in two cases.
Page still() {
  Scene scene{.title = "A pair"};
  for (const double y : {-0.4, 0.4}) {
    Body body = vehicle();
    body.name = y < 0 ? "A" : "B";
    body.t = {0};
    body.p_n = {Vec3(0, y, 3)};
    body.q_nb = {Quat::Identity()};
    scene.bodies.push_back(body);
  }
  const auto mark = [&](const char* name, double x, const Vec3& force, const char* label, const char* kind,
                        const char* group) {
    scene.markers.push_back({name, Vec3(x, 0, 3), force, label, kind, group});
  };
  mark("fore", 0.01, Vec3(0, 2, 0), "2 N", "pulls apart", "at rest");
  mark("aft", -0.01, Vec3(0, 1, 0), "1 N", "pulls apart", "at rest");
  mark("fore", 0.01, Vec3(0, -30, 0), "30 N", "presses together", "full surge");
  mark("aft", -0.01, Vec3::Zero(), "0 N", "", "full surge");
  for (const double x : {-0.01, 0.01})
    scene.paths.push_back({"coupling", {Vec3(0, -0.4, 3), Vec3(x, 0, 3), Vec3(0, 0.4, 3)}, false});
  Page page{"Still", "", "", {}};
  page.items.emplace_back(std::move(scene));
  return page;
}

/// Items that have nothing to show, or one sample.
Page bare() {
  Page page{"Bare", "", "", {}};
  page.items.emplace_back(Plot{"No series", "", "", {}, {}, {}});
  page.items.emplace_back(
      Plot{"Empty series",
           "y",
           "m",
           {{"none", {}, {}, Series::Style::line}, {"some", {1, 2}, {nan, nan}, Series::Style::line}},
           {},
           {}});
  page.items.emplace_back(
      Plot{"Constant",
           "y",
           "m",
           {{"one", {1.5}, {3}, Series::Style::points}, {"flat", {1, 2}, {3, 3}, Series::Style::dashed}},
           {},
           {}});
  page.items.emplace_back(Scene{"Nothing", {}, {}, {}, {}, {}});
  page.items.emplace_back(Scene{"A body without motion", {Body{}}, {}, {}, {}, Vec3(0, 0, 0)});
  page.items.emplace_back(Figures{});
  page.items.emplace_back(Text{});
  page.items.emplace_back(Table{});
  page.items.emplace_back(Bars{});
  page.items.emplace_back(Boxes{});
  page.items.emplace_back(
      Bars{.title = "Nothing", .names = {"a", "b"}, .groups = {"g"}, .values = {{0}, {nan}}});
  return page;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::filesystem::path folder = argv[1];
  write_file_atomically(folder / "sample.html", to_html(sample()));
  write_file_atomically(folder / "hostile.html", to_html(hostile()));
  write_file_atomically(folder / "still.html", to_html(still()));
  write_file_atomically(folder / "bare.html", to_html(bare()));
  write_file_atomically(folder / "empty.html", to_html(Page{}));
}
