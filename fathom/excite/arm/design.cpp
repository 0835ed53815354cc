#include "fathom/excite/arm/design.hpp"

#include <cmath>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::excite {
namespace {

constexpr int motions_for_scale = 10, tries = 200, most_shrinking = 30;
constexpr double first_power = 8, last_power = 64;

solve::InteriorPointOptions search_options(int iterations, const std::function<bool()>& stop) {
  solve::InteriorPointOptions options;
  options.iterations = iterations;
  options.mu_last = 1e-4;   // the limits' last per mille is not worth the time
  options.progress = 1e-3;  // of the logarithm of a condition number
  options.patience = 8;
  options.stop = stop;
  return options;
}

/// Singular values by way of the triangular factor: nothing is squared, so that units may be far apart.
Eigen::VectorXd spectrum_of(const Eigen::MatrixXd& rows) {
  const Eigen::Index n = rows.cols();
  const Eigen::MatrixXd R = rows.householderQr().matrixQR().topRows(n).triangularView<Eigen::Upper>();
  return R.jacobiSvd().singularValues();
}

double condition_of(const Eigen::MatrixXd& rows) {
  const Eigen::VectorXd sigma = spectrum_of(rows);
  return sigma[sigma.size() - 1] > 0 ? sigma[0] / sigma[sigma.size() - 1] : infinity;
}

}  // namespace

ArmDesigner::ArmDesigner(const ArmProblem& problem) : frame_(problem) {
  // Units would otherwise be most of the condition number: a motor's inertia beside a forearm's. Their mean
  // length is fixed once, so that a motion cannot gain by making a column short.
  ArmObjective objective(frame_);
  Eigen::VectorXd square = Eigen::VectorXd::Zero(frame_.column_scale.size());
  for (int k = 0; k < motions_for_scale; ++k)
    square += objective.information(random_motion(1, k)).diagonal() / motions_for_scale;
  for (Eigen::Index c = 0; c < square.size(); ++c)
    if (!(square[c] > 0))
      refuse("columns",
             fmt::format("number {} is not moved by any of {} random motions", c, motions_for_scale));
  frame_.column_scale = square.cwiseSqrt().cwiseInverse();
}

/// Amplitudes that fall with the harmonic, so that speeds do not shut out the slow ones; as large as the limits
/// let it, or a random share of that.
Eigen::VectorXd ArmDesigner::draw(RandomStream& random, ArmObjective& objective,
                                  const solve::InteriorPoint& polytope) const {
  const Eigen::Index m = frame_.coefficients();
  Eigen::VectorXd x(frame_.unknowns());
  for (int attempt = 0; attempt < tries; ++attempt) {
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const Eigen::Index c = i % m;
      x[i] = c == 0 ? random.uniform(-0.3, 0.3) : random.normal() / static_cast<double>((c + 1) / 2);
    }
    // Joint by joint: the largest share that keeps its own rows.
    const double share = random.uniform(0.5, 0.95);
    for (Eigen::Index j = 0; j < frame_.middle.size(); ++j) {
      Eigen::VectorXd alone = Eigen::VectorXd::Zero(x.size());
      double low = 0, high = 1;
      for (int step = 0; step < 12; ++step) {
        const double s = 0.5 * (low + high);
        alone.segment(j * m, m) = s * x.segment(j * m, m);
        (polytope.margin(alone) > 0 ? low : high) = s;
      }
      x.segment(j * m, m) *= share * low;
    }
    for (int step = 0; step < 4; ++step, x *= 0.7)
      if (objective.is_inside(x)) return x;
  }
  refuse("limits", fmt::format("leave no room: none of {} random motions keeps them", tries),
         "is the effort that holds the arm still above its limit?");
}

Eigen::VectorXd ArmDesigner::random_motion(std::uint64_t seed, int number) const {
  RandomStream random(seed, fmt::format("arm excitation {}", number));
  ArmObjective objective(frame_);
  return draw(random, objective, solve::InteriorPoint(frame_.linear_limits()));
}

bool ArmDesigner::repair(Eigen::VectorXd& x, bool& was_shrunk) const {
  for (int k = 0; k < most_shrinking; ++k, x *= 0.99) {
    const ArmPath path(frame_.problem.arm, frame_.problem.space, frame_.series(x));
    if (least_share(arm_margins(frame_.problem, path, fine * frame_.problem.samples)) >= 0) return true;
    was_shrunk = true;
  }
  return false;
}

