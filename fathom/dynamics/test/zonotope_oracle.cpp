#include "fathom/dynamics/test/zonotope_oracle.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include <Eigen/SVD>

namespace fathom::dynamics::test {

ZonotopeOracle::ZonotopeOracle(const Eigen::MatrixXd& G, const Eigen::VectorXd& low,
                               const Eigen::VectorXd& high) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(G, Eigen::ComputeFullU);
  const Eigen::VectorXd& s = svd.singularValues();
  rank_ = s[0] > 0 ? (s.array() > 1e-9 * s[0]).count() : 0;
  U_ = svd.matrixU().leftCols(rank_);
  outside_ = svd.matrixU().rightCols(G.rows() - rank_);
  centre_ = G * (low + high) / 2;
  const Eigen::MatrixXd R = U_.transpose() * G;
  const Eigen::VectorXd half = (high - low) / 2;
  std::vector<Eigen::Index> pick;
  const std::function<void(Eigen::Index)> choose = [&](Eigen::Index from) {
    if (static_cast<Eigen::Index>(pick.size()) == rank_ - 1) return add_facet(R, half, pick);
    for (Eigen::Index k = from; k < R.cols(); ++k) {
      pick.push_back(k);
      choose(k + 1);
      pick.pop_back();
    }
  };
  if (rank_ > 0) choose(0);
}

double ZonotopeOracle::excess(const Eigen::VectorXd& point) const {
  double worst = (outside_.transpose() * (point - centre_)).norm();
  if (worst < 1e-9) worst = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < normals_.size(); ++k)
    worst = std::max(worst, std::abs(normals_[k].dot(U_.transpose() * (point - centre_))) - heights_[k]);
  return worst;
}

double ZonotopeOracle::exit(const Eigen::VectorXd& start, const Eigen::VectorXd& along) const {
  double s = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < normals_.size(); ++k) {
    const double at = normals_[k].dot(U_.transpose() * (start - centre_));
    const double rate = normals_[k].dot(U_.transpose() * along);
    if (std::abs(rate) > 1e-11 * along.norm())
      s = std::min(s, (heights_[k] - (rate > 0 ? at : -at)) / std::abs(rate));
  }
  return s;
}

void ZonotopeOracle::add_facet(const Eigen::MatrixXd& R, const Eigen::VectorXd& half,
                               const std::vector<Eigen::Index>& pick) {
  Eigen::MatrixXd plane(rank_, std::max<Eigen::Index>(1, rank_ - 1));
  plane.setZero();
  for (std::size_t k = 0; k < pick.size(); ++k) plane.col(static_cast<Eigen::Index>(k)) = R.col(pick[k]);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(plane, Eigen::ComputeFullU);
  if (rank_ > 1 && svd.singularValues()[rank_ - 2] < 1e-9) return;
  const Eigen::VectorXd n = svd.matrixU().col(rank_ - 1);
  normals_.push_back(n);
  heights_.push_back((R.transpose() * n).cwiseAbs().dot(half));
}

}  // namespace fathom::dynamics::test
