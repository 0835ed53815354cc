#pragma once
#include <Eigen/Core>

#include "fathom/consistency/identifiability.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"
#include "fathom/model/structure.hpp"

namespace fathom::identify {

/// What is known of the parameters before any log, as a Gaussian distribution.
struct ParameterPrior {
  Eigen::VectorXd value;        ///< in the order of the structure
  Eigen::VectorXd sigma;        ///< infinite where nothing is known
  Eigen::MatrixXd information;  ///< inverse covariance; zero where nothing is known

  /// Returns R with R'R = information, a row for each direction of which something is known.
  Eigen::MatrixXd root() const;
};

/// Values of the robot file that have a sigma, with the covariance of parameters that share a number (a mass is
/// in m11, m22 and m33). A value without sigma, or with a sigma of 0, says nothing of a parameter that a
/// structure leaves free.
ParameterPrior file_prior(const model::Structure& structure, const model::Robot& robot,
                          const model::Environment& environment);

/// kg, kg m^2: M_ii of the robot file by [u v w p q r], dry and added mass.
Vec6 nominal_inertia(const model::Robot& robot);

/// Parameters, directions and combinations of which the logs say less than the prior did: `covariance`, which
/// includes the prior, is more than half of the prior's. docs/identification.md eq. 9b.
consistency::Identifiability at_prior(const ParameterPrior& prior, const Eigen::MatrixXd& covariance);

}  // namespace fathom::identify
