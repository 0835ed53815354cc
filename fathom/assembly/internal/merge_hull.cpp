#include "fathom/assembly/internal/merge_hull.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fathom/assembly/internal/merge_parts.hpp"
#include "fathom/base/constants.hpp"

namespace fathom::assembly::internal {
namespace {

using model::Hull;
using model::Value;

constexpr double relative_step = 1e-4;     // of a mass or volume, by which centres are quotients
constexpr double box_step = 1e-4;          // m: the box has edges where another hull's takes over
constexpr double negligible_share = 1e-9;  // against the block's largest derivative: rounding
constexpr double step_rounding = 1e-13;

/// All numbers of a merged hull in one row, in blocks of one unit each.
constexpr Eigen::Index at_mass = 0, at_inertia = 1, at_com = 10, at_volume = 13, at_cob = 14, at_added = 17,
                       at_size = 53, all = 56;
struct Block {
  Eigen::Index at, size;
};
constexpr std::array<Block, 10> blocks = {{{at_mass, 1},
                                           {at_inertia, 9},
                                           {at_com, 3},
                                           {at_volume, 1},
                                           {at_cob, 3},
                                           {at_size, 3},
                                           // of the added mass by columns: force by velocity, then by rate, ...
                                           {at_added, 9},
                                           {at_added + 9, 9},
                                           {at_added + 18, 9},
                                           {at_added + 27, 9}}};
using Row = Eigen::Matrix<double, all, 1>;

/// The added mass goes quarter by quarter, each of one unit.
Row row_of(const HullNumbers& n) {
  Row row = Row::Zero();
  row[at_mass] = n.mass;
  row.segment<9>(at_inertia) = n.inertia.reshaped();
  row.segment<3>(at_com) = n.centre_of_mass;
  row[at_volume] = n.volume;
  row.segment<3>(at_cob) = n.centre_of_buoyancy;
  for (Eigen::Index q = 0; q < 4; ++q)
    row.segment<9>(at_added + 9 * q) = n.added_mass.block<3, 3>(3 * (q % 2), 3 * (q / 2)).reshaped();
  if (n.box) row.segment<3>(at_size) = n.box->max - n.box->min;
  return row;
}

Mat6 added_mass_of(const Row& row) {
  Mat6 result;
  for (Eigen::Index q = 0; q < 4; ++q)
    result.block<3, 3>(3 * (q % 2), 3 * (q / 2)) = row.segment<9>(at_added + 9 * q).reshaped(3, 3);
  return result;
}

/// Variances of a merged hull, added up number by number.
class Propagation {
 public:
  explicit Propagation(std::span<const MergePart> parts) {
    for (const MergePart& part : parts) {
      const auto first = std::find_if(parts.begin(), parts.end(),
                                      [&](const MergePart& other) { return are_alike(part, other); });
      of_.push_back(static_cast<std::size_t>(first - parts.begin()));
      hulls_.push_back(part.robot->hull());
      poses_.push_back(part.pose);
    }
    scale_ = row().cwiseAbs();
    for (std::size_t k = 0; k < hulls_.size(); ++k) {
      const std::array<PlacedHull, 1> alone = {{{&hulls_[k], poses_[k]}}};
      scale_ += row_of(numbers_of(alone)).cwiseAbs();  // of what may cancel in the sum
    }
    for (std::size_t k = 0; k < hulls_.size(); ++k)
      if (of_[k] == k) add_hull(k);
  }

  Row sigmas() const {
    Row result = variance_.cwiseSqrt();
    for (const Block& block : blocks) {  // what cancels between modules leaves rounding
      auto entries = result.segment(block.at, block.size);
      double largest = 0;
      for (const double sigma : entries)
        if (std::isfinite(sigma)) largest = std::max(largest, sigma);
      entries =
          entries.unaryExpr([&](double sigma) { return sigma <= negligible_share * largest ? 0.0 : sigma; });
    }
    return result;
  }

 private:
  Row row() const {
    std::vector<PlacedHull> placed;
    for (std::size_t k = 0; k < hulls_.size(); ++k) placed.push_back({&hulls_[of_[k]], poses_[k]});
    return row_of(numbers_of(placed));
  }

  /// Central differences: exact for all but masses and volumes, in which centres are quotients, and edges of
  /// the box.
  template <class... Number>
  void add(double step, double sigma, Number&... numbers) {
    if (sigma == 0) return;
    ((numbers += step), ...);
    Row derivative = row();
    ((numbers -= 2 * step), ...);
    derivative -= row();
    ((numbers += step), ...);
    derivative /= 2 * step;
    for (const Block& block : blocks) {
      const auto column = derivative.segment(block.at, block.size);
      const double least = negligible_share * column.cwiseAbs().maxCoeff() +
                           step_rounding / step * scale_.segment(block.at, block.size).maxCoeff();
      for (Eigen::Index k = 0; k < block.size; ++k)
        if (std::abs(column[k]) > least) variance_[block.at + k] += std::pow(column[k] * sigma, 2);
    }
  }

