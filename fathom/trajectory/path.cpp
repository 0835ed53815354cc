#include "fathom/trajectory/path.hpp"

namespace fathom::trajectory {

std::vector<Waypoint> Path::places() const {
  if (const Waypoints* points = waypoints()) return points->points();
  const Bezier& curve = std::get<PosePath>(path_).path();
  const int parts =
      4 * curve.degree();  // of each piece: a polynomial turns round no more often than its degree
  std::vector<Waypoint> places;
  for (std::size_t k = 0; k + 1 < curve.knots().size(); ++k)
    for (int i = 0; i <= parts; ++i) {
      const double begin = curve.knots()[k], length = curve.knots()[k + 1] - begin;
      const auto sample = curve.at(begin + length * i / parts);
      places.push_back({sample.value.head<3>(), sample.value.tail<3>(), 0});
    }
  return places;
}

}  // namespace fathom::trajectory
