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

/// How much accelerations show in a stretch, in sigmas: the rms of the second differences of each second's
/// median, of what anchors (of a velocity the first differences). Medians, so that no outlier counts as motion.
/// 0 where fewer than half of the seconds have a sample.
double activity(const std::vector<Series>& series, const Span& stretch);

}  // namespace fathom::filter::internal
