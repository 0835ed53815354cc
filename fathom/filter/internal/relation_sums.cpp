#include "fathom/filter/internal/relation_sums.hpp"

#include <algorithm>
#include <cmath>

namespace fathom::filter::internal {

namespace {

constexpr double gate = 5;                     // sigmas beyond which a residual is left out
constexpr double largest_outlier_share = 0.2;  // of the residuals
constexpr double fewest = 20;                  // residuals that say anything
constexpr double block_length = 10;            // s: longer than residuals remember
constexpr int most_in_a_row = 5;               // outliers; then the offset has jumped

Eigen::MatrixXd with_locals(const Eigen::MatrixXd& covariance, int locals, double sigma) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(covariance.rows() + locals, covariance.rows() + locals);
  all.topLeftCorner(covariance.rows(), covariance.rows()) = covariance;
  all.diagonal().tail(locals).setConstant(sigma * sigma);
  return all;
}

}  // namespace

RelationSums::RelationSums(std::vector<Eigen::Index> which, Pairs pairs, int channels,
                           const ConstantErrors& errors, int locals, double local_sigma)
    : which_(std::move(which)),
      pairs_(std::move(pairs)),
      prior_(with_locals(errors.covariance(which_), locals, local_sigma)),
      H_(Eigen::MatrixXd::Zero(K(), K())),
      g_(Eigen::VectorXd::Zero(K())),
      open_(static_cast<std::size_t>(channels)) {
  for (Block& block : open_) block.slope.setZero(K());
}

bool RelationSums::add(int channel, double t, const Row& y, double variance) {
  const auto slope = y.segment(1, K());
  if (y[0] * y[0] > gate * gate * (variance + slope.dot(prior_ * slope.transpose()))) {
    ++outliers_;
    return false;
  }
  const double weight = 1 / variance, root = std::sqrt(weight);
  H_.noalias() += weight * slope.transpose() * slope;
  g_ += (weight * y[0]) * slope.transpose();
  for (std::size_t p = 0; p < pairs_.size(); ++p) {
    const auto [i, j] = pairs_[p];
    const double second = weight * y[0] * y[1 + K() + static_cast<Eigen::Index>(p)];
    H_(i, j) += second;
    if (i != j) H_(j, i) += second;
  }
  squares_ += weight * y[0] * y[0];
  ++count_;
  Block& block = open_[static_cast<std::size_t>(channel)];
  if (block.count > 0 && t > block.end) {
    blocks_.push_back(block);
    block.count = block.value = 0;
    block.slope.setZero();
  }
  if (block.count == 0) block.end = t + block_length;
  ++block.count;
  block.value += root * y[0];
  block.slope += root * slope.transpose();
  return true;
}

double RelationSums::inflation() const {
  const Eigen::MatrixXd inner = Eigen::MatrixXd::Identity(K(), K()) + prior_ * H_;
  const Eigen::VectorXd d = -inner.partialPivLu().solve(prior_ * g_);
  const double mean_square = (squares_ + 2 * g_.dot(d) + d.dot(H_ * d)) / count_;
  double sum = 0, count = 0;
  for (const std::vector<Block>* list : {&blocks_, &open_})
    for (const Block& block : *list) {
      sum += std::pow(block.value + block.slope.dot(d), 2);
      count += block.count;
    }
  return std::max({1.0, mean_square, sum / count});
}

FoundRelation RelationSums::result(std::vector<std::string> series) const {
  const auto outliers = static_cast<double>(outliers_), all = count_ + outliers;
  FoundRelation found{{std::move(series), static_cast<std::size_t>(count_), outliers_,
                       all >= fewest && outliers > largest_outlier_share * all},
                      {}};
  if (count_ >= fewest && !found.relation.has_too_many_outliers) found.information = information();
  return found;
}

/// The relation's own unknowns are eliminated.
Information RelationSums::information() const {
  const double inflated = inflation();
  const auto n = static_cast<Eigen::Index>(which_.size()), locals = K() - n;
  Information found{which_, H_.topLeftCorner(n, n) / inflated, g_.head(n) / inflated};
  if (locals == 0) return found;
  Eigen::MatrixXd own = H_.bottomRightCorner(locals, locals) / inflated;
  own.diagonal() += prior_.diagonal().tail(locals).cwiseInverse();
  const Eigen::MatrixXd across = H_.bottomLeftCorner(locals, n) / inflated;
  const Eigen::MatrixXd gain = own.ldlt().solve(across).transpose();
  found.H -= gain * across;
  found.g -= gain * (g_.tail(locals) / inflated);
  return found;
}

void Offset::take(RelationSums& sums, int channel, double t, const RelationSums::Row& z, double variance) {
  if (!known_) {
    value_ = z;
    variance_ = variance;
    known_ = true;
    left_out_ = 0;
    return;
  }
  const double total = variance_ + variance;
  const RelationSums::Row innovation = z - value_;
  if (!sums.add(channel, t, innovation, total)) {
    if (++left_out_ >= most_in_a_row) restart();
    return;
  }
  left_out_ = 0;
  const double gain = variance_ / total;
  value_ += gain * innovation;
  variance_ *= 1 - gain;
}

}  // namespace fathom::filter::internal