Eigen::VectorXd ArmDesigner::solve(int k, double& value, bool& was_shrunk,
                                   const std::function<bool()>& stop) const {
  value = infinity;
  was_shrunk = false;
  ArmObjective objective(frame_);
  objective.criterion().set_power(first_power);
  solve::InteriorPoint polytope(frame_.linear_limits());
  RandomStream random(frame_.problem.seed, fmt::format("arm excitation {}", k));
  const Eigen::VectorXd start = draw(random, objective, polytope);
  const auto result = polytope.minimize(objective, start, search_options(frame_.problem.iterations, stop));
  if (result.status == solve::InteriorPointResult::Status::failed) return {};
  Eigen::VectorXd x = result.x;
  if (!repair(x, was_shrunk)) return {};
  Eigen::VectorXd gradient(x.size());
  objective.evaluate(x, 0, gradient);
  value = objective.value();
  return x;
}

Eigen::VectorXd ArmDesigner::polish(const Eigen::VectorXd& x, double& value) const {
  ArmObjective objective(frame_);
  objective.criterion().set_power(last_power);
  solve::InteriorPoint polytope(frame_.linear_limits());
  Eigen::VectorXd gradient(x.size()), better;
  objective.evaluate(x, 0, gradient);
  value = objective.value();
  const Eigen::VectorXd start = 0.999 * x;
  if (!(polytope.margin(start) > 0) || !objective.is_inside(start)) return x;
  better = polytope.minimize(objective, start, search_options(2 * frame_.problem.iterations, {})).x;
  bool was_shrunk = false;
  if (better.size() == 0 || !repair(better, was_shrunk)) return x;
  objective.evaluate(better, 0, gradient);
  if (!(objective.value() < value)) return x;
  value = objective.value();
  return better;
}

ArmDesign ArmDesigner::judge(const Eigen::VectorXd& x) const {
  ArmFrame as_measured = frame_;
  as_measured.sign_speed.assign(as_measured.sign_speed.size(), 0);
  ArmObjective objective(as_measured);
  ArmDesign design;
  design.x = x;
  design.series = frame_.series(x);
  objective.information(x);
  const Eigen::MatrixXd& rows = objective.rows();
  design.condition = condition_of(rows);
  design.log_det = 2 * spectrum_of(rows).array().log().mean();
  design.raw_condition = condition_of(rows * frame_.column_scale.cwiseInverse().asDiagonal());
  design.margins = arm_margins(frame_.problem, ArmPath(frame_.problem.arm, frame_.problem.space, design.series),
                               fine * frame_.problem.samples);
  return design;
}

ArmDesign ArmDesigner::design(Crew& crew) const {
  std::vector<std::vector<double>> ends(static_cast<std::size_t>(frame_.problem.starts));
  crew.run(
      frame_.problem.starts,
      [this](int k, const std::function<bool()>& stop) {
        double value = infinity;
        bool was_shrunk = false;
        const Eigen::VectorXd x = solve(k, value, was_shrunk, stop);
        std::vector<double> out = {value, was_shrunk ? 1.0 : 0.0};
        out.insert(out.end(), x.begin(), x.end());
        return out;
      },
      [&](int k, const std::vector<double>& out) {
        ends[static_cast<std::size_t>(k)] = out;
        return true;
      });
  int best = -1, failed = 0, shrunk = 0;
  std::vector<double> values;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const bool is_good = ends[k].size() > 2;
    values.push_back(is_good ? ends[k][0] : infinity);
    failed += !is_good;
    shrunk += is_good && ends[k][1] > 0;
    if (is_good && (best < 0 || values[k] < values[static_cast<std::size_t>(best)])) best = static_cast<int>(k);
  }
  if (best < 0) refuse("excitation", fmt::format("none of {} starts ended within the limits", ends.size()));
  const auto& end = ends[static_cast<std::size_t>(best)];
  const Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(end.data() + 2, frame_.unknowns());
  double value = 0;
  ArmDesign design = judge(polish(x, value));
  design.start = best;
  design.values = std::move(values);
  design.failed = failed;
  design.shrunk = shrunk;
  return design;
}

}  // namespace fathom::excite
