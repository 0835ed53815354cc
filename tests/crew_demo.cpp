// fathom_crew_demo JOBS MILLISECONDS: a random search in numbered jobs by the command line's crew, alone or
// under mpirun. Prints what came of all jobs and the best; tests/ranks.py looks at that. What jobs and ranks do
// wrong on the way is asked for by the environment:
//   DEMO_DIE=r:k      job k kills its process on rank r; r is * for every rank
//   DEMO_THROW=k      job k throws InputError
//   DEMO_ENOUGH=n     done() says after n results that this is enough
//   DEMO_CAMPAIGNS=n  n campaigns one after the other
//   DEMO_PIDS=folder  each rank leaves its process id there, and each worker
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <unistd.h>

#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"

#include "cli/interrupt.hpp"
#include "cli/ranks.hpp"

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
  const std::string die = environment("DEMO_DIE"), at = ":" + std::to_string(k);
  if (die == "*" + at || die == std::to_string(cli::ranks().rank) + at) std::raise(SIGKILL);
  if (environment("DEMO_THROW") == std::to_string(k))
    throw InputError(Problem{Severity::error, "demo.yaml", 7, "job", "job " + std::to_string(k), "a hint"});
  RandomStream stream(static_cast<std::uint64_t>(k), "demo");
  std::vector<double> best{1e300, 0, 0};
  for (int draw = 0; draw < 1000; ++draw) {
    const double x = stream.uniform(-2, 2), y = stream.uniform(-2, 2);
    const double value = (1 - x) * (1 - x) + 100 * (y - x * x) * (y - x * x);
    if (value < best[0]) best = {value, x, y};
  }
  for (int waited = 0; waited < milliseconds && !stop(); ++waited)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return best;
}

int campaign(Crew& crew, int jobs, int milliseconds) {
  const std::string enough = environment("DEMO_ENOUGH");
  const std::size_t most = enough.empty() ? static_cast<std::size_t>(jobs) + 1 : std::stoul(enough);
  std::map<int, std::vector<double>> results;
  const auto notes = crew.run(
      jobs, [&](int k, const auto& stop) { return search(k, milliseconds, stop); },
      [&](int k, const std::vector<double>& result) {
        if (!results.emplace(k, result).second) throw std::logic_error("a job was done twice");
        if (results.size() == 1) std::fputs("first result\n", stderr);
        return results.size() < most;
      });
  if (!cli::is_first_rank()) return 0;
  int best = -1;
  for (const auto& [k, result] : results) {
    if (best < 0 || result[0] < results.at(best)[0]) best = k;
    std::printf("job %d: %.17g %.17g %.17g\n", k, result[0], result[1], result[2]);
  }
  std::printf("best: %d\n", best);
  for (const std::string& note : notes) std::fprintf(stderr, "note: %s\n", note.c_str());
  if (cli::interrupted()) std::printf("interrupted after %zu jobs\n", results.size());
  std::fflush(stdout);
  return cli::interrupted() ? 130 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  cli::watch_for_interrupt();
  cli::silence_other_ranks();
  leave_pid("rank");
  try {
    const std::string campaigns = environment("DEMO_CAMPAIGNS");
    const auto crew = cli::make_crew(0);
    int status = 0;
    for (int k = 0; k < (campaigns.empty() ? 1 : std::stoi(campaigns)) && status == 0; ++k)
      status = campaign(*crew, std::stoi(argv[1]), std::stoi(argv[2]));
    return status;
  } catch (const InputError& error) {
    std::fprintf(stderr, "input error: %s\n", error.what());
    return 2;
  } catch (const cli::CrewLost& error) {
    std::fprintf(stderr, "lost: %s\n", error.what());
    return 1;
  }
}
