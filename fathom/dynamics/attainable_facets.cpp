#include "fathom/dynamics/attainable_facets.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fathom/base/error.hpp"
#include "fathom/base/text.hpp"
#include "fathom/dynamics/attainable.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::dynamics {
namespace {

constexpr double tolerance = 1e-9;  // on vectors of unit length: shorter than this is zero

/// Columns of thrusters that can change their force, cut to some axes, rows scaled to unit length (axes mix N
/// and N m), then columns too. Rows of nothing but rounding are zero.
struct Generators {
  Eigen::VectorXd row_scale;
  Eigen::MatrixXd G;
};

Generators generators_of(const Mat6X& B, std::span<const model::ForceRange> limits, std::span<const int> axes) {
  std::vector<Eigen::Index> moving;
  for (std::size_t i = 0; i < limits.size(); ++i)
    if (limits[i].min < limits[i].max) moving.push_back(static_cast<Eigen::Index>(i));
  const std::vector<int> rows(axes.begin(), axes.end());
  Generators result{Eigen::VectorXd::Ones(static_cast<Eigen::Index>(rows.size())), B(rows, moving)};
  Eigen::MatrixXd& G = result.G;
  if (moving.empty()) return result;
  const double largest = B(Eigen::all, moving).cwiseAbs().maxCoeff();
  for (Eigen::Index a = 0; a < G.rows(); ++a) {
    const double length = G.row(a).norm();
    if (length > tolerance * largest) {
      result.row_scale[a] = length;
      G.row(a) /= length;
    } else {
      G.row(a).setZero();
    }
  }
  for (Eigen::Index i = 0; i < G.cols(); ++i) {
    const double length = G.col(i).norm();
    if (length > 0) G.col(i) /= length;
  }
  return result;
}

/// What is left of v beside the columns of Q. Twice, so that rounding of the first pass is removed (Parlett
/// 1980, section 6-9).
template <class Basis>
Eigen::VectorXd beside(const Basis& Q, Eigen::VectorXd v) {
  for (int pass = 0; pass < 2; ++pass) v -= Q * (Q.transpose() * v);
  return v;
}

std::vector<int> unpushable(const Generators& generators, std::span<const int> axes) {
  const Eigen::MatrixXd& G = generators.G;
  if (G.cols() == 0) return {axes.begin(), axes.end()};
  Eigen::MatrixXd Q(G.cols(), G.rows());
  Eigen::Index rank = 0;
  std::vector<int> result;
  for (Eigen::Index a = 0; a < G.rows(); ++a) {
    const Eigen::VectorXd rest = beside(Q.leftCols(rank), G.row(a).transpose());
    const double length = rest.norm();
    if (length > tolerance * G.row(a).norm())
      Q.col(rank++) = rest / length;
    else
      result.push_back(axes[static_cast<std::size_t>(a)]);
  }
  return result;
}

void check(const Mat6X& B, std::span<const model::ForceRange> limits, std::span<const int> axes) {
  const AttainableWrench checks_thrusters(B, limits);
  std::array<int, 6> seen{};
  for (const int axis : axes)
    if (axis < 0 || axis > 5 || ++seen[static_cast<std::size_t>(axis)] > 1)
      reject("axes", fmt::format("has {}, must be 0 to 5, each once", axis), "X Y Z K M N");
  if (axes.empty()) reject("axes", "has none, must have 1 to 6");
}

/// The planes that are spanned by r - 1 of the columns of G. Choices are built up one column at a time with an
/// orthonormal basis of what they span; a column that adds no direction ends the choice.
class Planes {
 public:
  explicit Planes(const Eigen::MatrixXd& G) : G_(G), basis_(G.rows(), G.rows() - 1) { choose(0, 0); }
  const std::vector<Vec6>& normals() const { return normals_; }

 private:
  void choose(Eigen::Index count, Eigen::Index from) {
    if (count == basis_.cols()) return add_normal();
    for (Eigen::Index i = from; i < G_.cols(); ++i) {
      const Eigen::VectorXd rest = beside(basis_.leftCols(count), G_.col(i));
      const double length = rest.norm();
      if (length <= tolerance) continue;
      basis_.col(count) = rest / length;
      choose(count + 1, i + 1);
    }
  }

  /// What the basis leaves of the axis that it covers least; once for parallel planes.
  void add_normal() {
    const Eigen::Index r = G_.rows();
    Eigen::Index axis = 0;
    basis_.rowwise().squaredNorm().minCoeff(&axis);
    Vec6 normal = Vec6::Zero();
    normal.head(r) = beside(basis_, Eigen::VectorXd::Unit(r, axis)).normalized();
    for (const Vec6& known : normals_)
      if (std::min((normal - known).norm(), (normal + known).norm()) < tolerance) return;
    normals_.push_back(normal);
  }

  const Eigen::MatrixXd& G_;
  Eigen::MatrixXd basis_;
  std::vector<Vec6> normals_;
};

}  // namespace

std::vector<int> unpushable_axes(const Mat6X& B, std::span<const model::ForceRange> limits,
                                 std::span<const int> axes) {
  check(B, limits, axes);
  return unpushable(generators_of(B, limits, axes), axes);
}

AttainableFacets attainable_facets(const Mat6X& B, std::span<const model::ForceRange> limits,
                                   std::span<const int> axes) {
  check(B, limits, axes);
  if (limits.size() > AttainableFacets::max_thrusters)
    reject("B", fmt::format("has {} columns, at most {}", limits.size(), AttainableFacets::max_thrusters),
           "AttainableWrench takes any number");
  const Generators generators = generators_of(B, limits, axes);
  std::vector<std::string_view> missing;
  for (const int axis : unpushable(generators, axes)) missing.push_back(model::dof_name(axis));
  if (!missing.empty())
    reject("B", fmt::format("cannot push {} by itself", join(missing, ", ")),
           "take only the axes that the thrusters can push");

  const Planes planes(generators.G);
  const auto r = static_cast<Eigen::Index>(axes.size());
  const auto count = static_cast<Eigen::Index>(planes.normals().size());
  AttainableFacets facets{
      {axes.begin(), axes.end()}, Eigen::MatrixXd(count, r), Eigen::VectorXd(count), Eigen::VectorXd(count)};
  const AttainableWrench set(B, limits);
  for (Eigen::Index k = 0; k < count; ++k) {
    // A normal of scaled rows becomes one of the wrench; supports are then exact whatever its rounding.
    const Vec6& scaled = planes.normals()[static_cast<std::size_t>(k)];
    facets.N.row(k) = scaled.head(r).cwiseQuotient(generators.row_scale).normalized();
    Vec6 direction = Vec6::Zero();
    for (Eigen::Index a = 0; a < r; ++a) direction[axes[static_cast<std::size_t>(a)]] = facets.N(k, a);
    facets.upper[k] = set.support(direction);
    facets.lower[k] = -set.support(-direction);
  }
  return facets;
}

}  // namespace fathom::dynamics
