#include "fathom/identify/vehicle/internal/member.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/base/error.hpp"
#include "fathom/geometry/spectrum.hpp"
#include "fathom/model/robot_parameters.hpp"
#include "fathom/solve/serial_correlation.hpp"

namespace fathom::identify::internal {

namespace {

using Eigen::Index;

constexpr int most_draws = 20;
constexpr double least_inertia = 0.1;  // of the estimate's; a lighter body would only blow up

/// A root of the covariance that takes what is unknown as exact. In units of the sigmas, because entries differ
/// by many orders.
Eigen::MatrixXd root_of(const Eigen::MatrixXd& covariance) {
  const Index n = covariance.rows();
  Eigen::VectorXd sigma = covariance.diagonal().cwiseSqrt();
  for (double& s : sigma)
    if (!std::isfinite(s)) s = 0;
  Eigen::MatrixXd correlation = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      if (sigma[i] > 0 && sigma[j] > 0) correlation(i, j) = covariance(i, j) / (sigma[i] * sigma[j]);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(correlation);
  return sigma.asDiagonal() * eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

/// m_ij and m_ji of a structure that does not tie them are one number of a body.
void tie_inertia(const model::Structure& structure, Eigen::VectorXd& values) {
  using Kind = model::Term::Kind;
  for (std::size_t a = 0; a < structure.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const model::Term &x = structure.terms[a], &y = structure.terms[b];
      if (x.kind != Kind::inertia_entry || y.kind != Kind::inertia_entry) continue;
      if (x.row != y.column || x.column != y.row) continue;
      const auto i = static_cast<Index>(a), j = static_cast<Index>(b);
      values[i] = values[j] = 0.5 * (values[i] + values[j]);
    }
}

using Eigen::Index;

constexpr double shortest_block = 5;  // s
constexpr double times_memory = 4;    // integral times in a block
constexpr double fade_time = 0.5;     // s

}  // namespace

MemberSource::MemberSource(const UncertainModel& uncertain)
    : uncertain_(uncertain),
      root_(root_of(uncertain.parameters.covariance())),
      nominal_(vehicle_at(uncertain.parameters.values())),
      least_dissipation_(dissipation_of(nominal_).cwiseMin(0)) {}

dynamics::Vehicle MemberSource::vehicle_at(const Eigen::VectorXd& values) const {
  const model::Structure& structure = uncertain_.structure;
  const model::ParameterVector parameters(structure.parameters(values));
  return dynamics::Vehicle(model::with_parameters_unchecked(uncertain_.robot, uncertain_.environment, structure,
                                                            parameters, "a draw"),
                           uncertain_.environment, structure.dof);
}

Eigen::MatrixXd MemberSource::on_free(const Mat6& matrix) const {
  const auto free = model::free_indices(uncertain_.structure.dof);
  return matrix(free, free);
}

/// Least eigenvalues of D_lin + D_lin' and Q_j + Q_j'.
Eigen::VectorXd MemberSource::dissipation_of(const dynamics::Vehicle& vehicle) const {
  const auto free = model::free_indices(uncertain_.structure.dof);
  const Mat6 linear = dynamics::damping_matrix(vehicle, Vec6::Zero());
  const auto least = [this](const Mat6& D) { return symmetric_eigenvalues(on_free(D + D.transpose()))[0]; };
  Eigen::VectorXd result(1 + static_cast<Index>(free.size()));
  result[0] = least(linear);
  for (std::size_t k = 0; k < free.size(); ++k)
    result[1 + static_cast<Index>(k)] = least(dynamics::damping_matrix(vehicle, Vec6::Unit(free[k])) - linear);
  return result;
}

bool MemberSource::is_physical(const dynamics::Vehicle& vehicle) const {
  const Eigen::LLT<Eigen::MatrixXd> inertia(on_free(vehicle.M() - least_inertia * nominal_.M()));
  if (inertia.info() != Eigen::Success) return false;
  const double rounding = 1e-12 * dynamics::damping_matrix(nominal_, Vec6::Ones()).norm();
  return ((dissipation_of(vehicle) - least_dissipation_).array() >= -rounding).all();
}

MemberSource::Member MemberSource::draw(RandomStream& random) const {
  const Eigen::VectorXd estimate = uncertain_.parameters.values();
  const double delay = std::max(0.0, uncertain_.prediction.delay + uncertain_.delay_sigma * random.normal());
  Eigen::VectorXd values(estimate.size());
  for (int k = 0; k < most_draws; ++k) {
    Eigen::VectorXd z(estimate.size());
    for (double& x : z) x = random.normal();
    values = estimate + root_ * z;
    tie_inertia(uncertain_.structure, values);
    dynamics::Vehicle vehicle = vehicle_at(values);
    if (is_physical(vehicle)) return {std::move(vehicle), delay, k, false};
  }
  for (int k = 0; k < 10; ++k) {
    values = 0.5 * (values + estimate);
    dynamics::Vehicle vehicle = vehicle_at(values);
    if (is_physical(vehicle)) return {std::move(vehicle), delay, most_draws, true};
  }
  return {nominal_, delay, most_draws, true};
}

BlockBootstrap::BlockBootstrap(const std::vector<WrenchResiduals>& residuals, double dt, model::Dof dof) {
  Index longest = 0;
  double memory = 1;
  for (const WrenchResiduals& of : residuals) {
    if (!(std::abs(of.dt - dt) <= 1e-9 * dt))
      reject("residuals", fmt::format("have a step of {} s, the recording {} s", of.dt, dt),
             "smooth both to the same clock");
    for (const SampleRange& range : usable_ranges(of.usable)) {
      const Mat6X& run = runs_.emplace_back(of.wrench_b.middleCols(range.first, range.size()));
      if (run.cols() > longest) {
        longest = run.cols();
        memory = 1;
        for (const int row : model::free_indices(dof))
          memory = std::max(memory, solve::integral_time(run.row(row).transpose()));
      }
    }
  }
  if (runs_.empty()) return;
  const auto wanted = static_cast<Index>(std::ceil(std::max(shortest_block / dt, times_memory * memory)));
  block_ = std::min(longest, wanted);
  fade_ = std::min(static_cast<Index>(fade_time / dt), block_ / 4);
  weight_.setOnes(block_);
  for (Index k = 0; k < fade_; ++k) {
    const double in = (static_cast<double>(k) + 0.5) / static_cast<double>(fade_);
    weight_[k] = weight_[block_ - 1 - k] = std::sin(std::numbers::pi / 2 * in);
  }
  double samples = 0;
  for (const Mat6X& run : runs_) samples += static_cast<double>(run.cols());
  effective_ = samples / memory;
  std::erase_if(runs_, [this](const Mat6X& run) { return run.cols() < block_; });
}

Mat6X BlockBootstrap::pick(RandomStream& random, Index samples) const {
  Index places = 0;
  for (const Mat6X& run : runs_) places += run.cols() - samples + 1;
  auto place = static_cast<Index>(random.uniform() * static_cast<double>(places));
  for (const Mat6X& run : runs_) {
    const Index here = run.cols() - samples + 1;
    if (place < here) return run.middleCols(place, samples);
    place -= here;
  }
  return runs_.back().leftCols(samples);
}

Mat6X BlockBootstrap::draw(Index samples, RandomStream& random) const {
  Mat6X series = Mat6X::Zero(6, samples);
  if (runs_.empty()) return series;
  // The first block begins somewhere before the series, or all joints would stand at the same times.
  const Index stride = block_ - fade_;
  Index at = -static_cast<Index>(random.uniform() * static_cast<double>(stride)) - fade_;
  for (; at < samples; at += stride) {
    const Mat6X block = pick(random, block_);
    for (Index k = std::max<Index>(0, -at); k < block_ && at + k < samples; ++k)
      series.col(at + k) += weight_[k] * block.col(k);
  }
  return series;
}

}  // namespace fathom::identify::internal
