#include "fathom/filter/internal/constant_errors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "fathom/base/error.hpp"

namespace fathom::filter::internal {

namespace {

Eigen::Index errors_of(Kind kind) {
  switch (kind) {
    case Kind::attitude: return 4;
    case Kind::depth: return 1;
    case Kind::position:
    case Kind::rate:
    case Kind::velocity:
    case Kind::force: break;
  }
  return 3;
}

/// Lower factor of a covariance that may be singular.
Eigen::MatrixXd root(const Eigen::MatrixXd& covariance) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(covariance);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

/// The nearest positive semidefinite matrix: second derivatives of noise may leave a direction negative.
Eigen::MatrixXd not_negative(const Eigen::MatrixXd& H) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() * eigen.eigenvectors().transpose();
}

std::vector<Readings> Measurements::*list_of(Kind kind) {
  switch (kind) {
    case Kind::attitude: return &Measurements::attitude;
    case Kind::rate: return &Measurements::rate;
    case Kind::depth: return &Measurements::depth;
    case Kind::position: return &Measurements::position;
    case Kind::force: return &Measurements::force;
    case Kind::velocity: break;
  }
  return &Measurements::velocity;
}

constexpr std::array all_kinds = {Kind::attitude, Kind::rate,  Kind::position,
                                  Kind::velocity, Kind::depth, Kind::force};

/// The readings of a sensor without its constant error.
Eigen::MatrixXd without_error(Kind kind, const Eigen::VectorXd& error, const Eigen::MatrixXd& values) {
  if (kind == Kind::rate) return exp_rotation(-Vec3(error)).toRotationMatrix() * values;
  if (kind != Kind::attitude) return values.colwise() - error;
  const Quat left = exp_rotation(Vec3(0, 0, -error[3])), right = exp_rotation(-Vec3(error.head<3>()));
  Eigen::MatrixXd out = values;
  for (Eigen::Index k = 0; k < values.cols(); ++k) {
    const Quat q = left * Quat(values(0, k), values(1, k), values(2, k), values(3, k)) * right;
    out.col(k) << q.w(), q.x(), q.y(), q.z();
  }
  return out;
}

double bias_size(const Readings& readings) {
  const double square = readings.bias_covariance.size() > 0 ? readings.bias_covariance.trace() : 0;
  return square + readings.heading_bias_sigma * readings.heading_bias_sigma;
}

void check_covariance(const Readings& readings, Kind kind, const std::string& name) {
  if (!(std::isfinite(readings.heading_bias_sigma) && readings.heading_bias_sigma >= 0))
    reject(name + ".heading_bias_sigma", fmt::format("= {}, must be >= 0", readings.heading_bias_sigma), "");
  const Eigen::MatrixXd& C = readings.bias_covariance;
  const Eigen::Index size = kind == Kind::depth ? 1 : 3;
  if (C.size() > 0 && (C.rows() != size || C.cols() != size || !C.allFinite()))
    reject(name + ".bias_covariance", fmt::format("is not {0} x {0} finite numbers", size),
           "leave it empty where there is no constant error");
}

}  // namespace

ConstantErrors::ConstantErrors(const Measurements& measurements) {
  Eigen::Index size = 0;
  for (const Kind kind : all_kinds)
    for (std::size_t i = 0; i < (measurements.*list_of(kind)).size(); ++i) {
      parts_.push_back({kind, i, size, errors_of(kind)});
      size += errors_of(kind);
    }
  L_.setZero(size, size);
  for (const Part& part : parts_) {
    const Readings& readings = (measurements.*list_of(part.kind))[part.number];
    check_covariance(readings, part.kind, series_name(part.kind, part.number));
    const Eigen::MatrixXd& C = readings.bias_covariance;
    if (C.size() > 0) L_.block(part.at, part.at, C.rows(), C.rows()) = root(C);
    if (part.kind == Kind::attitude) L_(part.at + 3, part.at + 3) = readings.heading_bias_sigma;
  }
  const auto smaller = [](const Readings& a, const Readings& b) { return bias_size(a) < bias_size(b); };
  const auto& attitudes = measurements.attitude;
  reference_ = static_cast<std::size_t>(std::min_element(attitudes.begin(), attitudes.end(), smaller) -
                                        attitudes.begin());
  H_.setZero(size, size);
  b_.setZero(size);
  value_.setZero(size);
  covariance_ = L_ * L_.transpose();
}

