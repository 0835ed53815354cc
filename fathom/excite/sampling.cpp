#include "fathom/excite/sampling.hpp"

#include <algorithm>
#include <cmath>

#include "fathom/excite/internal/kernel.hpp"

namespace fathom::excite {
namespace {

using internal::kernel;
using internal::lanes;
using internal::Onto;

internal::Columns world_columns(const Samples& s, const Eigen::ArrayXd& mask) {
  internal::Columns columns{};
  for (int k = 0; k < 6; ++k) {
    columns.pose[k] = s.pose.col(k).data();
    columns.rate[k] = s.rate.col(k).data();
    columns.acceleration[k] = s.acceleration.col(k).data();
  }
  columns.mask = mask.data();
  return columns;
}

internal::BodyColumns body_columns(Samples& s) {
  internal::BodyColumns columns{};
  for (int k = 0; k < 6; ++k) {
    columns.nu[k] = s.nu.col(k).data();
    columns.nu_dot[k] = s.nu_dot.col(k).data();
  }
  for (int k = 0; k < 3; ++k) columns.down[k] = s.down.col(k).data();
  return columns;
}

internal::AdjointColumns adjoint_columns(Samples& s) {
  internal::AdjointColumns columns{};
  for (int k = 0; k < 6; ++k) {
    columns.pose[k] = s.pose.col(k).data();
    columns.rate[k] = s.rate.col(k).data();
    columns.acceleration[k] = s.acceleration.col(k).data();
    columns.nu[k] = s.nu.col(k).data();
    columns.nu_dot[k] = s.nu_dot.col(k).data();
  }
  for (int k = 0; k < 3; ++k) columns.down[k] = s.down.col(k).data();
  return columns;
}

/// The samples of each piece; one at a border belongs to the piece that begins there.
std::vector<std::vector<double>> samples_by_piece(const std::vector<double>& knots, double interval) {
  std::vector<std::vector<double>> times(knots.size() - 1);
  const double duration = knots.back() - knots.front();
  const auto last = static_cast<long>(std::floor(duration / interval * (1 + 1e-12)));
  std::size_t piece = 0;
  for (long k = 0; k <= last; ++k) {
    const double t = knots.front() + std::min(static_cast<double>(k) * interval, duration);
    while (piece + 2 < knots.size() && t >= knots[piece + 1] - 1e-9 * interval) ++piece;
    times[piece].push_back(t);
  }
  return times;
}

}  // namespace

Sampling::Sampling(const trajectory::Basis& basis, std::vector<int> coordinates, const Vec6& start,
                   const Vec6& end, double interval, bool with_position)
    : basis_(basis),
      coordinates_(std::move(coordinates)),
      start_(start),
      end_(end),
      with_position_(with_position),
      all_angles_(
          std::any_of(coordinates_.begin(), coordinates_.end(), [](int c) { return c == 3 || c == 4; })) {
  const auto times = samples_by_piece(basis_.knots, interval);
  Eigen::Index rows = 0;
  for (std::size_t p = 0; p < times.size(); ++p) {
    const int blocks = static_cast<int>((times[p].size() + lanes - 1) / lanes);
    add_tables(basis_.knots[p], basis_.knots[p + 1] - basis_.knots[p], times[p]);
    pieces_.push_back(
        {tables_.size() - 1, rows, static_cast<Eigen::Index>(p) * (basis_.degree + 1), blocks, 0, {}});
    // A piece with the length and local times of an earlier one uses its table.
    for (std::size_t other = 0; other + 1 < tables_.size(); ++other) {
      const TableSet &mine = tables_.back(), &old = tables_[other];
      const bool same = std::abs(old.length - mine.length) <= 1e-12 * mine.length &&
                        old.u.size() == mine.u.size() &&
                        std::equal(mine.u.begin(), mine.u.end(), old.u.begin(),
                                   [](double a, double b) { return std::abs(a - b) < 1e-12; });
      if (same) {
        tables_.pop_back();
        pieces_.back().table = other;
        break;
      }
    }
    rows += blocks * lanes;
    count_ += static_cast<Eigen::Index>(times[p].size());
  }
  mask_ = Eigen::ArrayXd::Zero(rows);
  times_ = Eigen::ArrayXd::Constant(rows, basis_.knots.front());
  for (std::size_t p = 0; p < times.size(); ++p)
    for (Eigen::Index k = 0; k < pieces_[p].blocks * lanes; ++k) {
      const Eigen::Index row = pieces_[p].first_row + k;
      const bool real = k < static_cast<Eigen::Index>(times[p].size());
      mask_[row] = real;
      times_[row] = real ? times[p][static_cast<std::size_t>(k)] : times_[row - 1];
    }
  const Eigen::Index points = basis_.points.rows.rows(),
                     moving = static_cast<Eigen::Index>(coordinates_.size());
  fixed_.resize(points, moving);
  for (Eigen::Index k = 0; k < moving; ++k) {
    const int c = coordinates_[static_cast<std::size_t>(k)];
    fixed_.col(k) = start_[c] * basis_.points.start + end_[c] * basis_.points.end;
  }
  points_.resize(points, moving);
  points_adjoint_.resize(points, moving);
  if (with_position_) prepare_squares();
  make_runs();
  sums_.resize(most_pieces * static_cast<std::size_t>((basis_.degree + 1) * moving * lanes));
}

void Sampling::make_runs() {
  for (std::size_t p = 0; p < pieces_.size(); ++p) {
    const bool goes_on = !runs_.empty() && pieces_[p].table == pieces_[runs_.back().begin].table &&
                         p - runs_.back().begin < most_pieces;
    if (!goes_on) runs_.push_back({p, p});
    runs_.back().end = p + 1;
  }
}

template <class Visit>
void Sampling::for_each_column(const Run& run, int level, Visit&& visit) const {
  for (std::size_t p = run.begin; p < run.end; ++p)
    for (std::size_t k = 0; k < coordinates_.size(); ++k) {
      if (level == 0 && coordinates_[k] < 3 && !with_position_) continue;  // nothing depends on it
      visit(pieces_[p], static_cast<Eigen::Index>(k), coordinates_[k]);
    }
}

internal::Table Sampling::table_of(const Run& run, int level) const {
  const Piece& piece = pieces_[run.begin];
  return {tables_[piece.table].values[level].data(), piece.blocks, basis_.degree + 1};
}

void Sampling::add_tables(double begin, double length, const std::vector<double>& times) {
  const int n = basis_.degree;
  const std::size_t blocks = (times.size() + lanes - 1) / lanes;
  TableSet set;
  set.length = length;
  for (auto& values : set.values) values.assign(blocks * static_cast<std::size_t>((n + 1) * lanes), 0.0);
  Eigen::VectorXd value(n + 1), first(n + 1), second(n + 1);
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double u = std::clamp((times[k] - begin) / length, 0.0, 1.0);
    set.u.push_back(u);
    trajectory::bernstein(n, u, value, first, second);
    for (int i = 0; i <= n; ++i) {
      const std::size_t at =
          ((k / lanes) * static_cast<std::size_t>(n + 1) + static_cast<std::size_t>(i)) * lanes + k % lanes;
      set.values[0][at] = value[i];
      set.values[1][at] = first[i] / length;
      set.values[2][at] = second[i] / (length * length);
    }
  }
  tables_.push_back(std::move(set));
}

