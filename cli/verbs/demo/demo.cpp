#include <chrono>

#include <fmt/format.h>

#include "cli/verb.hpp"
#include "cli/verbs/demo/demo_result.hpp"

namespace fathom::cli {
namespace {

/// Small enough for tests of what the verb writes; its checks may fail.
constexpr DemoSizes quick_sizes = {
    .seconds = 60, .starts = 1, .trajectories = 2, .joystick_seconds = 30, .members = 8};

int demo(const Verb& verb, bool quick) {
  const auto start = std::chrono::steady_clock::now();
  OutputFolder out(verb.out_folder(""), {verb.name()});
  const DemoResult result =
      run_demo(quick ? quick_sizes : DemoSizes{}, verb.common().seed, verb.common().threads, out);
  write_files(result, out);
  nlohmann::ordered_json summary = summary_of(result);
  summary["log"] = (out.target() / swim_log).string();
  summary["report"] = (out.target() / "report.html").string();
  out.write("summary.json", to_text(summary));  // without the time, so that the same seed gives the same bytes
  out.commit();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  nlohmann::ordered_json printed = {{"seconds", seconds.count()}};
  printed.update(summary);
  verb.print(printed, fmt::format("{}done in {:.1f} s\n{}", text_of(result), seconds.count(),
                                  next_steps(result, out.target())));
  return result.good() ? Status::done : Status::check_failed;
}

}  // namespace

void add_demo(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "demo", "Runs a whole pool day: excites, swims, identifies, validates and uses the estimate",
      "fathom demo --out out/pool-day",
      Takes{.out = true, .seed = true, .threads = true, .out_folder = "out/demo"});
  auto quick = std::make_shared<bool>(false);
  verb->app().add_flag("--quick", *quick)->group("");
  verb->runs([verb, quick] { return demo(*verb, *quick); });
}

}  // namespace fathom::cli
