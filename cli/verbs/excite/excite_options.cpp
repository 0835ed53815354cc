#include "cli/verbs/excite/excite_options.hpp"

#include <fmt/format.h>

#include "cli/verb.hpp"
#include "cli/verbs/excite/excite_result.hpp"

namespace fathom::cli {

std::string ExciteOptions::command(std::uint64_t seed) const {
  std::string text = "excite " + shell_word(problem);
  if (duration) text += fmt::format(" --duration {}", *duration);
  if (!criterion.empty()) text += " --criterion " + criterion;
  if (starts) text += fmt::format(" --starts {}", *starts);
  if (waypoint_interval) text += fmt::format(" --waypoint-interval {}", *waypoint_interval);
  if (rate_hz) text += fmt::format(" --rate {}", *rate_hz);
  if (periods) text += fmt::format(" --periods {}", *periods);
  return text + fmt::format(" --seed {}", seed);
}

std::optional<excite::Criterion> ExciteOptions::chosen_criterion() const {
  for (const auto one :
       {excite::Criterion::a_optimal, excite::Criterion::d_optimal, excite::Criterion::condition})
    if (to_string(one) == criterion) return one;
  return std::nullopt;
}

}  // namespace fathom::cli
