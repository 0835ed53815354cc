#include <cmath>

#include <Eigen/SVD>
#include <fmt/format.h>

#include "fathom/identify/arm/payload.hpp"
#include "fathom/model_file/arm_file.hpp"
#include "fathom/task/identify/arm.hpp"

#include "studies/arm/ariane_study.hpp"
#include "studies/reproduce.hpp"

namespace fathom::studies {
namespace {

namespace fs = std::filesystem;
using dynamics::ArmColumns;
using identify::ArmFit;
using identify::ArmRun;

std::size_t rank_of(const model::Arm& arm, const ArmColumns& columns) {
  const dynamics::ArmRegressor regressor(arm, model::Environment(), columns, {.medium = dynamics::Medium::air});
  return consistency::base_parameters(regressor, consistency::draw({.down_b = -Vec3::UnitZ()}, arm.joints()))
      .rank();
}

class RealArms {
 public:
  RealArms(Study& study, const Host& host) : study_(study), host_(host) {}

  void run() {
    run_or_skip(study_, host_.data / "arm_lwr4", {"lwr4"}, [&](const fs::path& folder) { lwr4(folder); });
    host_.progress(0.4, "UR10e");
    run_or_skip(study_, host_.data / "arm_ur10e", {"ur10e"}, [&](const fs::path& folder) { ur10e(folder); });
  }

 private:
  /// The number of base parameters, and the body of the links behind them.
  void tell_fit(const std::string& key, const ArmFit& fit, const model::Arm& arm) {
    study_.set(key + ".base", static_cast<double>(rank_of(arm, ArmColumns())));
    std::size_t weak = 0;
    for (std::size_t k = 0; k < fit.rank(); ++k) weak += fit.is_weak(k);
    study_.set(key + ".base_friction", static_cast<double>(fit.structural_rank),
               fmt::format("the run shows {}, {} of them weakly; scaled condition {:.0f}", fit.rank(), weak,
                           fit.scaled_condition));
    study_.set(key + ".eigenvalue", fit.consistent->least_eigenvalue,
               fmt::format("gap {:.1g} of {:.4g}", fit.consistent->conic.gap, fit.consistent->conic.f));
  }

  void tell_scores(const std::string& key, const std::vector<identify::Metrics>& scores,
                   const std::vector<identify::Metrics>& beside, const std::string& what) {
    for (std::size_t k = 0; k < scores.size(); ++k) {
      study_.set(fmt::format("{}.rmse_{}", key, k + 1), scores[k].rmse,
                 fmt::format("{} {:.3f}", what, beside[k].rmse));
      study_.set(fmt::format("{}.nrmse_{}", key, k + 1), 100 * scores[k].nrmse,
                 fmt::format("R2 {:.4f}", scores[k].r2));
    }
  }

  void lwr4(const fs::path& folder) {
    task::IdentifyArmOptions options;
    options.arm = (folder / "kuka_lwr4.urdf").string();
    options.log = {(folder / "measurements_1.csv").string()};
    options.hold_out = 0.4;
    options.cutoff_hz = study_.setting("cutoff_hz");
    const task::IdentifyArmResult result = task::identify_arm(options);
    const auto& [fit, runs] = *result.evidence;
    tell_fit("lwr4", fit, model::read_arm(options.arm));
    tell_scores("lwr4", runs[1].scores, runs[0].scores, "learnt from:");
    study_.set("lwr4.file", runs[1].by_the_file[1].rmse);
    tell_what_is_left(fit, runs[0].run, runs[1].run);
  }