const ConstantErrors::Part& ConstantErrors::part(Kind kind, std::size_t number) const {
  return *std::find_if(parts_.begin(), parts_.end(),
                       [&](const Part& one) { return one.kind == kind && one.number == number; });
}

Eigen::Index ConstantErrors::place(Kind kind, std::size_t number) const { return part(kind, number).at; }

void ConstantErrors::add(const std::vector<Information>& relations, bool keep) {
  Eigen::MatrixXd all = H_;
  Eigen::VectorXd pull = b_;
  for (const Information& one : relations) {
    const Eigen::MatrixXd H = not_negative(one.H);
    all(one.which, one.which) += H;
    pull(one.which) += H * value_(one.which) - one.g;
  }
  const Eigen::MatrixXd inner = Eigen::MatrixXd::Identity(L_.rows(), L_.cols()) + L_.transpose() * all * L_;
  const Eigen::LLT<Eigen::MatrixXd> factor(inner);
  value_ = L_ * factor.solve(L_.transpose() * pull);
  if (!keep) return;
  covariance_ = L_ * factor.solve(L_.transpose());
  H_ = all;
  b_ = pull;
}

void ConstantErrors::correct(std::vector<Series>& series, std::list<Eigen::MatrixXd>& store) const {
  for (Series& one : series) {
    const Part& of = part(one.kind, static_cast<std::size_t>(one.number));
    const Eigen::VectorXd error = value_.segment(of.at, of.size);
    one.values = &one.readings->values;
    if (error.isZero(0)) continue;
    store.push_back(without_error(one.kind, error, one.readings->values));
    one.values = &store.back();
  }
}

void ConstantErrors::turn(AttitudeTrack& track, const Eigen::VectorXd& before) const {
  const Eigen::Index at = place(Kind::attitude, reference_);
  // R = Rz(-heading) R_measured Exp(-e), now and before
  const Quat right = exp_rotation(before.segment<3>(at)) * exp_rotation(-Vec3(value_.segment<3>(at)));
  const Quat left = exp_rotation(Vec3(0, 0, before[at + 3] - value_[at + 3]));
  const Mat3 to_body = right.conjugate().toRotationMatrix();
  for (Eigen::Index k = 0; k < track.q_nb.cols(); ++k)
    track.q_nb.col(k) = (left * Quat(track.q_nb.col(k)) * right).normalized().coeffs();
  track.omega_b = to_body * track.omega_b;
  track.alpha_b = to_body * track.alpha_b;
}

std::vector<ConstantError> ConstantErrors::report() const {
  std::vector<ConstantError> all;
  const Eigen::VectorXd prior = (L_ * L_.transpose()).diagonal().cwiseSqrt();
  for (const Part& one : parts_) {
    if (prior.segment(one.at, one.size).isZero(0)) continue;
    all.push_back({series_name(one.kind, one.number), value_.segment(one.at, one.size),
                   covariance_.diagonal().segment(one.at, one.size).cwiseMax(0).cwiseSqrt(),
                   prior.segment(one.at, one.size)});
  }
  return all;
}

Vec3 ConstantErrors::attitude_sigma_b(const AttitudeTrack& track) const {
  const Eigen::Index at = place(Kind::attitude, reference_);
  Vec3 square = Vec3::Zero();
  Eigen::Matrix<double, 3, 4> J;
  J.leftCols<3>().setIdentity();
  const Eigen::Index stride = std::max<Eigen::Index>(1, track.q_nb.cols() / 1000);
  double count = 0;
  for (Eigen::Index k = 0; k < track.q_nb.cols(); k += stride, ++count) {
    J.col(3) = Quat(track.q_nb.col(k)).conjugate() * Vec3::UnitZ();
    square += (J * covariance_.block<4, 4>(at, at) * J.transpose()).diagonal();
  }
  return (square / std::max(1.0, count)).cwiseMax(0).cwiseSqrt();
}

}  // namespace fathom::filter::internal

namespace fathom::filter {

Measurements without(const std::vector<ConstantError>& errors, Measurements measurements) {
  for (const internal::Kind kind : internal::all_kinds) {
    std::vector<Readings>& list = measurements.*internal::list_of(kind);
    for (std::size_t i = 0; i < list.size(); ++i) {
      const std::string name = internal::series_name(kind, i);
      list[i].bias_covariance.resize(0, 0);
      list[i].heading_bias_sigma = 0;
      for (const ConstantError& error : errors)
        if (error.series == name) list[i].values = internal::without_error(kind, error.value, list[i].values);
    }
  }
  measurements.force.clear();
  return measurements;
}

}  // namespace fathom::filter
