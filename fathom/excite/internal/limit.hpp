#pragma once
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"
#include "fathom/excite/path_limits.hpp"
#include "fathom/geometry/rotation.hpp"

namespace fathom::excite::internal {

/// One kind of limit on a path: some slacks at each sample that stay positive. Const calls need the stack
/// alone.
class Limit {
 public:
  virtual ~Limit() = default;
  virtual std::string_view key() const = 0;   ///< in the problem file
  virtual std::string_view hint() const = 0;  ///< for a path that cannot even begin
  /// PathLimits::barrier of this limit; `least`, one entry per row, may be null.
  virtual double barrier(const Samples& at, const Eigen::ArrayXd& weight, Samples* adjoint,
                         double* least) const = 0;
  /// PathLimits::slopes of this limit, of rows whose `least` is small.
  virtual void slopes(const Samples& at, const Eigen::ArrayXd& weight, const double* least,
                      PathLimits::Slopes& slopes) const = 0;
  /// Against the limit of the problem, not tightened.
  virtual Margin nearest(const Samples& at, const Eigen::ArrayXd& t) const = 0;
  void tighten(double share) { closer_ = share; }

 protected:
  double closer_ = 0;  // every slack is less by this share of its scale
};

/// Throw InputError for what is wrong with the limit itself; nothing where the problem has no such limit.
std::unique_ptr<Limit> make_thruster_limit(const Problem& problem);
std::unique_ptr<Limit> make_view_limit(const Problem& problem);
std::unique_ptr<Limit> make_tether_limit(const Problem& problem);

/// The largest of some values, and where; a NaN is larger than all.
struct Worst {
  double value = -infinity;
  Eigen::Index row = 0;
  void see(double seen, Eigen::Index at) {
    if (std::isnan(value) || seen <= value) return;
    value = seen;
    row = at;
  }
};

/// The nearest of some slacks and the next: least first.
struct NearestTwo {
  static_assert(std::tuple_size_v<PathLimits::Slopes> == 2);
  std::array<double, 2> slack = {infinity, infinity};
  std::array<Eigen::Index, 2> index = {-1, -1};
  void see(double seen, Eigen::Index at) {
    if (seen >= slack[1]) return;
    slack[1] = seen, index[1] = at;
    if (slack[1] >= slack[0]) return;
    std::swap(slack[0], slack[1]);
    std::swap(index[0], index[1]);
  }
};

/// R_nb of a pose of a path, and the axes in n about which its roll, pitch and yaw turn: a vector R_nb v_b
/// moves by axes_n.col(k) x R_nb v_b per radian of angle k.
struct Attitude {
  Mat3 R_nb, axes_n;
  explicit Attitude(const Vec3& rpy) : R_nb(quaternion_from_euler(rpy).toRotationMatrix()) {
    axes_n << R_nb.col(0), Vec3(-std::sin(rpy.z()), std::cos(rpy.z()), 0), Vec3::UnitZ();
  }
};

inline Vec3 position_of(const Samples& at, Eigen::Index row) { return at.pose.row(row).head<3>(); }
inline Attitude attitude_of(const Samples& at, Eigen::Index row) {
  return Attitude(at.pose.row(row).tail<3>().transpose());
}

[[noreturn]] inline void reject_key(const Problem& problem, std::string key, std::string message,
                                    std::string hint) {
  const int line = problem.line_of(key);
  reject(problem.file, line, std::move(key), std::move(message), std::move(hint));
}

inline void check_finite(const Problem& problem, const std::string& key, const Vec3& value) {
  if (!value.allFinite())
    reject_key(problem, key, fmt::format("= [{}, {}, {}], must be finite", value.x(), value.y(), value.z()),
               "");
}

}  // namespace fathom::excite::internal
