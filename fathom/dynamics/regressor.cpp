#include "fathom/dynamics/regressor.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::dynamics {
namespace {

using model::Term;
using Kind = Term::Kind;

/// Columns of the wrench that each unit of momentum needs while the body axes turn: C(nu) nu = K p.
Mat6 momentum_transport(const Vec6& nu_r_b) {
  const Mat3 v = skew(nu_r_b.head<3>()), omega = skew(nu_r_b.tail<3>());
  Mat6 K;
  K << omega, Mat3::Zero(), v, omega;
  return K;
}

/// Momentum of M = e_row e_column', and its rate.
void add_inertia(const Mat6& K, const Motion& motion, int row, int column, Vec6& y) {
  y += motion.nu_r_b[column] * K.col(row);
  y[row] += motion.nu_r_dot_b[column];
}

void column_of(const Term& term, const Mat6& K, const Motion& motion, Vec6& y) {
  y.setZero();
  switch (term.kind) {
    case Kind::inertia:
      add_inertia(K, motion, term.row, term.column, y);
      if (term.row != term.column) add_inertia(K, motion, term.column, term.row, y);
      break;
    case Kind::inertia_entry: add_inertia(K, motion, term.row, term.column, y); break;
    case Kind::linear: y[term.row] = motion.nu_r_b[term.column]; break;
    case Kind::quadratic: y[term.row] = std::abs(motion.nu_r_b[term.speed]) * motion.nu_r_b[term.column]; break;
    case Kind::net_weight:
    case Kind::weight: y.head<3>() = -motion.down_b; break;
    case Kind::buoyancy: y.head<3>() = motion.down_b; break;
    case Kind::first_moment: y.tail<3>() = -Vec3::Unit(term.row).cross(motion.down_b); break;
  }
}

}  // namespace

void Regressor::fill(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const {
  const Eigen::Index samples = motion.samples();
  for (const Eigen::MatrixXd* of : {&motion.q, &motion.dq, &motion.ddq})
    if (of->rows() != static_cast<Eigen::Index>(joints_) || (joints_ > 0 && of->cols() != samples))
      reject("motion", fmt::format("has joint motions of {} x {}, must be {} x {}", of->rows(), of->cols(),
                                   joints_, samples));
  if (motion.base.size() != 1 && static_cast<Eigen::Index>(motion.base.size()) != samples)
    reject("motion", fmt::format("has {} motions of the base for {} samples", motion.base.size(), samples));
  if (Y.rows() != samples * row_count() || Y.cols() != columns())
    reject("Y",
           fmt::format("is {} x {}, must be {} x {}", Y.rows(), Y.cols(), samples * row_count(), columns()));
  fill_rows(motion, Y);
}

Regressor::Row Regressor::wrench_row(int index) {
  return {std::string(model::dof_name(index)), index < 3 ? "N" : "N m"};
}

Eigen::MatrixXd Regressor::at(const MotionBatch& motion) const {
  Eigen::MatrixXd Y(motion.samples() * row_count(), columns());
  fill(motion, Y);
  return Y;
}

VehicleRegressor::VehicleRegressor(const model::Structure& structure) : structure_(structure) {
  const auto size = static_cast<Eigen::Index>(structure.size());
  parameters_ = model::ParameterVector(structure.parameters(Eigen::VectorXd::Constant(size, nan)));
  for (const int row : model::free_indices(structure.dof)) rows_.push_back(wrench_row(row));
}

VehicleRegressor::VehicleRegressor(const model::Structure& structure, const model::Robot& robot,
                                   const model::Environment& environment)
    : VehicleRegressor(structure) {
  model::RobotParameters nominal = model::parameters_of(robot, environment, structure);
  parameters_ = std::move(nominal.parameters);
  left_out_ = std::move(nominal.left_out);
}

void VehicleRegressor::fill_rows(const MotionBatch& motion, Eigen::Ref<Eigen::MatrixXd> Y) const {
  for (Eigen::Index k = 0; k < motion.samples(); ++k)
    regressor(structure_, motion.base_at(k), Y.middleRows(k * row_count(), row_count()));
}

Motion motion_of(const State& state, const Vec6& nu_dot_b, const model::Environment& environment,
                 const Current& current) {
  const Quat q_bn = state.q_nb.conjugate();
  const Vec3 v_current_b = q_bn * current.velocity_n;
  Motion motion{state.nu_b, nu_dot_b, q_bn * (Vec3::UnitZ() - current.acceleration_n / environment.gravity())};
  motion.nu_r_b.head<3>() -= v_current_b;
  motion.nu_r_dot_b.head<3>() -= q_bn * current.acceleration_n - state.nu_b.tail<3>().cross(v_current_b);
  return motion;
}

void regressor(const model::Structure& structure, const Motion& motion, Eigen::Ref<Eigen::MatrixXd> Y) {
  const auto free = model::free_indices(structure.dof);
  const auto rows = static_cast<Eigen::Index>(free.size()),
             columns = static_cast<Eigen::Index>(structure.size());
  if (Y.rows() != rows || Y.cols() != columns)
    reject("Y", fmt::format("is {} x {}, the structure {} needs {} x {}", Y.rows(), Y.cols(), structure.name,
                            rows, columns));
  const Mat6 K = momentum_transport(motion.nu_r_b);
  Vec6 y;
  for (std::size_t k = 0; k < structure.terms.size(); ++k) {
    column_of(structure.terms[k], K, motion, y);
    for (std::size_t row = 0; row < free.size(); ++row)
      Y(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(k)) = y[free[row]];
  }
}

Eigen::MatrixXd regressor(const model::Structure& structure, const Motion& motion) {
  Eigen::MatrixXd Y(static_cast<Eigen::Index>(model::free_indices(structure.dof).size()),
                    static_cast<Eigen::Index>(structure.size()));
  regressor(structure, motion, Y);
  return Y;
}

Eigen::MatrixXd forward_dynamics_by_parameters(const Vehicle& vehicle, const State& state, const Vec6& tau_b,
                                               const model::Structure& structure, const Current& current) {
  if (structure.dof != vehicle.dof())
    reject("structure", fmt::format("{} has {} degrees of freedom, the vehicle {}", structure.name,
                                    static_cast<int>(structure.dof), static_cast<int>(vehicle.dof())));
  const Vec6 nu_dot = forward_dynamics(vehicle, state, tau_b, current);
  const Eigen::MatrixXd Y = regressor(structure, motion_of(state, nu_dot, vehicle.environment(), current));
  const auto free = model::free_indices(structure.dof);
  Eigen::MatrixXd result = Eigen::MatrixXd::Zero(6, Y.cols());
  for (std::size_t row = 0; row < free.size(); ++row)
    result -= vehicle.M_inverse().col(free[row]) * Y.row(static_cast<Eigen::Index>(row));
  return result;
}

}  // namespace fathom::dynamics
