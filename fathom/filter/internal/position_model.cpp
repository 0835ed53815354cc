#include "fathom/filter/internal/position_model.hpp"

#include <algorithm>

namespace fathom::filter::internal {
namespace {

/// A column of a matrix, moved on by F = [1 h h^2/2; 0 1 h; 0 0 1] in each axis.
template <class Column>
void move_on(Column&& x, double h) {
  x.template head<3>() += h * x.template segment<3>(3) + (0.5 * h * h) * x.template segment<3>(6);
  x.template segment<3>(3) += h * x.template segment<3>(6);
}

/// The same with F'.
template <class Column>
void move_back(Column&& x, double h) {
  x.template segment<3>(6) += (0.5 * h * h) * x.template head<3>() + h * x.template segment<3>(3);
  x.template segment<3>(3) += h * x.template head<3>();
}

}  // namespace

PositionModel::PositionModel(std::vector<Series>& series, const AttitudeTrack& attitude) {
  origin_.resize(series.size());
  for (std::size_t s = 0; s < series.size(); ++s) {
    Series& one = series[s];
    limit(one, attitude.reach());
    const bool turns = one.kind == Kind::velocity;
    const Vec3& lever_b = one.readings->lever_b;
    if (turns) attitudes_.emplace_back(4, one.size());
    if (!turns && lever_b.isZero(0)) continue;
    origin_[s] = *one.values;
    for (std::size_t i = 0; i < one.size(); ++i) {
      if (!one.usable[i]) continue;
      const auto column = static_cast<Eigen::Index>(i);
      const AttitudeTrack::At at = attitude.at(one.t(i));
      if (turns) attitudes_.back().col(column) = at.q_nb.coeffs();
      const Vec3 arm = turns ? at.omega_b.cross(lever_b) : at.q_nb * lever_b;
      if (one.kind == Kind::depth)
        origin_[s](0, column) -= arm.z();
      else
        origin_[s].col(column) -= arm;
    }
    one.values = &origin_[s];
  }
}

PositionModel::Nominal PositionModel::start(const std::vector<Series>& series, double t) const {
  Nominal x;
  for (const Series& one : series) {
    if (one.kind == Kind::velocity) continue;
    auto i = static_cast<std::size_t>(
        std::lower_bound(one.readings->t.begin(), one.readings->t.end(), t - same_time) -
        one.readings->t.begin());
    while (i < one.size() && !one.usable[i]) ++i;
    if (i == one.size()) continue;
    if (one.kind == Kind::position)
      x.x.head<3>() = one.value(i);
    else
      x.x[2] = one.value(i)[0];
  }
  return x;
}

PositionModel::Matrix PositionModel::start_covariance() const {
  Vector sigma;
  for (int i = 0; i < N; ++i) sigma[i] = prior[static_cast<std::size_t>(i / 3)];
  return sigma.cwiseAbs2().asDiagonal();
}

PositionModel::Transition PositionModel::move(Nominal& x, double h) {
  move_on(x.x, h);
  return {h};
}

void PositionModel::Transition::forward(Matrix& P, double density) const {
  if (h == 0) return;
  for (int j = 0; j < N; ++j) move_on(P.col(j), h);  // F P
  P.leftCols<3>() += h * P.middleCols<3>(3) + (0.5 * h * h) * P.rightCols<3>();
  P.middleCols<3>(3) += h * P.rightCols<3>();
  add_white_jerk<N>(P, density, h);
  make_symmetric<N>(P);
}

void PositionModel::Transition::back(Hindsight<N>& hindsight) const {
  if (h == 0) return;
  move_back(hindsight.lambda, h);
  Matrix& L = hindsight.Lambda;
  for (int j = 0; j < N; ++j) move_back(L.col(j), h);
  L.rightCols<3>() += (0.5 * h * h) * L.leftCols<3>() + h * L.middleCols<3>(3);
  L.middleCols<3>(3) += h * L.leftCols<3>();
  make_symmetric<N>(L);
}

int PositionModel::observe(const Series& series, std::size_t i, const Nominal& x,
                           std::array<Row, 3>& rows) const {
  const auto variance = [&](int j) { return series.sigma(j) * series.sigma(j); };
  const auto value = series.value(i);
  if (series.kind == Kind::depth) {
    rows[0] = {value[0] - x.x[2], variance(0), 0, Vec3::UnitZ(), -1};
    return 1;
  }
  if (series.kind == Kind::position) {
    for (int j = 0; j < 3; ++j)
      rows[static_cast<std::size_t>(j)] = {value[j] - x.x[j], variance(j), 0, Vec3::Unit(j), -1};
    return 3;
  }
  const Quat q_nb(attitudes_[static_cast<std::size_t>(series.number)].col(static_cast<Eigen::Index>(i)));
  const Mat3 R_nb = q_nb.toRotationMatrix();
  for (int j = 0; j < 3; ++j)
    rows[static_cast<std::size_t>(j)] = {value[j] - R_nb.col(j).dot(x.x.segment<3>(3)), variance(j), 3,
                                         R_nb.col(j), -1};
  return 3;
}

}  // namespace fathom::filter::internal
