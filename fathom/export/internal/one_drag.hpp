#pragma once
#include <vector>

#include "fathom/export/export.hpp"

namespace fathom::exchange::internal {

/// What a format with one damping matrix at the body origin holds of all drag elements.
struct OneDrag {
  Mat6 linear = Mat6::Zero();     ///< exact: elements elsewhere come in by H' D H, docs/model.md eq. 11
  Vec6 quadratic = Vec6::Zero();  ///< (Q_j)_jj of the elements at the origin, j = u v w p q r
};

/// Adds what is lost: couplings of quadratic drag, and all quadratic drag away from the origin. `format` is how
/// people call it.
OneDrag one_drag(const model::Robot& robot, std::string_view format, std::vector<Loss>& losses);

/// The diagonal, with a loss where there is more. `key` is that of the robot file.
Vec6 diagonal_of(const Mat6& m, const std::string& key, std::string_view format, std::vector<Loss>& losses);

/// What no format of a simulator holds: sensors, sigmas, sources, the covariance of an estimate.
void lose_what_is_fathoms(const model::Robot& robot, std::string_view format, std::vector<Loss>& losses);

}  // namespace fathom::exchange::internal
