#pragma once
#include <array>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace fathom::identify {

/// A vehicle that was turned and let go: its angle over time, from the release on.
struct DecayRun {
  std::string name;
  Eigen::VectorXd t;      ///< s, rising
  Eigen::VectorXd angle;  ///< rad
};

/// I th'' + d th' + q |th'| th' + k sin(th - th0) = 0 (docs/tank-tests.md eq. 8), divided by I: all that a free
/// decay tells.
struct DecayRates {
  double restoring = 0;    ///< 1/s^2, k / I
  double equilibrium = 0;  ///< rad, th0
  double linear = 0;       ///< 1/s, d / I
  double quadratic = 0;    ///< 1/rad, q / I
  static constexpr int size = 4;
  Eigen::Vector4d vector() const { return {restoring, equilibrium, linear, quadratic}; }
};
inline constexpr std::array<const char*, DecayRates::size> decay_names = {"restoring", "equilibrium", "linear",
                                                                          "quadratic"};

/// Angles at the times of a run from an angle and a rate at the first. `slope`, if any, receives their
/// derivatives by restoring, equilibrium, linear, quadratic, first angle and first rate, from the sensitivity
/// equations.
Eigen::VectorXd simulate_decay(const DecayRates& rates, const Eigen::Ref<const Eigen::VectorXd>& t,
                               double first_angle, double first_rate,
                               Eigen::Matrix<double, Eigen::Dynamic, 6>* slope = nullptr);

struct DecayFit {
  struct Run {
    double first_angle = 0, first_rate = 0;  ///< rad, rad/s
    double mse = 0;                          ///< rad^2 (Nielsen 2019, Table 4.3)
    Eigen::VectorXd angle;                   ///< rad, fitted
  };
  DecayRates rates;
  Eigen::Matrix4d covariance = Eigen::Matrix4d::Zero();  ///< in the order of decay_names
  std::vector<std::string> at_bound;                     ///< linear or quadratic, held at 0
  std::vector<Run> runs;
  double r2 = 0;
  double integral_time = 1;                           ///< samples, of residuals
  Eigen::Vector4d degrees = Eigen::Vector4d::Zero();  ///< of freedom, of each sigma
  bool converged = false;

  double half_width(int k) const;  ///< of the 95 % interval of a rate (Student's)
};

/// The rates, and a first state for each run, whose simulated angles are nearest to the measured ones (output
/// error, eqs. 4.9 to 4.11 of Nielsen 2019). Linear and quadratic damping are not below 0. The covariance
/// allows for residuals that remember, and for runs that differ by more than these explain (docs/tank-tests.md
/// eq. 10). Throws InputError for no run, one of fewer than 40 samples, numbers that are not finite, times that
/// do not rise, or an angle that does not swing.
DecayFit fit_decay(const std::vector<DecayRun>& runs);

/// What was weighed or calculated, so that the ratios become numbers.
struct KnownOfDecay {
  enum class What { inertia, restoring };
  What what = What::inertia;
  double value = 0, sigma = 0;  ///< kg m^2 with added inertia, or N m per radian of the sine
};

struct DecayCoefficients {
  double inertia = 0, restoring = 0, linear = 0, quadratic = 0;  ///< kg m^2, N m, N m s, N m s^2
  Eigen::Vector4d sigma = Eigen::Vector4d::Zero();               ///< in this order
};
/// Throws InputError where the known number is not above 0 or its sigma below 0.
DecayCoefficients coefficients_of(const DecayFit& fit, const KnownOfDecay& known);

/// The arm of the restoring moment in the plane of the turn: k = W |r|, r = |r| [-sin(th0), -cos(th0)] along
/// the horizontal axis and z of the body at rest (docs/tank-tests.md eq. 11).
Eigen::Vector2d restoring_arm(double restoring, double equilibrium, double weight);
/// rad, the angle at which a buoyant arm (horizontal, z; z negative upwards) comes to rest: Nielsen 2019,
/// eq. 4.13.
double equilibrium_of_arm(const Eigen::Vector2d& arm);

}  // namespace fathom::identify
