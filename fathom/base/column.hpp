#pragma once
#include <string>

namespace fathom {

/// Names one number of a row, as logs have it.
struct Column {
  std::string name;
  std::string unit;  ///< SI, such as m/s; empty where the column has none, or where a foreign file names none

  bool operator==(const Column&) const = default;
};

}  // namespace fathom
