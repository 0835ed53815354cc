// fathom_crew_demo JOBS MILLISECONDS THREADS: a random search in numbered jobs by the command line's crew,
// alone or under mpirun. Prints what came of all jobs and the best; tests/ranks.py looks at that. The
// environment asks for what goes wrong on the way:
// - DEMO_DIE=r: the first job on rank r kills its process; the other ranks wait for that (needs DEMO_PIDS).
// - DEMO_KILLER=k: job k kills its process.
// - DEMO_DEAF=1: jobs do not heed stop().
// - DEMO_THROW=k: job k throws InputError.
// - DEMO_ENOUGH=n: done() says after n results that this is enough.
// - DEMO_CAMPAIGNS=n: n campaigns one after the other.
// - DEMO_PIDS=folder: each rank leaves its process id there, and each worker.
// - DEMO_OUT=file: what is printed goes there too; mpirun does not forward all of it when it ends a launch.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

#include "cli/ranks.hpp"
#include "cli/terminal/interrupt.hpp"

namespace {

using namespace fathom;

std::string environment(const char* name) {
  const char* text = std::getenv(name);
  return text ? text : "";
}

void leave_pid(const std::string& who) {
  if (const std::string folder = environment("DEMO_PIDS"); !folder.empty())
    std::ofstream(folder + "/" + who + "-" + std::to_string(cli::ranks().rank)) << ::getpid() << '\n';
}

/// The best of some points for Rosenbrock's function, and where.
std::vector<double> search(int k, int milliseconds, const std::function<bool()>& stop) {
  leave_pid("worker");
  const std::string number = std::to_string(k), dying_rank = environment("DEMO_DIE");
  if (environment("DEMO_KILLER") == number || dying_rank == std::to_string(cli::ranks().rank))
    std::raise(SIGKILL);
  while (!dying_rank.empty() && !std::ifstream(environment("DEMO_PIDS") + "/worker-" + dying_rank) && !stop())
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (environment("DEMO_THROW") == number) reject("demo.yaml", 7, "job", "job " + number, "a hint");
  RandomStream stream(static_cast<std::uint64_t>(k), "demo");
  std::vector<double> best{1e300, 0, 0};
  for (int draw = 0; draw < 1000; ++draw) {
    const double x = stream.uniform(-2, 2), y = stream.uniform(-2, 2);
    const double value = (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x);
    if (value < best[0]) best = {value, x, y};
  }
  const bool deaf = !environment("DEMO_DEAF").empty();
  for (int waited = 0; waited < milliseconds && (deaf || !stop()); ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return best;
}

int campaign(WorkerPool& pool, int jobs, int milliseconds) {
  const std::string enough = environment("DEMO_ENOUGH");
  const std::size_t most = enough.empty() ? static_cast<std::size_t>(jobs) + 1 : std::stoul(enough);
  std::map<int, std::vector<double>> results;
  const auto notes = pool.run(
      jobs, [&](int k, const auto& stop) { return search(k, milliseconds, stop); },
      [&](int k, const std::vector<double>& result) {
        if (!results.emplace(k, result).second) throw std::logic_error("a job was done twice");
        if (results.size() == 1) std::fputs("first result\n", stderr);
        return results.size() < most;
      });
  if (!cli::is_first_rank()) return 0;
  int best = -1;
  std::string text;
  for (const auto& [k, result] : results) {
    if (best < 0 || result[0] < results.at(best)[0]) best = k;
    text += fmt::format("job {}: {} {} {}\n", k, result[0], result[1], result[2]);
  }
  text += fmt::format("best: {}\n", best);
  if (cli::was_interrupted()) text += fmt::format("interrupted after {} jobs\n", results.size());
  if (const std::string file = environment("DEMO_OUT"); !file.empty()) std::ofstream(file) << text;
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
  return cli::was_interrupted() ? 130 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  cli::watch_for_interrupt();
  cli::silence_other_ranks();
  leave_pid("rank");
  try {
    const std::string campaigns = environment("DEMO_CAMPAIGNS");
    const auto pool = cli::make_pool(std::stoi(argv[3]));
    int status = 0;
    for (int k = 0; k < (campaigns.empty() ? 1 : std::stoi(campaigns)) && status == 0; ++k)
      status = campaign(*pool, std::stoi(argv[1]), std::stoi(argv[2]));
    return status;
  } catch (const InputError& error) {
    std::fprintf(stderr, "input error: %s\n", error.what());
    return 2;
  } catch (const cli::PoolLost& error) {
    std::fprintf(stderr, "lost: %s\n", error.what());
    return 1;
  }
}
