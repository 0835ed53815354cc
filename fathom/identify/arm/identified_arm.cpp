
#include "fathom/base/error.hpp"
#include "fathom/geometry/types.hpp"
#include "fathom/identify/arm/arm_fit.hpp"

namespace fathom::identify {
namespace {

/// Takes numbers one after the other, in the order of arm_parameters().
class Numbers {
 public:
  explicit Numbers(const Eigen::VectorXd& theta) : theta_(theta) {}
  double next() { return theta_[at_++]; }
  Vec3 three() {
    const double x = next(), y = next(), z = next();
    return {x, y, z};
  }
  template <int n>
  Eigen::Matrix<double, n, n> symmetric() {
    Eigen::Matrix<double, n, n> A;
    for (int row = 0; row < n; ++row)
      for (int column = row; column < n; ++column) A(row, column) = A(column, row) = next();
    return A;
  }

 private:
  const Eigen::VectorXd& theta_;
  Eigen::Index at_ = 0;
};

template <class T>
void put(model::Value<T>& into, const T& value, const std::string& source) {
  into.value = value;
  into.source = source;
  into.assumed = false;
  into.sigma.reset();
}

void put_link(Numbers& numbers, const ArmFitOptions& options, const std::string& source, model::Link& link) {
  const dynamics::ArmColumns& columns = options.columns;
  if (columns.rigid) {
    const double mass = numbers.next();
    const Vec3 centre = numbers.three() / mass;
    const Mat3 about_origin = numbers.symmetric<3>();
    put(link.body.mass, mass, source);
    put(link.body.centre_of_mass, centre, source);
    // Huygens and Steiner.
    put(link.body.inertia,
        Mat3(about_origin - mass * (centre.squaredNorm() * Mat3::Identity() - centre * centre.transpose())),
        source);
  }
  if (columns.buoyancy) {
    const double displaced = numbers.next();
    const Vec3 moment = numbers.three();
    put(link.body.volume, displaced / options.environment.density(), source);
    if (displaced > 0) put(link.body.centre_of_buoyancy, Vec3(moment / displaced), source);
  }
  if (columns.added_mass) put(link.body.added_mass, Mat6(numbers.symmetric<6>()), source);
  if (!columns.drag) return;
  model::DragElement element;
  element.name = "identified";
  Mat6 linear = Mat6::Zero();
  model::QuadraticDrag quadratic;
  for (int k = 0; k < 6; ++k) linear(k, k) = numbers.next();
  for (int k = 0; k < 6; ++k) quadratic.by_speed[static_cast<std::size_t>(k)](k, k) = numbers.next();
  put(element.linear, linear, source);
  put(element.quadratic, quadratic, source);
  link.damping = {element};
}

void put_joint(Numbers& numbers, const dynamics::ArmColumns& columns, const std::string& source,
               model::Joint& joint) {
  using Coulomb = dynamics::ArmColumns::Coulomb;
  if (columns.viscous) put(joint.friction.viscous, numbers.next(), source);
  if (columns.coulomb != Coulomb::none) {
    const double forward = numbers.next();
    put(joint.friction.coulomb_forward, forward, source);
    put(joint.friction.coulomb_backward, columns.coulomb == Coulomb::symmetric ? forward : numbers.next(),
        source);
  }
  if (columns.offset) numbers.next();
  if (!columns.motor || !joint.actuator) return;
  joint.actuator->motor.inertia = numbers.next();
  joint.actuator->motor.viscous = numbers.next();
  joint.actuator->motor.coulomb = numbers.next();
}

}  // namespace

model::Arm identified_arm(const ArmFit& fit, const std::string& source) {
  if (!fit.consistent)
    reject("estimator", "its base parameters are of no one body", "the consistent one gives an arm");
  model::ArmSpec spec = fit.arm.spec();
  Numbers numbers(fit.consistent->theta);
  for (model::Link& link : spec.links) put_link(numbers, fit.options, source, link);
  for (model::Joint& joint : spec.joints) put_joint(numbers, fit.options.columns, source, joint);
  return model::Arm::make(std::move(spec));
}

}  // namespace fathom::identify
