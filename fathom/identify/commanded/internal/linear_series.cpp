#include "fathom/identify/commanded/internal/linear_series.hpp"

namespace fathom::identify::internal {

Eigen::MatrixXd straight_between(std::span<const double> t, const Eigen::Ref<const Eigen::MatrixXd>& columns,
                                 double t0, double dt, Eigen::Index count) {
  Eigen::MatrixXd out(columns.rows(), count);
  std::size_t next = 0;  // the first of t that is not before the present time
  for (Eigen::Index k = 0; k < count; ++k) {
    const double now = t0 + dt * static_cast<double>(k);
    while (next < t.size() && t[next] < now) ++next;
    const auto right = static_cast<Eigen::Index>(next);
    if (next == 0) {
      out.col(k) = columns.col(0);
    } else if (next == t.size()) {
      out.col(k) = columns.col(right - 1);
    } else {
      const double share = (now - t[next - 1]) / (t[next] - t[next - 1]);
      out.col(k) = (1 - share) * columns.col(right - 1) + share * columns.col(right);
    }
  }
  return out;
}

}  // namespace fathom::identify::internal
