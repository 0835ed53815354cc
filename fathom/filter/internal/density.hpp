#pragma once
#include <functional>
#include <vector>

#include "fathom/filter/internal/series.hpp"

namespace fathom::filter::internal {

/// `count` stretches of `length` seconds, evenly over the span; the whole of it where that is no longer.
std::vector<Span> parts_of(const Span& span, int count, double length);

/// The same for a likelihood of jerk: a stretch without motion or samples would say that there is none, so the
/// liveliest stretches of the log take the place of those that are far from lively.
std::vector<Span> lively_parts_of(const std::vector<Series>& series, int count, double length);

/// A density of jerk, and whether it is an end of the range in which it was sought.
struct Likeliest {
  double density = 0;
  bool at_limit = false;
};

/// The density of jerk that makes the samples likeliest, between 1e-3 and 1e4: a walk over the decades by
/// `rough`, and golden section about the best of them by `fine`. Both map a density to a log-likelihood.
Likeliest likeliest_density(const std::function<double(double)>& rough,
                            const std::function<double(double)>& fine);

}  // namespace fathom::filter::internal