void Sampling::sample(const Eigen::VectorXd& x, Samples& out) {
  const Eigen::Index n = basis_.size(), moving = static_cast<Eigen::Index>(coordinates_.size());
  for (Eigen::Index k = 0; k < moving; ++k) {
    points_.col(k) = fixed_.col(k);
    points_.col(k).noalias() += basis_.points.rows * x.segment(k * n, n);
  }
  Eigen::ArrayXXd* const levels[3] = {&out.pose, &out.rate, &out.acceleration};
  for (const Run& run : runs_)
    for (int level = 0; level < 3; ++level) {
      const double* c[most_columns];
      double* to[most_columns];
      int count = 0;
      for_each_column(run, level, [&](const Piece& piece, Eigen::Index k, int coordinate) {
        c[count] = points_.col(k).data() + piece.first_point;
        to[count++] = levels[level]->col(coordinate).data() + piece.first_row;
      });
      kernel().sample(table_of(run, level), c, count, to);
    }
  if (with_position_)  // a depth that is held
    for (int c = 0; c < 3; ++c)
      if (std::find(coordinates_.begin(), coordinates_.end(), c) == coordinates_.end())
        out.pose.col(c) = start_[c] * mask_;
  kernel().to_body(world_columns(out, mask_), body_columns(out), static_cast<int>(rows() / lanes), all_angles_);
}

