#include "fathom/excite/problem.hpp"

#include "fathom/fields/yaml.hpp"

namespace fathom::excite {

double Problem::duration() const {
  double sum = 0;
  for (const Segment& segment : segments) sum += segment.duration;
  return sum;
}

std::vector<int> Problem::coordinates() const {
  // Velocities [u v w p q r] and coordinates [x y z roll pitch yaw] are held in the same places.
  const auto free = model::free_indices(structure.dof);
  return {free.begin(), free.end()};
}

int Problem::line_of(const std::string& key) const { return yaml::nearest_line(lines, key); }

}  // namespace fathom::excite
