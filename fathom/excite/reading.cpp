#include "fathom/excite/reading.hpp"

#include <cmath>

namespace fathom::excite {

Reading reading_of(Criterion criterion, double f, Eigen::Index n) {
  switch (criterion) {
    case Criterion::a_optimal:
      return {"Predicted error", "%", 100 * std::sqrt(std::exp(f) / static_cast<double>(n))};
    case Criterion::d_optimal: return {"Predicted error (geometric mean)", "%", 100 * std::exp(f / 2)};
    case Criterion::condition: return {"Condition number", "", std::exp(f)};
  }
  return {};
}

}  // namespace fathom::excite