void Sampling::to_world(const Samples& at, Samples& adjoint, Onto onto) const {
  // The kernel reads the body's columns only.
  kernel().to_body_adjoint(world_columns(at, mask_), body_columns(const_cast<Samples&>(at)),
                           adjoint_columns(adjoint), static_cast<int>(rows() / lanes), all_angles_, onto);
}

void Sampling::gradient(const Samples& at, Samples& adjoint, Eigen::VectorXd& gradient) {
  to_world(at, adjoint, Onto::what_is_there);
  gradient_by_world(adjoint, gradient);
}

void Sampling::body_gradient(const Samples& at, Samples& adjoint, Eigen::VectorXd& gradient) {
  to_world(at, adjoint, Onto::nothing);
  gradient_by_world(adjoint, gradient);
}

void Sampling::gradient_by_world(const Samples& adjoint, Eigen::VectorXd& gradient) {
  const Eigen::Index n = basis_.size();
  for (const Run& run : runs_) add_up(run, adjoint);
  for (Eigen::Index k = 0; k < points_adjoint_.cols(); ++k)
    gradient.segment(k * n, n).noalias() = basis_.points.rows.transpose() * points_adjoint_.col(k);
}

/// points_adjoint_ of the run's points.
void Sampling::add_up(const Run& run, const Samples& adjoint) {
  const Eigen::ArrayXXd* const levels[3] = {&adjoint.pose, &adjoint.rate, &adjoint.acceleration};
  const Eigen::Index points = basis_.degree + 1, moving = points_adjoint_.cols();
  const auto sums_of = [&](const Piece& piece, Eigen::Index k) {
    return sums_.data() + ((&piece - &pieces_[run.begin]) * moving + k) * points * lanes;
  };
  std::fill(sums_.begin(), sums_.end(), 0.0);
  for (int level = 0; level < 3; ++level) {
    const double* from[most_columns];
    double* sums[most_columns];
    int count = 0;
    for_each_column(run, level, [&](const Piece& piece, Eigen::Index k, int coordinate) {
      from[count] = levels[level]->col(coordinate).data() + piece.first_row;
      sums[count++] = sums_of(piece, k);
    });
    kernel().sample_adjoint(table_of(run, level), from, count, sums);
  }
  for (std::size_t p = run.begin; p < run.end; ++p)
    for (Eigen::Index k = 0; k < moving; ++k)
      for (Eigen::Index point = 0; point < points; ++point)
        points_adjoint_(pieces_[p].first_point + point, k) =
            internal::sum_of_lanes(sums_of(pieces_[p], k) + point * lanes);
}

trajectory::Bezier Sampling::path(const Eigen::VectorXd& x) const {
  const Eigen::Index n = basis_.size();
  Eigen::MatrixXd points = start_.replicate(1, basis_.points.rows.rows());  // what is held stays
  for (std::size_t k = 0; k < coordinates_.size(); ++k) {
    const int c = coordinates_[k];
    points.row(c) =
        basis_.points(x.segment(static_cast<Eigen::Index>(k) * n, n), start_[c], end_[c]).transpose();
  }
  return {basis_.knots, basis_.degree, std::move(points)};
}

void to_body(Samples& samples, const Eigen::ArrayXd& mask, bool all_angles) {
  kernel().to_body(world_columns(samples, mask), body_columns(samples),
                   static_cast<int>(samples.size() / lanes), all_angles);
}

}  // namespace fathom::excite
