#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "fathom/base/constants.hpp"
#include "fathom/filter/internal/series.hpp"
#include "fathom/filter/internal/update.hpp"

namespace fathom::filter::internal {

constexpr double settling_time = 3;   // s after the start in which no sample is left out
constexpr int most_left_out = 10;     // samples in a row; then the filter is wrong, not they
constexpr double window_length = 60;  // s that the way back holds at a time

/// What a pass over the samples counts.
struct Tally {
  double log_likelihood = 0;
  struct One {
    std::size_t used = 0, outliers = 0, numbers = 0;
    std::size_t believed = 0;  ///< outliers that were too many to be left out
    double squares = 0;        ///< of the innovations, in their sigmas
  };
  std::vector<One> series;
  std::vector<Span> gaps;  ///< without a sample that anchors, longer than the longest allowed
  double last_anchor = -infinity;
};

/// A Kalman filter over samples at their own times, and the fixed-interval smoother back from it (Bierman's
/// form of Rauch, Tung and Striebel: no inverse, and a constant bias is no special case). The forward pass
/// leaves marks; the way back runs forward again from each mark and keeps only what lies between two of them,
/// so that the result is that of a whole pass and the memory does not grow with the log.
template <class Model>
class Smoother {
 public:
  static constexpr int N = Model::N;
  using Vector = Eigen::Matrix<double, N, 1>;
  using Matrix = Eigen::Matrix<double, N, N>;
  using Nominal = typename Model::Nominal;

  struct Cursor {
    Nominal x;
    Matrix P;
    double begin = 0, t = 0;
    std::vector<std::size_t> next;  ///< sample of each series
    std::vector<int> left_out;      ///< samples in a row, of each series
    long grid = 0;                  ///< next point of the grid
  };

  Smoother(const Model& model, const std::vector<Series>& series, const Grid& grid,
           const SmootherOptions& options)
      : model_(model), series_(series), grid_(grid), options_(options), gated_(series.size(), 1) {}

  /// Believe every sample of a series.
  void trust(std::size_t series) { gated_[series] = 0; }

  double log_likelihood(double density, const std::vector<Span>& parts) const {
    Tally tally = empty_tally();
    for (const Span& part : parts) {
      Cursor cursor = start(part.from);
      cursor.grid = grid_.size;  // nothing is wanted between the samples
      while (step(cursor, density, part.until, &tally, nullptr)) {
      }
    }
    return tally.log_likelihood;
  }

  /// Over all samples; marks as far apart as a window.
  Tally forward(double density, double window, std::vector<Cursor>& marks) const {
    Tally tally = empty_tally();
    Cursor cursor = start(first_time());
    marks.assign(1, cursor);
    while (step(cursor, density, infinity, &tally, nullptr))
      if (cursor.t >= marks.back().t + window) marks.push_back(cursor);
    if (cursor.t > marks.back().t || marks.size() == 1) marks.push_back(cursor);
    return tally;
  }

  /// Calls emit(k, nominal, covariance of its rates) for each point of the grid, from the last to the first.
  template <class Emit>
  void backward(double density, const std::vector<Cursor>& marks, Emit&& emit) const {
    Hindsight<N> hindsight;
    Record record;
    for (std::size_t w = marks.size() - 1; w-- > 0;) {
      record.clear();
      Cursor cursor = marks[w];
      while (cursor.next != marks[w + 1].next || cursor.grid != marks[w + 1].grid)
        step(cursor, density, infinity, nullptr, &record);
      unwind(record, hindsight, emit);
    }
  }

 private:
  struct Record {
    struct Step {
      typename Model::Transition transition;
      std::size_t updates_end = 0;
      long grid = -1;  ///< the point of the grid that it is, or -1
    };
    struct Kept {
      Nominal x;
      Matrix P;
    };
    std::vector<Step> steps;
    std::vector<Update<N>> updates;
    std::vector<Kept> kept;  ///< one per step on the grid

    void clear() {
      steps.clear();
      updates.clear();
      kept.clear();
    }
  };

  Tally empty_tally() const {
    Tally tally;
    tally.series.resize(series_.size());
    return tally;
  }

  double first_time() const {
    double t = grid_.size > 0 ? grid_.t0 : infinity;
    for (const Series& one : series_)
      for (std::size_t i = 0; i < one.size(); ++i)
        if (one.usable[i]) {
          t = std::min(t, one.t(i));
          break;
        }
    return t;
  }

  Cursor start(double t) const {
    Cursor cursor;
    cursor.x = model_.start(series_, t);
    cursor.P = model_.start_covariance();
    cursor.begin = cursor.t = t;
    for (const Series& one : series_) {
      const auto first = std::lower_bound(one.readings->t.begin(), one.readings->t.end(), t - same_time);
      cursor.next.push_back(static_cast<std::size_t>(first - one.readings->t.begin()));
      skip(one, cursor.next.back());
    }
    cursor.left_out.assign(series_.size(), 0);
    return cursor;
  }

  static void skip(const Series& series, std::size_t& i) {
    while (i < series.size() && !series.usable[i]) ++i;
  }