  void add_hull(std::size_t k) {
    Hull& hull = hulls_[k];
    const Hull middle = hull;  // steps leave rounding behind
    const auto sigma_of = [](const Value<Vec3>& value, int i) {
      return value.sigma ? (*value.sigma)[i] : infinity;
    };
    const auto of_pair = [](const auto& value, int i, int j) {
      return value.sigma ? std::max((*value.sigma)(i, j), (*value.sigma)(j, i)) : infinity;
    };
    add(relative_step * hull.mass.value, hull.mass.sigma.value_or(infinity), hull.mass.value);
    add(relative_step * hull.volume.value, hull.volume.sigma.value_or(infinity), hull.volume.value);
    for (int i = 0; i < 3; ++i) {
      add(1, sigma_of(hull.centre_of_mass, i), hull.centre_of_mass.value[i]);
      add(box_step, sigma_of(hull.centre_of_buoyancy, i), hull.centre_of_buoyancy.value[i]);
      if (hull.size) add(box_step, sigma_of(*hull.size, i), hull.size->value[i]);
    }
    for (int i = 0; i < 6; ++i)
      for (int j = i; j < 6; ++j) {
        const double size = std::max(1.0, hull.added_mass.value.cwiseAbs().maxCoeff());
        const double sigma = of_pair(hull.added_mass, i, j);
        if (i == j)
          add(size, sigma, hull.added_mass.value(i, i));
        else
          add(size, sigma, hull.added_mass.value(i, j), hull.added_mass.value(j, i));
        if (i > 2 || j > 2) continue;
        const double inertia_sigma = of_pair(hull.inertia, i, j);
        if (i == j)
          add(size, inertia_sigma, hull.inertia.value(i, i));
        else
          add(size, inertia_sigma, hull.inertia.value(i, j), hull.inertia.value(j, i));
      }
    hull = middle;
  }

