#include "fathom/solve/internal/incomplete_gamma.hpp"

#include <boost/math/special_functions/gamma.hpp>

namespace fathom::solve::internal {

double chi_square_tail(double x, double degrees) {
  using namespace boost::math::policies;
  return boost::math::gamma_q(degrees / 2, x / 2, policy<promote_double<false>, domain_error<ignore_error>>());
}

}  // namespace fathom::solve::internal
