#include "fathom/identify/vehicle/command_path_fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <list>
#include <map>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/base/random.hpp"
#include "fathom/identify/vehicle/internal/replay.hpp"
#include "fathom/identify/vehicle/structure_choice.hpp"

namespace fathom::identify {
namespace {

using Eigen::Index;

constexpr std::size_t fewest_blocks = 6;  // to draw from
/// More pieces than this are drawn in groups, so that the memory of a grid does not grow with the log.
constexpr std::size_t most_blocks = 64;
constexpr double shortest_piece = 8;  // s: twice the blur's reach, and as much again
constexpr double tried_share = 0.9;   // of samples in which the strongest thruster is told less than the most
/// Of the dead band: commands are means over a sample, and one that crosses the edge within it is bent there.
constexpr double share_of_sampling = 0.02;
constexpr int coarse_bands = 16, fine_bands = 25;
constexpr double coarse_lag = 0.1, fine_lag = 0.04;  // s
constexpr int coarse_saturations = 25, fine_saturations = 25;
constexpr double exceeding_share = 0.05;   // of samples that ask for more than a saturation that is found
constexpr double least_saturation = 0.15;  // of the largest that is tried
constexpr double sure_share = 0.99;        // of draws in which a saturation that is found explains more
constexpr double weight_of_yaw = 0.7;      // eq. 32

/// Rows of eq. 30 for the axes that move and are driven; roll and pitch say little, and have none.
AccelerationTerms terms_of(std::span<const Recording> recordings) {
  const Vec6 excited = excitation(recordings), wrench = wrench_rms(recordings);
  AccelerationTerms terms = full_terms();
  // Drag by the axis' own speed too: a form that is wrong is taken out of the wrench, where it is most of it.
  for (int i = 0; i < 3; ++i)
    terms[static_cast<std::size_t>(i)].push_back({AccelerationTerm::Kind::own_drag, i});
  const auto rests = [&](int i) { return excited[i] < least_excitation; };
  for (std::size_t axis = 0; axis < 6; ++axis) {
    const int i = static_cast<int>(axis);
    if (i == 3 || i == 4 || rests(i) || !is_driven(wrench, i)) terms[axis].clear();
    std::erase_if(terms[axis], [&](const AccelerationTerm& term) {
      const bool of_sway = term.i == 1 && i == 5;  // Y, v, u v of yaw
      return term.kind == AccelerationTerm::Kind::product ? rests(term.i) || rests(term.j)
                                                          : of_sway && rests(1);
    });
  }
  return terms;
}

/// The same with all that a vehicle which tilts and drags sideways may have: what dead band and gain move by is
/// what the choice of terms is worth.
AccelerationTerms fuller(AccelerationTerms terms) {
  using enum AccelerationTerm::Kind;
  const std::array<std::array<AccelerationTerm, 2>, 3> turns = {{{{{product, 1, 5}, {product, 2, 4}}},
                                                                 {{{product, 0, 5}, {product, 2, 3}}},
                                                                 {{{product, 0, 4}, {product, 1, 3}}}}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<AccelerationTerm>& list = terms[axis];
    if (list.empty()) continue;
    std::erase_if(list, [](const AccelerationTerm& term) { return term.kind == turning; });
    list.insert(list.end(), turns[axis].begin(), turns[axis].end());
    for (int j = 0; j < 6; ++j)
      if (j != static_cast<int>(axis)) list.push_back({drag, j});
    for (int j = 3; j < 6; ++j) list.push_back({velocity, j});
    list.push_back({restoring, static_cast<int>(axis)});
  }
  return terms;
}

/// Sums of each piece at places of a grid over dead band and lag, made when they are asked for.
class CommandPathGrid {
 public:
  /// `with_told`: makes the wrench anew from what thrusters were told. `held_band` and `held_saturation`, N:
  /// where they are not looked for.
  CommandPathGrid(std::span<const Recording> recordings, const CommandPathOptions& options, bool with_dead_band,
                  bool with_told, double held_band, double held_saturation, AccelerationTerms terms,
                  std::size_t at_most = most_blocks)
      : with_dead_band_(with_dead_band),
        with_told_(with_told),
        held_band_(held_band),
        saturation_(held_saturation),
        most_blocks_(at_most),
        terms_(std::move(terms)),
        pieces_(internal::pieces_of(recordings, shortest_piece, options.block)) {
    for (const internal::CommandedPiece& piece : pieces_)
      blurred_.emplace_back(piece.run, terms_, AccelerationOptions{options.blur, options.blur / 2});
  }

