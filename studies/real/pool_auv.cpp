#include <algorithm>
#include <array>
#include <list>
#include <utility>

#include <fmt/format.h>

#include "fathom/log/convert.hpp"

#include "studies/real/left_out.hpp"

namespace fathom::studies {
namespace {

using identify::AccelerationTerm;
using identify::BlurredRun;
using identify::BlurredRuns;
using identify::DeadBandPath;
using identify::VehicleFit;

/// Two sets of unseen runs that have no run in common; the model of each has seen all the others.
const std::array<std::vector<int>, 2> unseen_sets = {{{1, 4, 7, 10, 13}, {0, 3, 6, 9, 12, 15}}};
constexpr std::array run_numbers = {0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15};

class PoolAuvStudy {
 public:
  PoolAuvStudy(Study& study, const Host& host) : study_(study), host_(host) {
    options_.evaluations = study.setting("evaluations");
  }

  void run(const std::filesystem::path& data) {
    read(data);
    find_paths();
    for (std::size_t k = 0; k < unseen_sets.size(); ++k)
      tell_scores(study_, fmt::format("auv.set_{}", k + 1), score(fits_[k], unseen_sets[k]));
    tell_single_runs();
    tell_parameters();
  }

 private:
  void read(const std::filesystem::path& data) {
    std::size_t repeated = 0;
    const log::Description description = log::read_description(study_.folder() / "auv_pool_wrench.yaml");
    for (const int number : run_numbers) {
      log::DatasetSink sink;
      log::convert(description, data, sink, {.run = std::to_string(number)});
      const log::Dataset log = std::move(sink).dataset();
      runs_.push_back(identify::run_with_attitude(fmt::format("run {}", number), log.channel("auv.dvl"),
                                                  log.channel("auv.ahrs"), log.channel("auv.wrench")));
      ours_.emplace_back(runs_.back(), identify::full_terms());
      linear_.emplace_back(runs_.back(), identify::linear_terms());
      repeated += runs_.back().repeated_values;
    }
    study_.set("auv.repeated", static_cast<double>(repeated));
  }

  /// All runs but those, of one of the models.
  static BlurredRuns without(const std::list<BlurredRun>& runs, const std::vector<int>& left_out) {
    BlurredRuns out;
    std::size_t k = 0;
    for (const BlurredRun& run : runs)
      if (std::find(left_out.begin(), left_out.end(), run_numbers[k++]) == left_out.end()) out.push_back(&run);
    return out;
  }

  /// What each fit does not see: the two sets; nothing; each run alone.
  static std::vector<std::vector<int>> left_out() {
    std::vector<std::vector<int>> out(unseen_sets.begin(), unseen_sets.end());
    out.push_back({});
    for (const int number : run_numbers) out.push_back({number});
    return out;
  }

  void find_paths() {
    const auto sets = left_out();
    fits_.resize(sets.size());
    const auto job = [&](int k, const std::function<bool()>&) {
      const auto path = find_dead_band(without(ours_, sets[static_cast<std::size_t>(k)]), options_).vector();
      return std::vector<double>(path.begin(), path.end());
    };
    int ended = 0;
    host_.pool.run(static_cast<int>(sets.size()), job, [&](int k, const std::vector<double>& found) {
      const auto path = DeadBandPath::from(Eigen::Map<const DeadBandPath::Vector>(found.data()));
      const auto at = static_cast<std::size_t>(k);
      fits_[at] = fit_vehicle(without(ours_, sets[at]), path.path(), path.p_bc_b(), options_.weights);
      host_.progress(0.9 * ++ended / static_cast<double>(sets.size()), "AUV");
      return true;
    });
    throw_if(host_.pool.stop());
  }

  RealScores score(const VehicleFit& ours, const std::vector<int>& unseen) const {
    std::vector<double> lags;
    for (int k = 0; k <= 8; ++k) lags.push_back(0.05 * k);
    const VehicleFit linear = fit_lag(without(linear_, unseen), lags, options_.weights);
    std::vector<identify::UnseenRun> by_ours, by_linear;
    auto in_linear = linear_.begin();
    std::size_t k = 0;
    for (const BlurredRun& run : ours_) {
      if (std::find(unseen.begin(), unseen.end(), run_numbers[k++]) != unseen.end()) {
        by_ours.push_back({&ours, &run});
        by_linear.push_back({&linear, &*in_linear});
      }
      ++in_linear;
    }
    return {score_vehicle(by_ours), score_vehicle(by_linear)};
  }

  void tell_single_runs() {
    std::array<int, 3> gains{}, ratios{};
    std::vector<const identify::CommandedRun*> runs;
    for (const identify::CommandedRun& run : runs_) runs.push_back(&run);
    LeftOutRuns left_out(std::move(runs));
    for (std::size_t k = 0; k < run_numbers.size(); ++k) {
      const RealScores one = score(fits_[first_single_ + k], {run_numbers[k]});
      left_out.add(k, one);
      for (int i = 0; i < 3; ++i) {
        gains[static_cast<std::size_t>(i)] += one.gain(i) > 0;
        ratios[static_cast<std::size_t>(i)] += one.ratio(i) < 1;
      }
    }
    for (std::size_t i = 0; i < 3; ++i)
      study_.set(fmt::format("auv.single.{}", translations[i]), gains[i],
                 fmt::format("of 11 by acceleration, {} by free runs", ratios[i]));
    left_out.tell(study_, "auv");
  }

  void tell_parameters() {
    const VehicleFit& all = fits_[unseen_sets.size()];
    const std::vector<VehicleFit> others(fits_.begin() + first_single_, fits_.end());
    const auto tell = [&](const std::string& key, const auto& parameter) {
      tell_parameter(study_, "auv." + key, all, others, parameter);
    };
    tell("dead_band", [](const VehicleFit& fit) { return fit.path.dead_band; });
    tell("lag", [](const VehicleFit& fit) { return fit.path.lag; });
    tell("sensor_x", [](const VehicleFit& fit) { return fit.p_bc_b.x(); });
    tell("sensor_z", [](const VehicleFit& fit) { return fit.p_bc_b.z(); });
    for (int i = 0; i < 3; ++i) {
      const std::string name = translations[static_cast<std::size_t>(i)];
      tell("mass." + name, [i](const VehicleFit& fit) {
        return 1 / fit.model.coefficient(i, {AccelerationTerm::Kind::wrench, i});
      });
      tell("linear." + name, [i](const VehicleFit& fit) {
        return -fit.model.in_newton(i, {AccelerationTerm::Kind::velocity, i});
      });
      tell("drag." + name, [i](const VehicleFit& fit) {
        return -fit.model.in_newton(i, {AccelerationTerm::Kind::drag, i});
      });
    }
    tell("weight",
         [](const VehicleFit& fit) { return fit.model.in_newton(2, {AccelerationTerm::Kind::constant}); });
  }

  static constexpr std::size_t first_single_ = 3;  // of fits_, behind the two sets and all runs

  Study& study_;
  const Host& host_;
  identify::DeadBandOptions options_;
  std::list<identify::CommandedRun> runs_;  // lists: what refers to their elements stays good
  std::list<BlurredRun> ours_, linear_;
  std::vector<VehicleFit> fits_;
};

}  // namespace

void study_pool_auv(Study& study, const std::filesystem::path& data, const Host& host) {
  PoolAuvStudy(study, host).run(data);
}

}  // namespace fathom::studies
