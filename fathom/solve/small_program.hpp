#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace fathom::solve {

/// What a linear program works in. On the stack, for a few variables, such as the thrusters of one robot:
struct StackMemory {
  StackMemory() {}  // NOLINT(modernize-use-equals-default): numbers come later, {} must not set them to zero
  static constexpr int columns = 24;
  static constexpr int most_columns() { return columns; }
  std::array<double, 6 * columns> tableau;
  std::array<int, columns> row_of;
  std::array<double, columns> lower, upper, x;
};
/// On the heap, taken once, for as many as there are:
struct HeapMemory {
  explicit HeapMemory(int columns);
  int most_columns() const { return static_cast<int>(x.size()); }
  std::vector<double> tableau;
  std::vector<int> row_of;
  std::vector<double> lower, upper, x;
};

/// A linear program of few rows (docs/solvers.md): A x = 0 of at most six rows with bounds about 0, one
/// variable maximised after the other. Simplex method on a full tableau with implicit bounds, in memory of its
/// own: calls do not allocate. A step costs of the order of the columns, and there are about as many steps as
/// variables that go to a bound.
template <class Memory>
class SimplexProgram {
 public:
  static constexpr int max_rows = 6;

  /// `columns`: of memory on the heap, for at most so many variables.
  template <class... Columns>
  explicit SimplexProgram(int rows, Columns... columns) : memory_(columns...) {
    begin(rows);
  }

  /// Forgets what it held; the memory stays.
  void begin(int rows);

  /// Adds a variable with lower <= 0 <= upper (upper may be infinite) and returns its number. Entries of
  /// `column` should be of the order of one. All variables come before the first maximize.
  int add(std::span<const double> column, double lower, double upper);

  /// The largest value of x_j. From then on x_j keeps it, and `held` are all variables that have only one value
  /// under which it can: what is left free moves on the face of all solutions. Infinite if nothing bounds it.
  double maximize(int j);

  double value(int j) const { return memory_.x[index(j)]; }
  bool held(int j) const { return memory_.upper[index(j)] <= memory_.lower[index(j)]; }

 private:
  static constexpr int none = -1;
  static std::size_t index(int j) { return static_cast<std::size_t>(j); }
  double* row(int i) { return memory_.tableau.data() + index(i * memory_.most_columns()); }
  const double* row(int i) const { return memory_.tableau.data() + index(i * memory_.most_columns()); }
  bool choose_entering(int goal, bool by_number, int& entering, double& direction) const;
  int choose_leaving(int entering, double direction, bool by_number, double& longest) const;
  void move(int entering, double direction, double longest, int leaving);
  void pivot(int leaving, int column);
  void hold(int j) { memory_.lower[index(j)] = memory_.upper[index(j)] = memory_.x[index(j)]; }

  int rows_ = 0, columns_ = 0;
  std::array<int, max_rows> basis_;  // a variable for each row, or none: an artificial one, held at 0
  Memory memory_;                    // row_of: of a basic variable; else none
};

using SmallProgram = SimplexProgram<StackMemory>;
using LargeProgram = SimplexProgram<HeapMemory>;
extern template class SimplexProgram<StackMemory>;
extern template class SimplexProgram<HeapMemory>;

}  // namespace fathom::solve