  /// Pieces that are drawn together count as one.
  std::size_t blocks() const { return std::min(pieces_.size(), most_blocks_); }
  /// Counts of all blocks, each once.
  std::vector<int> once() const { return std::vector<int>(blocks(), 1); }
  /// Drops the sums of the places that were tried so far.
  void forget() { kept_.clear(); }
  const AccelerationTerms& terms() const { return terms_; }
  bool with_dead_band() const { return with_dead_band_; }
  double held_band() const { return held_band_; }
  /// From now on thrusters give no more than at this command, N: the dead band and the saturation beyond it.
  /// That sum hardly depends on the dead band, so that one can be found with the other held.
  void saturate_at(double limit) { limit_ = limit; }

  /// Of blocks that count so often.
  AccelerationSums sums(double band, double lag, const std::vector<int>& counts) {
    const std::vector<AccelerationSums>& all = at(band, lag);
    AccelerationSums out;
    for (std::size_t k = 0; k < all.size(); ++k)
      for (int n = 0; n < counts[k]; ++n) out.add(all[k]);
    return out;
  }

  /// Eq. 32; infinite where an axis has no wrench left.
  double cost(double band, double lag, const std::vector<int>& counts) {
    const AccelerationSums all = sums(band, lag, counts);
    try {
      const Vec6 unexplained = all.unexplained(all.fit(), Vec3::Zero());
      double cost = 0;
      for (int i = 0; i < 6; ++i)
        if (!terms_[static_cast<std::size_t>(i)].empty())
          cost += (i == 5 ? weight_of_yaw : 1) * std::log(unexplained[i]);
      return cost;
    } catch (const InputError&) {
      return infinity;
    }
  }

 private:
  const std::vector<AccelerationSums>& at(double band, double lag) {
    std::vector<AccelerationSums>& all = kept_[{band, lag, limit_}];
    if (!all.empty()) return all;
    const Recording* recording = nullptr;
    Mat6X tau_b;
    auto blurred = blurred_.begin();
    std::size_t at = 0;
    for (const internal::CommandedPiece& piece : pieces_) {
      if (piece.recording != recording) {
        recording = piece.recording;
        tau_b = with_told_
                    ? wrench_beyond(*recording, band, std::min(saturation_, std::max(0.0, limit_ - band)))
                    : recording->tau_b;
      }
      const Index late = std::lround(lag / recording->track.dt);
      if (at * blocks() >= all.size() * pieces_.size()) all.emplace_back();
      all.back().add(*blurred, blurred->rows_at(piece.late(tau_b, late), Vec3::Zero()));
      ++blurred, ++at;
    }
    return all;
  }

