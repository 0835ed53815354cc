#include "fathom/solve/small_program.hpp"

#include <cmath>

#include <fmt/format.h>

#include "fathom/base/constants.hpp"
#include "fathom/base/error.hpp"

namespace fathom::solve {
namespace {

constexpr double tiny = 1e-10;  // below it an entry of the tableau counts as zero
constexpr double tie = 1e-12;   // steps that differ by less count as equal
// The steepest variable enters and the largest pivot leaves, until a cycle is to be feared; then Bland's rule.
// Each variable beyond those of the stack may well take some steps of its own.
constexpr int program_steps_before_bland(int columns) {
  return 60 + 10 * (columns > StackMemory::columns ? columns - StackMemory::columns : 0);
}
constexpr int most_program_steps(int columns) { return 33 * program_steps_before_bland(columns) + 20; }

}  // namespace

HeapMemory::HeapMemory(int columns)
    : tableau(static_cast<std::size_t>(6 * columns)),
      row_of(static_cast<std::size_t>(columns)),
      lower(row_of.size()),
      upper(row_of.size()),
      x(row_of.size()) {}

template <class Memory>
void SimplexProgram<Memory>::begin(int rows) {
  rows_ = rows;
  columns_ = 0;
  basis_.fill(none);
}

template <class Memory>
int SimplexProgram<Memory>::add(std::span<const double> column, double lower, double upper) {
  if (columns_ == memory_.most_columns() || static_cast<int>(column.size()) != rows_ ||
      !(lower <= 0 && upper >= 0))
    reject("column", fmt::format("does not fit: at most {}, one entry for each row, bounds about 0",
                                 memory_.most_columns()));
  const int j = columns_++;
  for (int i = 0; i < rows_; ++i) row(i)[j] = column[index(i)];
  memory_.lower[index(j)] = lower;
  memory_.upper[index(j)] = upper;
  memory_.x[index(j)] = 0;
  memory_.row_of[index(j)] = none;
  return j;
}

/// A variable whose move raises the basic variable of row `goal`. Those that start between their bounds may
/// move either way.
template <class Memory>
bool SimplexProgram<Memory>::choose_entering(int goal, bool by_number, int& entering, double& direction) const {
  const double* entries = row(goal);
  double best = tiny;
  entering = none;
  for (int k = 0; k < columns_; ++k) {
    const double gain = -entries[k];
    if (std::abs(gain) <= best || memory_.row_of[index(k)] != none || held(k)) continue;
    const bool can_move = gain > 0 ? memory_.x[index(k)] < memory_.upper[index(k)]
                                   : memory_.x[index(k)] > memory_.lower[index(k)];
    if (!can_move) continue;
    best = std::abs(gain);
    entering = k;
    direction = gain > 0 ? 1 : -1;
    if (by_number) break;
  }
  return entering != none;
}

/// The row whose basic variable stops the move first, and how far that is; none where the variable that enters
/// gets to its own other bound.
template <class Memory>
int SimplexProgram<Memory>::choose_leaving(int k, double direction, bool by_number, double& longest) const {
  longest = direction > 0 ? memory_.upper[index(k)] - memory_.x[index(k)]
                          : memory_.x[index(k)] - memory_.lower[index(k)];
  int leaving = none;
  for (int i = 0; i < rows_; ++i) {
    const double rate = -row(i)[k] * direction;
    if (std::abs(rate) <= tiny) continue;
    const int b = basis_[index(i)];
    double reach = 0;  // an artificial variable stays at zero
    if (b != none)
      reach = rate > 0 ? (memory_.upper[index(b)] - memory_.x[index(b)]) / rate
                       : (memory_.x[index(b)] - memory_.lower[index(b)]) / -rate;
    if (reach < 0) reach = 0;
    const bool is_tie = std::abs(reach - longest) <= tie;
    const bool wins_tie = leaving != none &&
                          (by_number ? b < basis_[index(leaving)] : std::abs(rate) > std::abs(row(leaving)[k]));
    if ((!is_tie && reach < longest) || (is_tie && wins_tie) || (is_tie && leaving == none && b == none)) {
      longest = reach < longest ? reach : longest;
      leaving = i;
    }
  }
  return leaving;
}

template <class Memory>
void SimplexProgram<Memory>::pivot(int leaving, int column) {
  double* own = row(leaving);
  const double scale = 1 / own[column];
  for (int k = 0; k < columns_; ++k) own[k] *= scale;
  own[column] = 1;
  for (int i = 0; i < rows_; ++i) {
    if (i == leaving) continue;
    double* other = row(i);
    const double factor = other[column];
    if (factor == 0) continue;
    for (int k = 0; k < columns_; ++k) other[k] -= factor * own[k];
    other[column] = 0;
  }
  if (basis_[index(leaving)] != none) memory_.row_of[index(basis_[index(leaving)])] = none;
  basis_[index(leaving)] = column;
  memory_.row_of[index(column)] = leaving;
}

template <class Memory>
void SimplexProgram<Memory>::move(int k, double direction, double longest, int leaving) {
  memory_.x[index(k)] += direction * longest;
  for (int i = 0; i < rows_; ++i)
    if (basis_[index(i)] != none) memory_.x[index(basis_[index(i)])] -= row(i)[k] * direction * longest;
  if (leaving == none) {  // its own other bound
    memory_.x[index(k)] = direction > 0 ? memory_.upper[index(k)] : memory_.lower[index(k)];
    return;
  }
  const int out = basis_[index(leaving)];
  if (out != none)
    memory_.x[index(out)] =
        -row(leaving)[k] * direction > 0 ? memory_.upper[index(out)] : memory_.lower[index(out)];
  pivot(leaving, k);
}

template <class Memory>
double SimplexProgram<Memory>::maximize(int j) {
  for (int step = 0; step < most_program_steps(columns_); ++step) {
    const bool bland = step > program_steps_before_bland(columns_);
    const int goal = memory_.row_of[index(j)];
    int k = j;
    double direction = 1;
    if (goal == none) {
      if (memory_.x[index(j)] >= memory_.upper[index(j)]) break;
    } else if (!choose_entering(goal, bland, k, direction)) {
      // x_j = constant - sum T_jk x_k: to keep it, everything with an entry has to stay.
      for (int other = 0; other < columns_; ++other)
        if (memory_.row_of[index(other)] == none && std::abs(row(goal)[other]) > tiny) hold(other);
      break;
    }
    double longest = 0;
    const int leaving = choose_leaving(k, direction, bland, longest);
    if (longest == infinity) return infinity;
    move(k, direction, longest, leaving);
  }
  hold(j);
  return memory_.x[index(j)];
}

template class SimplexProgram<StackMemory>;
template class SimplexProgram<HeapMemory>;

}  // namespace fathom::solve
