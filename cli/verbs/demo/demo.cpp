#include "fathom/task/demo/demo.hpp"

#include <chrono>

#include "cli/run_task.hpp"

namespace fathom::cli {
namespace {

int run_demo(const Verb& verb, bool quick) {
  const auto start = std::chrono::steady_clock::now();
  OutputFolder out(verb.out_folder(""), {verb.name()});
  task::DemoOptions options = quick ? task::DemoOptions::quick() : task::DemoOptions();
  options.seed = verb.common().seed;
  options.log = out.log_folder("log");
  options.unseen = out.log_folder("unseen");
  task::DemoResult result = task::demo(options, context_of(verb.common()));
  const std::string page = save_result(result, out);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  result.summary.seconds = seconds.count();
  return print_result(verb, result, fmt::format("\ndone in {:.1f} s\n{}", seconds.count(), result.next_steps()),
                      page);
}

}  // namespace

void add_demo(CLI::App& program) {
  auto verb = std::make_shared<Verb>(
      program, "demo", "Runs a whole pool day: excites, swims, identifies, validates and uses the estimate",
      "fathom demo --out out/pool-day",
      Takes{.out = true, .seed = true, .threads = true, .out_folder = "out/demo"});
  auto quick = std::make_shared<bool>(false);
  verb->app().add_flag("--quick", *quick)->group("");
  verb->runs([verb, quick] { return run_demo(*verb, *quick); });
}

}  // namespace fathom::cli
