#include "fathom/assembly/internal/merge_sigma.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/assembly/internal/merge_hull.hpp"
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

}  // namespace

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

}  // namespace fathom::assembly::internal