  std::vector<std::size_t> of_;  // the module whose hull each has
  std::vector<Hull> hulls_;
  std::vector<Pose> poses_;
  Row scale_ = Row::Zero(), variance_ = Row::Zero();
};

/// A sigma that says nothing is left out.
template <class T>
void set_sigma(Value<T>& value, const T& sigma) {
  bool says_nothing = false;
  if constexpr (std::is_same_v<T, double>)
    says_nothing = std::isinf(sigma);
  else
    says_nothing = (sigma.array() == infinity).all();
  if (!says_nothing) value.sigma = sigma;
}

/// Sigmas of the merged hull's values, to first order: numbers of one robot file err alike in all its modules,
/// and apart from each other and from other files (docs/assemblies.md eq. 10). Poses are exact.
void carry_hull_sigmas(std::span<const MergePart> parts, Hull& merged, std::vector<std::string>& losses) {
  const Row sigmas = Propagation(parts).sigmas();
  set_sigma(merged.mass, sigmas[at_mass]);
  set_sigma(merged.inertia, Mat3(sigmas.segment<9>(at_inertia).reshaped(3, 3)));
  set_sigma(merged.centre_of_mass, Vec3(sigmas.segment<3>(at_com)));
  set_sigma(merged.volume, sigmas[at_volume]);
  set_sigma(merged.centre_of_buoyancy, Vec3(sigmas.segment<3>(at_cob)));
  set_sigma(merged.added_mass, added_mass_of(sigmas));
  if (merged.size) set_sigma(*merged.size, Vec3(sigmas.segment<3>(at_size)));
  if (parts.size() > 1 && (sigmas.array() > 0 && sigmas.array() < infinity).any())
    losses.push_back(
        "errors that values share: a robot file has a sigma for each, and takes them as independent");
}

using model::Hull;
using model::Value;

constexpr double same_centre = 1e-6;  // m

Extent extent_of(const Hull& hull, const Pose& pose) {
  const Vec3 centre = pose * hull.centre_of_buoyancy.value;  // where simulate/contact.hpp has a hull's box
  const Vec3 half = pose.q_pc.toRotationMatrix().cwiseAbs() * (0.5 * hull.size->value);
  return {centre - half, centre + half};
}

/// Parts of rounding, block by block of equal units, are zero; the rest is symmetric to the last bit.
template <class Matrix>
Matrix tidied(const Matrix& m) {
  Matrix result = 0.5 * (m + m.transpose());
  for (Eigen::Index i = 0; i < m.rows(); i += 3)
    for (Eigen::Index j = 0; j < m.cols(); j += 3) {
      // Off the diagonal an entry is a sum of products that may cancel: its size is that of the diagonals.
      const double scale = std::sqrt(result.template block<3, 3>(i, i).diagonal().maxCoeff() *
                                     result.template block<3, 3>(j, j).diagonal().maxCoeff());
      for (Eigen::Index a = i; a < i + 3; ++a)
        for (Eigen::Index b = j; b < j + 3; ++b) result(a, b) = without_rounding(result(a, b), scale);
    }
  return result;
}

/// Values of all hulls as one: assumed if one of them is.
template <class T, class Member>
Value<T> merged_value(std::span<const MergePart> parts, const T& value, const Member& member) {
  Value<T> result{value, fmt::format("merged from {}", robots_of(parts)), false, std::nullopt};
  for (const MergePart& part : parts) result.assumed = result.assumed || member(part.robot->hull()).assumed;
  return result;
}

void merge_size(std::span<const MergePart> parts, const HullNumbers& numbers, Hull& hull,
                std::vector<std::string>& losses) {
  if (!numbers.box) {
    if (std::any_of(parts.begin(), parts.end(),
                    [](const MergePart& p) { return p.robot->hull().size.has_value(); }))
      losses.push_back("hull.size: not every module has one");
    return;
  }
  const Vec3 size = numbers.box->max - numbers.box->min;
  if (numbers.volume > size.prod()) {
    losses.push_back("hull.size: the modules displace more than the box round them holds, so they overlap");
    return;
  }
  hull.size = merged_value(parts, size, [](const Hull& h) -> const Value<Vec3>& { return *h.size; });
  const Vec3 off =
      without_rounding(0.5 * (numbers.box->min + numbers.box->max) - numbers.centre_of_buoyancy, size.norm());
  if (off.cwiseAbs().maxCoeff() > same_centre)
    losses.push_back(fmt::format(
        "hull.size: the box round the modules has its middle [{:.3g}, {:.3g}, {:.3g}] m from the centre of "
        "buoyancy, but walls and surface meet one about that centre",
        off.x(), off.y(), off.z()));
}

}  // namespace

HullNumbers numbers_of(std::span<const PlacedHull> hulls) {
  HullNumbers sum;
  bool all_have_size = true;
  for (const auto& [hull, pose] : hulls) {
    sum.mass += hull->mass.value;
    sum.centre_of_mass += hull->mass.value * (pose * hull->centre_of_mass.value);
    sum.volume += hull->volume.value;
    sum.centre_of_buoyancy += hull->volume.value * (pose * hull->centre_of_buoyancy.value);
    const Mat6 H = twist_transform(pose);
    sum.added_mass += H.transpose() * hull->added_mass.value * H;
    all_have_size = all_have_size && hull->size;
  }
  sum.centre_of_mass /= sum.mass;
  sum.centre_of_buoyancy /= sum.volume;
  for (const auto& [hull, pose] : hulls) {
    const Mat3 R = pose.q_pc.toRotationMatrix();
    const Mat3 S = skew(pose * hull->centre_of_mass.value - sum.centre_of_mass);
    sum.inertia += R * hull->inertia.value * R.transpose() - hull->mass.value * S * S;  // Steiner
    if (!all_have_size) continue;
    const Extent box = extent_of(*hull, pose);
    if (!sum.box) sum.box = box;
    sum.box->min = sum.box->min.cwiseMin(box.min);
    sum.box->max = sum.box->max.cwiseMax(box.max);
  }
  return sum;
}

void merge_hulls(std::span<const MergePart> parts, model::RobotSpec& spec, std::vector<std::string>& losses) {
  std::vector<PlacedHull> hulls;
  double arm = 0;  // m
  for (const MergePart& part : parts) {
    hulls.push_back({&part.robot->hull(), part.pose});
    arm = std::max({arm, part.pose.p_pc_p.norm(), part.robot->hull().centre_of_mass.value.norm(),
                    part.robot->hull().centre_of_buoyancy.value.norm()});
  }
  const HullNumbers numbers = numbers_of(hulls);
  Hull& hull = spec.hull;
  hull.mass = merged_value(
      parts, numbers.mass, [](const Hull& h) -> auto& { return h.mass; });
  hull.inertia = merged_value(
      parts, tidied(numbers.inertia), [](const Hull& h) -> auto& { return h.inertia; });
  hull.centre_of_mass = merged_value(
      parts, without_rounding(numbers.centre_of_mass, arm),
      [](const Hull& h) -> auto& { return h.centre_of_mass; });
  hull.volume = merged_value(
      parts, numbers.volume, [](const Hull& h) -> auto& { return h.volume; });
  hull.centre_of_buoyancy = merged_value(
      parts, without_rounding(numbers.centre_of_buoyancy, arm),
      [](const Hull& h) -> auto& { return h.centre_of_buoyancy; });
  hull.added_mass = merged_value(
      parts, tidied(numbers.added_mass), [](const Hull& h) -> auto& { return h.added_mass; });
  merge_size(parts, numbers, hull, losses);
  carry_hull_sigmas(parts, hull, losses);
}

}  // namespace fathom::assembly::internal
