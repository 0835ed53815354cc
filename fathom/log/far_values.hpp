#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace fathom::log {

/// Finds the few values of a column that lie far outside all others: no motion, but a slip of who wrote them.
/// Keeps the outermost values alone, so that its memory does not grow with the log.
class FarValues {
 public:
  struct Far {
    double value = 0;
    int line = 0;  ///< of the file; 0 where it has none
    double t = 0;  ///< s
  };
  struct Found {
    std::vector<Far> far;           ///< in order of their lines
    double least = 0, largest = 0;  ///< of all others

    /// "while all others lie between 0 and 3 m"
    std::string others(const std::string& unit) const;
  };
  static constexpr double usual_reach = 5;

  /// NaN does not count.
  void add(double value, int line, double t = 0);
  /// Returns the values, at most four above and four below, that are farther from all others than `reach` times
  /// the range of these; of others that are all equal to 1e-9, than 1e4 times their magnitude, or 1e4. Of fewer
  /// than 20 values none.
  Found found(double reach = usual_reach) const;

 private:
  std::vector<Far> low_, high_;  // the outermost first
  std::size_t count_ = 0;
};

}  // namespace fathom::log
