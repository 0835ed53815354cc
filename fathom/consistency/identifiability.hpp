#pragma once
#include <string>
#include <vector>

#include <Eigen/Core>

namespace fathom::consistency {

/// A combination of parameters, sum of coefficient_k parameter_k, in the order of the parameters and scaled so
/// that the largest coefficient is 1 or -1 and the first one positive.
struct Combination {
  struct Term {
    std::size_t parameter;
    double coefficient;
  };
  std::vector<Term> terms;
};

/// What data can show of a parameter vector, from the information matrix that they give.
struct Identifiability {
  std::size_t rank = 0;
  /// Parameters whose standard deviation is beyond the limit, each by itself.
  std::vector<std::size_t> unidentifiable;
  /// Directions in which the parameters can move without the data noticing: each parameter by its coefficient.
  /// Together they span all of them, each with a parameter that the others do not move. A parameter that is
  /// seen by itself is named where it takes part by 1 % or more, in units of `scale`.
  std::vector<Combination> unidentifiable_directions;
  /// Combinations of unidentifiable parameters that the data does show, such as m22 - 0.4 m26.
  std::vector<Combination> identifiable_combinations;
};

/// `information`: inverse covariance that the data give (true noise included), possibly singular; `scale`: a
/// size of each parameter that would matter, such as a typical value. A direction is unidentifiable where its
/// standard deviation in units of `scale` is beyond `limit`; docs/consistency.md eqs. 6 to 9. Throws InputError
/// where sizes do not fit, a number is not finite, `scale` or `limit` is not positive, or `information` is not
/// symmetric and positive semi-definite.
Identifiability identifiability(const Eigen::MatrixXd& information, const Eigen::VectorXd& scale,
                                double limit = 1);

/// Returns "0.8 m22 - m26" for people: all terms in order, or where there are more than `most_terms` the
/// largest ones, and how many were left out.
std::string to_text(const Combination& combination, const std::vector<std::string>& names,
                    std::size_t most_terms = static_cast<std::size_t>(-1));

}  // namespace fathom::consistency