  bool with_dead_band_, with_told_;
  double held_band_, saturation_, limit_ = infinity;
  std::size_t most_blocks_;
  AccelerationTerms terms_;
  std::list<internal::CommandedPiece> pieces_;
  std::list<BlurredRun> blurred_;
  std::map<std::array<double, 3>, std::vector<AccelerationSums>> kept_;  // by band, lag and limit
};

struct Place {
  double band = 0, lag = 0, cost = infinity;
};

std::vector<double> even(double first, double last, int count) {
  std::vector<double> out;
  for (int k = 0; k < count; ++k) out.push_back(first + (last - first) * k / std::max(1, count - 1));
  return out;
}

/// The least cost of a grid, and between its bands by a parabola through three of them.
Place least(CommandPathGrid& grid, const std::vector<double>& bands, const std::vector<double>& lags,
            const std::vector<int>& counts) {
  std::vector<Place> by_band;
  for (const double band : bands) {
    Place best;
    for (const double lag : lags)
      if (const double cost = grid.cost(band, lag, counts); cost < best.cost) best = {band, lag, cost};
    by_band.push_back(best);
  }
  const auto least_cost = [](const Place& a, const Place& b) { return a.cost < b.cost; };
  const auto at = std::min_element(by_band.begin(), by_band.end(), least_cost);
  Place best = *at;
  if (at == by_band.begin() || at + 1 == by_band.end()) return best;
  const double left = (at - 1)->cost, right = (at + 1)->cost, bend = left - 2 * at->cost + right;
  const double step = bands[1] - bands[0];
  if (std::isfinite(bend) && bend > 0) best.band += 0.5 * step * (left - right) / bend;
  return best;
}

/// N: what the strongest thruster is told at most in that share of samples.
double most_dead_band(std::span<const Recording> recordings) {
  std::vector<double> strongest;
  each_usable(recordings, [&](const Recording& recording, Index k) {
    strongest.push_back(recording.told.col(k).cwiseAbs().maxCoeff());
  });
  const auto at =
      strongest.begin() + static_cast<std::ptrdiff_t>(tried_share * static_cast<double>(strongest.size() - 1));
  std::nth_element(strongest.begin(), at, strongest.end());
  return *at;
}

/// N, of the strongest thruster of each sample beyond the dead band, in order.
std::vector<double> strongest_forces(std::span<const Recording> recordings, double dead_band) {
  std::vector<double> strongest;
  each_usable(recordings, [&](const Recording& recording, Index k) {
    strongest.push_back(std::max(0.0, recording.told.col(k).cwiseAbs().maxCoeff() - dead_band));
  });
  std::sort(strongest.begin(), strongest.end());
  return strongest;
}

/// The command of the least cost among those at which thrusters may saturate, by a parabola through three.
double least_of_limits(CommandPathGrid& grid, const Place& at, const std::vector<double>& limits,
                       const std::vector<int>& counts) {
  std::vector<double> costs;
  for (const double limit : limits) {
    grid.saturate_at(limit);
    costs.push_back(grid.cost(at.band, at.lag, counts));
  }
  const auto best = static_cast<std::size_t>(std::min_element(costs.begin(), costs.end()) - costs.begin());
  if (best == 0 || best + 1 == costs.size()) return limits[best];
  const double left = costs[best - 1], right = costs[best + 1], bend = left - 2 * costs[best] + right;
  const double shift = std::isfinite(bend) && bend > 0 ? 0.5 * (left - right) / bend : 0;
  return limits[best] + shift * (limits[1] - limits[0]);
}

/// From draws in any order; sigma is at least what the grid's step hides.
CommandPathNumber number_of(double value, std::vector<double> draws, double step) {
  std::sort(draws.begin(), draws.end());
  double mean = 0, square = 0;
  for (const double x : draws) mean += x / static_cast<double>(draws.size());
  for (const double x : draws) square += (x - mean) * (x - mean) / static_cast<double>(draws.size() - 1);
  const auto at = [&](double share) {
    return draws[static_cast<std::size_t>(std::lround(share * static_cast<double>(draws.size() - 1)))];
  };
  const double hidden = step / std::sqrt(12.0);
  return {value, std::hypot(std::sqrt(square), hidden), std::min(value, at(0.025)), std::max(value, at(0.975))};
}

/// Gain of each axis that has a wrench and a mass of known sigma: a = gain tau / m; weighed by the latter.
struct GainByMass {
  double log_gain = 0, prior_sigma = 0, scatter = 0;
};

GainByMass gain_by_mass(const AccelerationModel& model, const model::Robot& robot) {
  const model::Hull& hull = robot.hull();
  double weights = 0, sum = 0, square = 0, prior = 0;
  int axes = 0;
  for (int i = 0; i < 3; ++i) {
    if (model.terms[static_cast<std::size_t>(i)].empty()) continue;
    const double mass = hull.mass.value + hull.added_mass.value(i, i);
    const double sigma = std::hypot(hull.mass.sigma.value_or(0),
                                    hull.added_mass.sigma ? (*hull.added_mass.sigma)(i, i) : infinity) /
                         mass;
    const double share = mass * model.coefficient(i, {AccelerationTerm::Kind::wrench, i});
    if (!std::isfinite(sigma) || !(share > 0)) continue;
    const double weight = 1 / (sigma * sigma + 1e-4);
    weights += weight;
    sum += weight * std::log(share);
    square += weight * std::log(share) * std::log(share);
    prior += weight * sigma;
    ++axes;
  }
  if (axes == 0)
    reject("command_path.gain",
           "cannot be told from the mass: a force twice as large on a mass twice as large moves alike",
           "give hull.added_mass a sigma, or hold the gain by sigma: 0");
  const double mean = sum / weights;
  const double scatter = axes > 1 ? std::max(0.0, square / weights - mean * mean) / (axes - 1) : 0;
  return {mean, prior / weights, std::sqrt(scatter)};  // what is wrong with one mass is with the others
}

std::vector<int> drawn(std::size_t blocks, RandomStream& random) {
  std::vector<int> counts(blocks, 0);
  for (std::size_t k = 0; k < blocks; ++k)
    ++counts[std::min(blocks - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(blocks)))];
  return counts;
}

void require_told(std::span<const Recording> recordings, bool with_dead_band) {
  for (const Recording& recording : recordings)
    if (recording.told.size() == 0)
      reject(with_dead_band ? "command_path.dead_band" : "command_path.saturation",
             "of thrusters that lag cannot be looked for",
             "leave their transient out, the delay then stands for it; or hold it by sigma: 0");
}

std::vector<double> around(double lag, double most) {
  std::vector<double> lags;
  for (int k = -2; k <= 2; ++k)
    if (const double at = lag + fine_lag * k; at > -1e-9 && at < most + 1e-9) lags.push_back(std::max(0.0, at));
  return lags;
}

/// The grid on which draws are judged, round the best of a coarse one.
struct FineGrid {
  std::vector<double> bands, lags;
};

FineGrid fine_grid(CommandPathGrid& grid, double most_band, const CommandPathOptions& options) {
  const bool with_dead_band = grid.with_dead_band();
  const std::vector<double> lags =
      even(0, options.most_delay, 1 + static_cast<int>(std::lround(options.most_delay / coarse_lag)));
  grid.forget();
  const Place best =
      least(grid, with_dead_band ? even(0, most_band, coarse_bands) : std::vector{grid.held_band()}, lags,
            grid.once());
  if (!std::isfinite(best.cost))
    reject("command_path", "no axis both moves and is driven: nothing shows it",
           "`fathom excite` designs a motion that does");
  if (!with_dead_band) return {{grid.held_band()}, around(best.lag, options.most_delay)};
  grid.forget();  // the draws need places of the fine grid alone
  const double last = std::min(most_band, std::max(2.5 * best.band, 0.25 * most_band));
  return {even(0, last, fine_bands), around(best.lag, options.most_delay)};
}

GainByMass gain_at(CommandPathGrid& grid, const Place& place, const std::vector<int>& counts,
                   const model::Robot& robot) {
  return gain_by_mass(grid.sums(place.band, place.lag, counts).fit(), robot);
}

/// The command at which thrusters saturate that explains the acceleration best, if it is reached: at least 5 %
/// of the samples ask for more, and nearly all draws of the pieces leave less unexplained with it. N, beyond
/// the dead band and with it. The grid has no saturation then.
std::optional<double> reached_limit(CommandPathGrid& grid, const std::vector<double>& forces, const Place& at,
                                    const CommandPathOptions& options) {
  const double most =
      forces[static_cast<std::size_t>((1 - exceeding_share) * static_cast<double>(forces.size() - 1))];
  if (!(most > 0)) return std::nullopt;
  const std::vector<double> coarse =
      even(at.band + least_saturation * most, at.band + most, coarse_saturations);
  const double near = least_of_limits(grid, at, coarse, grid.once()), step = coarse[1] - coarse[0];
  const std::vector<double> fine =
      even(std::max(coarse.front(), near - step), std::min(coarse.back(), near + step), fine_saturations);
  const double found = least_of_limits(grid, at, fine, grid.once());
  RandomStream random(options.seed, "saturation");
  int better = 0;
  for (int k = 0; k < options.draws; ++k) {
    const std::vector<int> counts = drawn(grid.blocks(), random);
    grid.saturate_at(found);
    const double with = grid.cost(at.band, at.lag, counts);
    grid.saturate_at(infinity);
    better += with < grid.cost(at.band, at.lag, counts) ? 1 : 0;
  }
  return better >= sure_share * options.draws ? std::optional(found) : std::nullopt;
}

/// What pieces drawn anew say.
struct Draws {
  std::vector<double> bands, log_gains;
};

Draws drawn_command_path(CommandPathGrid& grid, const FineGrid& fine, const Place& best,
                         const model::Robot& robot, bool with_gain, const CommandPathOptions& options) {
  Draws out;
  RandomStream random(options.seed, "steering");
  for (int k = 0; k < options.draws; ++k) {
    const std::vector<int> counts = drawn(grid.blocks(), random);
    if (grid.with_dead_band()) out.bands.push_back(least(grid, fine.bands, fine.lags, counts).band);
    if (with_gain && std::isfinite(grid.cost(best.band, best.lag, counts)))
      out.log_gains.push_back(gain_at(grid, best, counts, robot).log_gain);
  }
  return out;
}

/// By what another choice of terms moves it.
CommandPathNumber widened(const CommandPathNumber& number, double by) {
  return {number.value, std::hypot(number.sigma, by), std::max(0.0, number.low - by), number.high + by};
}

/// A saturation that was found, with its interval: pieces drawn anew, and by what other terms and one sigma of
/// the dead band move it.
CommandPathNumber saturation_number(CommandPathGrid& grid, CommandPathGrid& fuller_grid, const Place& best,
                                    double limit, const std::optional<CommandPathNumber>& dead_band,
                                    double largest, const CommandPathOptions& options) {
  const double saturation = limit - best.band;
  const std::vector<double> tried =
      even(best.band + 0.6 * saturation, best.band + std::min(1.6 * saturation, largest), fine_saturations);
  const double step = tried[1] - tried[0];
  RandomStream random(options.seed, "saturation interval");
  std::vector<double> draws;
  for (int k = 0; k < options.draws; ++k)
    draws.push_back(least_of_limits(grid, best, tried, drawn(grid.blocks(), random)) - best.band);
  double by = step / 2 + share_of_sampling * saturation;
  if (std::isfinite(fuller_grid.cost(best.band, best.lag, fuller_grid.once())))
    by += std::abs(least_of_limits(fuller_grid, best, tried, fuller_grid.once()) - limit);
  if (dead_band) {
    const auto at = [&](double band) {
      return least_of_limits(grid, {band, best.lag, 0}, tried, grid.once()) - band;
    };
    const double low = std::max(0.0, best.band - dead_band->sigma), high = best.band + dead_band->sigma;
    by = std::hypot(by, dead_band->sigma * (at(high) - at(low)) / (high - low));
  }
  return widened(number_of(saturation, draws, step), by);
}

/// Finds dead band and saturation in turns; `fine` and `best` are those of the dead band. Infinite where the
/// saturation is not reached.
double find_limit(CommandPathGrid& grid, std::span<const Recording> recordings,
                  const CommandPathOptions& options, FineGrid& fine, Place& best, CommandPathFit& out) {
  constexpr int most_rounds = 6;
  constexpr double settled = 0.01;  // of the limit
  double limit = infinity;
  for (int round = 0; round < most_rounds; ++round) {
    const std::vector<double> forces = strongest_forces(recordings, best.band);
    out.largest_force = forces.back();
    const double before = limit;
    limit = reached_limit(grid, forces, best, options).value_or(infinity);
    if (round == 0 && std::isinf(limit)) break;
    grid.saturate_at(limit);
    fine = fine_grid(grid, out.most_dead_band, options);
    best = least(grid, fine.bands, fine.lags, grid.once());
    if (std::isinf(limit) || std::abs(limit - before) < settled * limit) break;
  }
  return limit;
}

}  // namespace

