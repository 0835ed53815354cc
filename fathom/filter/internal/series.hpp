#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fathom/filter/track.hpp"

namespace fathom::filter::internal {

/// Times closer than this are one [s].
constexpr double same_time = 1e-9;

enum class Kind { position, attitude, rate, depth, velocity, force };

struct Span {
  double from = 0, until = 0;
};

/// One series of readings as a filter sees it. It refers to the readings, which must outlive it.
struct Series {
  std::string name;  ///< such as "position 0"
  Kind kind = Kind::position;
  int number = 0;        ///< among those of its kind
  bool anchors = false;  ///< without it a track is not measured
  const Readings* readings = nullptr;
  const Eigen::MatrixXd* values = nullptr;  ///< of the readings, or what they say of the body's origin
  std::vector<char> usable;  ///< 0: not a number, a stray, or beyond what is known of the attitude
  std::size_t outliers = 0;  ///< samples far from their neighbours

  std::size_t size() const { return usable.size(); }
  double t(std::size_t i) const { return readings->t[i]; }
  double sigma(Eigen::Index row) const { return readings->sigma[row]; }
  auto value(std::size_t i) const { return values->col(static_cast<Eigen::Index>(i)); }
  /// Of an attitude.
  Quat quaternion(std::size_t i) const {
    const auto q = value(i);
    return Quat(q[0], q[1], q[2], q[3]).normalized();
  }
};

/// A series as messages call it, such as "position 0".
std::string series_name(Kind kind, std::size_t number);

/// Median time between samples [s]; 0 where there are fewer than two.
double usual_step(const Series& series);

/// Makes samples outside `span` unusable.
void limit(Series& series, const Span& span);

/// All series of one kind. Throws InputError at what can be no reading.
std::vector<Series> series_of(const std::vector<Readings>& readings, Kind kind);

/// An even clock.
struct Grid {
  double t0 = 0, dt = 0;
  long size = 0;
  double t(long k) const { return t0 + dt * static_cast<double>(k); }
};

/// The multiples of dt in [from, until].
Grid grid_between(double from, double until, double dt);

/// From the first to the last usable sample of those that anchor.
Span span_of(const std::vector<Series>& series);

std::size_t usable_values(const std::vector<Series>& series);

/// Makes unusable the samples that lie more than `limit` times the spread off the lines through their
/// neighbours (docs/filters.md, below eq. 11: while it settles), and counts them in `series.outliers`. A filter
/// that is yet to settle cannot tell them.
void leave_out_outliers(Series& series, double limit);

}  // namespace fathom::filter::internal
