#pragma once
#include <span>
#include <vector>

namespace fathom::control {

/// Values over time, such as commands that were recorded or written by hand.
class CommandSeries {
 public:
  enum class Between { hold, linear };

  /// `values` row by row, `width` per time. Throws InputError unless times increase and all is finite.
  CommandSeries(std::vector<double> times, std::vector<double> values, std::size_t width,
                Between between = Between::hold);

  /// Writes the values at t into `out`; zero before the first time, the last row after the last one.
  void at(double t, std::span<double> out) const;
  std::size_t width() const { return width_; }
  double begin() const { return times_.front(); }
  double end() const { return times_.back(); }

 private:
  std::vector<double> times_, values_;
  std::size_t width_;
  Between between_;
};

}  // namespace fathom::control