  /// Why the last joints are foretold so badly, learnt from the training part alone: joints that move in step
  /// cannot be told apart, and joint 7 has a torque that grows with its angle, or theirs.
  void tell_what_is_left(const ArmFit& fit, const ArmRun& train, const ArmRun& test) {
    Eigen::MatrixXd q = train.q.rowwise() - train.q.colwise().mean();
    q *= q.colwise().norm().cwiseInverse().asDiagonal();
    const Eigen::VectorXd sizes = Eigen::JacobiSVD<Eigen::MatrixXd>(q).singularValues();
    study_.set("lwr4.shapes", 100 * sizes.head<2>().squaredNorm() / sizes.squaredNorm());
    const auto spread = [](const Eigen::VectorXd& x) {
      return std::sqrt((x.array() - x.mean()).square().mean());
    };
    for (const Eigen::Index j : {5, 6}) {
      const LinearTrend trend = trend_of(fit, train, j);
      const Eigen::VectorXd left = test.effort.col(j) - predict(fit, test).col(j);
      const Eigen::VectorXd mended =
          left - trend.slope * test.q.col(j) - Eigen::VectorXd::Constant(left.size(), trend.at_zero);
      const Eigen::VectorXd torque = test.effort.col(j);
      const Eigen::VectorXd steps = torque.tail(torque.size() - 2) - 2 * torque.segment(1, torque.size() - 2) +
                                    torque.head(torque.size() - 2);
      study_.set(fmt::format("lwr4.noise_{}", j + 1),
                 steps.norm() / std::sqrt(6.0 * static_cast<double>(steps.size())),
                 fmt::format("of {:.2f} N m", spread(torque)));
      study_.set(fmt::format("lwr4.spring_{}", j + 1),
                 1 - mended.squaredNorm() / (torque.array() - torque.mean()).matrix().squaredNorm(),
                 fmt::format("{:.3f} N m/rad", trend.slope));
    }
  }

  /// at_zero + slope q of what a fit leaves of a joint's torque.
  struct LinearTrend {
    double at_zero, slope;
  };
  static LinearTrend trend_of(const ArmFit& fit, const ArmRun& run, Eigen::Index j) {
    const Eigen::VectorXd left = run.effort.col(j) - predict(fit, run).col(j);
    const Eigen::VectorXd q = run.q.col(j).array() - run.q.col(j).mean();
    const double slope = q.dot(left) / q.squaredNorm();
    return {left.mean() - slope * run.q.col(j).mean(), slope};
  }

  void ur10e(const fs::path& folder) {
    task::IdentifyArmOptions options;
    options.arm = (folder / "ur10e.urdf").string();
    options.log = {(folder / "ur-20_02_12-40sec_12harm.csv").string()};
    options.test = {(folder / "ur-20_02_19_14harm50sec.csv").string(),
                    (folder / "ur-20_02_19_14harm50secLoad.csv").string()};
    options.columns = "time=1,q=2..7,effort=14..19,wanted_effort=20..25,wanted_torque=26..31";
    options.by_current = true;
    options.cutoff_hz = study_.setting("cutoff_hz");
    const task::IdentifyArmResult result = task::identify_arm(options);
    for (std::size_t k = 0; k < result.summary.gains.size(); ++k) {
      const auto& [gain, sigma, residual] = result.summary.gains[k];
      study_.set(fmt::format("ur10e.gain_{}", k + 1), gain,
                 fmt::format("+- {:.2g}, leaves {:.3f} A", sigma, residual));
    }
    const auto& [fit, runs] = *result.evidence;
    tell_fit("ur10e", fit, model::read_arm(options.arm));
    tell_scores("ur10e", runs[1].scores, runs[0].scores, "learnt from:");
    host_.progress(0.8, "payload");
    payload(fit, runs[2].run);
  }

  /// The payload from the first 60 % of its run, what is foretold of the rest.
  void payload(const ArmFit& fit, const ArmRun& run) {
    const auto seen = static_cast<Eigen::Index>(0.6 * static_cast<double>(run.samples()));
    const identify::PayloadFit load = identify::fit_payload(fit, part_of(run, 0, seen));
    const ArmRun test = part_of(run, seen, run.samples());
    tell_scores("ur10e_load", identify::score(load, fit, test), score(fit, test), "without the payload:");
    study_.set("ur10e_load.mass", load.value[0], fmt::format("+- {:.2g}", load.half_width(0)));
  }

  Study& study_;
  const Host& host_;
};

}  // namespace

void reproduce_arm(Study& study, const Host& host) {
  RealArms(study, host).run();
  const fs::path ariane = host.shared / "arms" / "ariane.yaml";
  study.put_first(ariane_rows(ariane_experiment(ariane.string(), host.seed, host.pool)));
}

}  // namespace fathom::studies
