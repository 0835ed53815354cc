#include "fathom/solve/interior_point.hpp"

namespace fathom::solve {

Eigen::Index BlockProgram::unknowns() const {
  Eigen::Index n = 0;
  for (const Block& block : blocks) n += block.A.cols();
  return n;
}

}  // namespace fathom::solve