  /// On to the next time at which something was measured or is wanted. False: there is none.
  bool step(Cursor& c, double density, double until, Tally* tally, Record* record) const {
    double t = c.grid < grid_.size ? grid_.t(c.grid) : infinity;
    for (std::size_t s = 0; s < series_.size(); ++s)
      if (c.next[s] < series_[s].size()) t = std::min(t, series_[s].t(c.next[s]));
    if (!(t < infinity && t <= until)) return false;
    const typename Model::Transition transition = Model::move(c.x, std::max(0.0, t - c.t));
    transition.forward(c.P, density);
    c.t = std::max(c.t, t);
    for (std::size_t s = 0; s < series_.size(); ++s)
      for (std::size_t& i = c.next[s]; i < series_[s].size() && series_[s].t(i) <= t + same_time;
           skip(series_[s], ++i))
        take_sample(c, s, i, tally, record);
    const bool on_grid = c.grid < grid_.size && grid_.t(c.grid) <= t + same_time;
    if (record) {
      record->steps.push_back({transition, record->updates.size(), on_grid ? c.grid : -1});
      if (on_grid) record->kept.push_back({c.x, c.P});
    }
    if (on_grid) ++c.grid;
    return true;
  }

  void take_sample(Cursor& c, std::size_t s, std::size_t i, Tally* tally, Record* record) const {
    std::array<Row, 3> rows;
    const int count = model_.observe(series_[s], i, c.x, rows);
    const bool settles = gated_[s] && c.t < c.begin + settling_time;
    if (!settles && left_out(c, s, rows, count, tally)) return;
    Vector error = Vector::Zero();
    for (int j = 0; j < count; ++j) {
      Row& row = rows[static_cast<std::size_t>(j)];
      if (settles) doubt(row, error, c.P);
      const Update<N> update = take<N>(row, error, c.P);
      if (record) record->updates.push_back(update);
      if (tally) add(*tally, s, update.innovation * update.innovation / update.variance, update.variance);
    }
    c.x.add(error);
    if (tally) note(*tally, s, c.t);
  }

  /// Whether the sample is too far from what is expected: eq. 11. One that is left out costs what one at the
  /// limit would, so that a likelihood cannot gain by leaving out.
  bool left_out(Cursor& c, std::size_t s, const std::array<Row, 3>& rows, int count, Tally* tally) const {
    if (!gated_[s]) return false;
    std::array<double, 3> variance{}, square{};
    double worst = 0;
    for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j) {
      variance[j] = rows[j].square<N>(c.P) + rows[j].variance;
      square[j] = rows[j].z * rows[j].z / variance[j];
      worst = std::max(worst, square[j]);
    }
    const double limit = options_.outlier * options_.outlier;
    if (worst <= limit || c.left_out[s] >= most_left_out) {
      c.left_out[s] = 0;
      return false;
    }
    ++c.left_out[s];
    if (tally) {
      ++tally->series[s].outliers;
      for (std::size_t j = 0; j < static_cast<std::size_t>(count); ++j)
        tally->log_likelihood -= half_log(variance[j], std::min(square[j], limit));
    }
    return true;
  }

  /// While the filter settles it may be the one that is wrong: a number too far off is taken with the variance
  /// at which it would be at the limit (Huber's weight, for one step).
  void doubt(Row& row, const Vector& error, const Matrix& P) const {
    const double off = (row.z - row.template dot<N>(error)) / options_.outlier,
                 known = row.template square<N>(P);
    row.variance = std::max(row.variance, off * off - known);
  }

  static double half_log(double variance, double square) {
    return 0.5 * (std::log(2 * std::numbers::pi * variance) + square);
  }

  void add(Tally& tally, std::size_t s, double square, double variance) const {
    tally.log_likelihood -= half_log(variance, square);
    tally.series[s].squares += square;
    ++tally.series[s].numbers;
  }

  void note(Tally& tally, std::size_t s, double t) const {
    ++tally.series[s].used;
    if (!series_[s].anchors) return;
    if (t - tally.last_anchor > options_.longest_gap) tally.gaps.push_back({tally.last_anchor, t});
    tally.last_anchor = t;
  }

  template <class Emit>
  void unwind(const Record& record, Hindsight<N>& hindsight, Emit&& emit) const {
    std::size_t kept = record.kept.size(), update = record.updates.size();
    for (std::size_t j = record.steps.size(); j-- > 0;) {
      const typename Record::Step& step = record.steps[j];
      if (step.grid >= 0) {
        typename Record::Kept at = record.kept[--kept];
        at.x.add(-(at.P * hindsight.lambda));
        const Eigen::Matrix<double, 3, N> rates = at.P.template middleRows<3>(3);
        emit(step.grid, at.x,
             Mat3(at.P.template block<3, 3>(3, 3) - rates * (hindsight.Lambda * rates.transpose())));
      }
      const std::size_t first = j > 0 ? record.steps[j - 1].updates_end : 0;
      while (update > first) hindsight.back(record.updates[--update]);
      step.transition.back(hindsight);
    }
  }

  const Model& model_;
  const std::vector<Series>& series_;
  Grid grid_;
  SmootherOptions options_;
  std::vector<char> gated_;
};

}  // namespace fathom::filter::internal
