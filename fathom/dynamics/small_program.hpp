#pragma once
#include <array>
#include <span>

namespace fathom::dynamics {

/// A linear program of the size of a thruster layout: A x = 0 with bounds about 0, one variable maximised after
/// the other. Simplex method on a full tableau with implicit bounds, in memory of its own: no allocation.
class SmallProgram {
 public:
  static constexpr int max_rows = 6, max_columns = 24;

  explicit SmallProgram(int rows) : rows_(rows) { basis_.fill(none); }

  /// Adds a variable with lower <= 0 <= upper (upper may be infinite) and returns its number. Entries of
  /// `column` should be of the order of one. All variables come before the first maximize.
  int add(std::span<const double> column, double lower, double upper);

  /// The largest value of x_j. From then on x_j keeps it, and `held` are all variables that have only one value
  /// under which it can: what is left free moves on the face of all solutions. Infinite if nothing bounds it.
  double maximize(int j);

  double value(int j) const { return x_[index(j)]; }
  bool held(int j) const { return upper_[index(j)] <= lower_[index(j)]; }

 private:
  static constexpr int none = -1;
  static std::size_t index(int j) { return static_cast<std::size_t>(j); }
  double& entry(int i, int j) { return tableau_[index(i)][index(j)]; }
  bool choose_entering(int row, bool by_number, int& entering, double& direction) const;
  void pivot(int row, int column);
  void hold(int j) { lower_[index(j)] = upper_[index(j)] = x_[index(j)]; }

  int rows_, columns_ = 0;
  std::array<std::array<double, max_columns>, max_rows> tableau_;
  std::array<int, max_rows> basis_;      // a variable for each row, or none: an artificial one, held at 0
  std::array<int, max_columns> row_of_;  // of a basic variable; else none
  std::array<double, max_columns> lower_, upper_, x_;
};

}  // namespace fathom::dynamics
