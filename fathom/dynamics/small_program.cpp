#include "fathom/dynamics/small_program.hpp"

#include <cmath>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::dynamics {
namespace {

constexpr double tiny = 1e-10;  // below it an entry of the tableau counts as zero
constexpr double tie = 1e-12;   // steps that differ by less count as equal
// The steepest variable enters and the largest pivot leaves, until a cycle is to be feared; then Bland's rule.
constexpr int steps_before_bland = 60, most_steps = 2000;

}  // namespace

int SmallProgram::add(std::span<const double> column, double lower, double upper) {
  if (columns_ == max_columns || static_cast<int>(column.size()) != rows_ || !(lower <= 0 && upper >= 0))
    refuse("column", "does not fit: at most 24, one entry for each row, bounds about 0");
  const int j = columns_++;
  for (int i = 0; i < rows_; ++i) entry(i, j) = column[index(i)];
  lower_[index(j)] = lower;
  upper_[index(j)] = upper;
  x_[index(j)] = 0;
  row_of_[index(j)] = none;
  return j;
}

/// A variable whose move raises the basic variable of `row`. Those that start between their bounds may move
/// either way.
bool SmallProgram::choose_entering(int row, bool by_number, int& entering, double& direction) const {
  double best = tiny;
  entering = none;
  for (int k = 0; k < columns_; ++k) {
    if (row_of_[index(k)] != none || held(k)) continue;
    const double gain = -tableau_[index(row)][index(k)];
    const bool can_move = gain > 0 ? x_[index(k)] < upper_[index(k)] : x_[index(k)] > lower_[index(k)];
    if (!can_move || std::abs(gain) <= best) continue;
    best = std::abs(gain);
    entering = k;
    direction = gain > 0 ? 1 : -1;
    if (by_number) break;
  }
  return entering != none;
}

void SmallProgram::pivot(int row, int column) {
  const double scale = 1 / entry(row, column);
  for (int k = 0; k < columns_; ++k) entry(row, k) *= scale;
  entry(row, column) = 1;
  for (int i = 0; i < rows_; ++i) {
    if (i == row) continue;
    const double factor = entry(i, column);
    if (factor == 0) continue;
    for (int k = 0; k < columns_; ++k) entry(i, k) -= factor * entry(row, k);
    entry(i, column) = 0;
  }
  if (basis_[index(row)] != none) row_of_[index(basis_[index(row)])] = none;
  basis_[index(row)] = column;
  row_of_[index(column)] = row;
}

double SmallProgram::maximize(int j) {
  for (int step = 0; step < most_steps; ++step) {
    const bool bland = step > steps_before_bland;
    const int goal = row_of_[index(j)];
    int k = j;
    double direction = 1;
    if (goal == none) {
      if (x_[index(j)] >= upper_[index(j)]) break;
    } else if (!choose_entering(goal, bland, k, direction)) {
      // x_j = constant - sum T_jk x_k: to keep it, everything with an entry has to stay.
      for (int other = 0; other < columns_; ++other)
        if (row_of_[index(other)] == none && std::abs(entry(goal, other)) > tiny) hold(other);
      break;
    }

    double longest = direction > 0 ? upper_[index(k)] - x_[index(k)] : x_[index(k)] - lower_[index(k)];
    int leaving = none;
    for (int i = 0; i < rows_; ++i) {
      const double rate = -entry(i, k) * direction;
      if (std::abs(rate) <= tiny) continue;
      const int b = basis_[index(i)];
      double reach = 0;  // an artificial variable stays at zero
      if (b != none)
        reach = rate > 0 ? (upper_[index(b)] - x_[index(b)]) / rate : (x_[index(b)] - lower_[index(b)]) / -rate;
      if (reach < 0) reach = 0;
      const bool is_tie = std::abs(reach - longest) <= tie;
      const bool wins_tie = leaving != none &&
                            (bland ? b < basis_[index(leaving)] : std::abs(rate) > std::abs(entry(leaving, k)));
      if ((!is_tie && reach < longest) || (is_tie && wins_tie) || (is_tie && leaving == none && b == none)) {
        longest = reach < longest ? reach : longest;
        leaving = i;
      }
    }
    if (longest == infinity) return infinity;

    x_[index(k)] += direction * longest;
    for (int i = 0; i < rows_; ++i)
      if (basis_[index(i)] != none) x_[index(basis_[index(i)])] -= entry(i, k) * direction * longest;
    if (leaving == none) {  // its own other bound
      x_[index(k)] = direction > 0 ? upper_[index(k)] : lower_[index(k)];
      continue;
    }
    const int out = basis_[index(leaving)];
    if (out != none)
      x_[index(out)] = -entry(leaving, k) * direction > 0 ? upper_[index(out)] : lower_[index(out)];
    pivot(leaving, k);
  }
  hold(j);
  return x_[index(j)];
}

}  // namespace fathom::dynamics
