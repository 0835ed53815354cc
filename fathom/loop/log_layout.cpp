#include "fathom/loop/log_layout.hpp"

#include <algorithm>

namespace fathom::loop {

std::vector<Column> PoseAndTwist::columns() {
  return {{"north", "m"}, {"east", "m"},  {"down", "m"}, {"qw", ""},   {"qx", ""},
          {"qy", ""},     {"qz", ""},     {"u", "m/s"},  {"v", "m/s"}, {"w", "m/s"},
          {"p", "rad/s"}, {"q", "rad/s"}, {"r", "rad/s"}};
}

std::span<double> PoseAndTwist::put(std::span<double> row, const Quat& q_nb, const Vec3& p_n,
                                    const Vec6& nu_b) {
  std::copy_n(p_n.data(), 3, row.subspan(position).begin());
  const std::span<double> q = row.subspan(attitude);
  q[0] = q_nb.w();
  q[1] = q_nb.x();
  q[2] = q_nb.y();
  q[3] = q_nb.z();
  std::copy_n(nu_b.data(), 6, row.subspan(twist).begin());
  return row.first(width);
}

Vec3 PoseAndTwist::position_in(std::span<const double> row) { return Vec3(row.subspan(position).data()); }

Quat PoseAndTwist::attitude_in(std::span<const double> row) {
  const std::span<const double> q = row.subspan(attitude);
  return Quat(q[0], q[1], q[2], q[3]);
}

std::vector<Column> Load::columns() {
  return {{"X", "N"}, {"Y", "N"}, {"Z", "N"}, {"K", "N m"}, {"M", "N m"}, {"N", "N m"}};
}

std::vector<Column> Demand::columns() {
  std::vector<Column> columns = Load::columns();
  columns.push_back({"saturated", ""});
  return columns;
}

std::vector<Column> Pull::columns() { return {{"north", "N"}, {"east", "N"}, {"down", "N"}, {"tension", "N"}}; }

}  // namespace fathom::loop
