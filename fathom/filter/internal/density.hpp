#pragma once
#include <functional>
#include <vector>

#include "fathom/filter/internal/series.hpp"

namespace fathom::filter::internal {

/// `count` stretches of `length` seconds, evenly over the span; the whole of it where that is no longer.
std::vector<Span> parts_of(const Span& span, int count, double length);

/// The density of jerk that makes the samples likeliest, between 1e-3 and 1e4: a walk over the decades by
/// `rough`, and golden section about the best of them by `fine`. Both map a density to a log-likelihood.
double likeliest_density(const std::function<double(double)>& rough, const std::function<double(double)>& fine);

}  // namespace fathom::filter::internal