CommandPathFit fit_command_path(std::span<const Recording> recordings, const model::Robot& robot,
                                const CommandPathOptions& options) {
  CommandPathFit out;
  if (!robot.command_path()) return out;
  const bool with_dead_band = !model::CommandPath::is_held(robot.command_path()->dead_band);
  const bool with_gain = !model::CommandPath::is_held(robot.command_path()->gain);
  const bool with_saturation = !model::CommandPath::is_held(robot.command_path()->saturation);
  if (!with_dead_band && !with_gain && !with_saturation) return out;
  out.looked_for_saturation = with_saturation;
  if (with_dead_band || with_saturation) require_told(recordings, with_dead_band);
  if (with_dead_band) out.most_dead_band = most_dead_band(recordings);
  const AccelerationTerms terms = terms_of(recordings);
  const bool with_told = with_dead_band || with_saturation;
  const double held_saturation = with_saturation ? infinity : robot.saturation();
  CommandPathGrid grid(recordings, options, with_dead_band, with_told, robot.dead_band(), held_saturation,
                       terms);
  out.blocks = grid.blocks();
  if (out.blocks < fewest_blocks)
    reject(names_of(recordings), 0, "command_path",
           fmt::format("needs {} pieces of {:g} s to be looked for, the logs have {}", fewest_blocks,
                       options.block, out.blocks),
           "longer logs; or hold dead_band and gain by sigma: 0");
  FineGrid fine = fine_grid(grid, out.most_dead_band, options);
  Place best = least(grid, fine.bands, fine.lags, grid.once());
  double limit = infinity;
  if (with_saturation) limit = find_limit(grid, recordings, options, fine, best, out);
  out.lag = best.lag;
  CommandPathGrid fuller_grid(recordings, options, with_dead_band, with_told, robot.dead_band(),
                              held_saturation, fuller(terms), 1);  // nothing is drawn from it
  fuller_grid.saturate_at(limit);
  const Place otherwise = least(fuller_grid, fine.bands, fine.lags, fuller_grid.once());
  const bool can_compare = std::isfinite(otherwise.cost);  // not where some term is zero throughout
  const Draws draws = drawn_command_path(grid, fine, best, robot, with_gain, options);
  if (with_dead_band) {
    const double step = fine.bands[1] - fine.bands[0];
    out.dead_band = widened(
        number_of(best.band, draws.bands, step),
        step / 2 + share_of_sampling * best.band + (can_compare ? std::abs(otherwise.band - best.band) : 0));
  }
  if (std::isfinite(limit)) {
    out.saturation =
        saturation_number(grid, fuller_grid, best, limit, out.dead_band, out.largest_force, options);
    grid.saturate_at(limit);
    fuller_grid.saturate_at(limit);
  }
  if (with_gain) {
    const GainByMass gain = gain_at(grid, best, grid.once(), robot);
    const double by_terms =
        can_compare ? gain_at(fuller_grid, otherwise, fuller_grid.once(), robot).log_gain - gain.log_gain : 0;
    const double sigma = std::hypot(std::hypot(number_of(gain.log_gain, draws.log_gains, 0).sigma, by_terms),
                                    gain.prior_sigma, gain.scatter);
    const double value = robot.thrust_gain() * std::exp(gain.log_gain);
    out.gain = {value, value * sigma, value * std::exp(-1.96 * sigma), value * std::exp(1.96 * sigma)};
  }
  return out;
}

