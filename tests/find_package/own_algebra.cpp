// The user's own algebra instantiates templates that the library has too, for the user's processor; the linker
// keeps one of the two.
#include <Eigen/Cholesky>

double own_algebra();

double own_algebra() {
  const Eigen::MatrixXd a = Eigen::MatrixXd::Constant(6, 6, 0.5) + 3 * Eigen::MatrixXd::Identity(6, 6);
  return (a.llt().solve(Eigen::MatrixXd::Identity(6, 6)) * a).trace();
}