void apply_command_path(const CommandPathFit& fit, const model::Robot& robot, std::span<Recording> recordings) {
  constexpr double never_reached = 2;  // times the largest mean over a sample: commands within it are larger
  const double band = fit.dead_band ? fit.dead_band->value : robot.dead_band();
  const double more = fit.gain ? fit.gain->value / robot.thrust_gain() : 1;
  for (Recording& recording : recordings) {
    // A saturation of the file far beyond all forces has changed nothing: the wrench stays as it is to the bit.
    const bool clips =
        fit.saturation || (fit.looked_for_saturation &&
                           robot.saturation() < never_reached * recording.told.cwiseAbs().maxCoeff());
    if (fit.looked_for_saturation) recording.saturation = fit.saturation ? fit.saturation->value : infinity;
    if (fit.dead_band || clips) recording.tau_b = wrench_beyond(recording, band);
    recording.tau_b *= more;
    recording.told_to_wrench_b *= more;
  }
}

model::Robot robot_with_command_path(const model::Robot& robot, const CommandPathFit& fit,
                                     const std::string& source) {
  if (!fit.found_any()) return robot;
  model::RobotSpec spec = robot.spec();
  const auto put = [&](const std::optional<CommandPathNumber>& from, std::optional<model::Value<double>>& to) {
    if (from) to = model::Value<double>{from->value, source, false, from->sigma};
  };
  put(fit.dead_band, spec.command_path->dead_band);
  put(fit.gain, spec.command_path->gain);
  put(fit.saturation, spec.command_path->saturation);
  if (fit.saturation_not_reached()) spec.command_path->saturation.reset();
  return model::Robot::make(std::move(spec));
}

}  // namespace fathom::identify
