#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace fathom::log {

/// A unit that a description may name: a value x in it is factor * x + offset in `si`.
struct Unit {
  std::string_view word;
  std::string_view si;
  double factor = 1;
  double offset = 0;
};

/// nullptr where there is none of that name.
const Unit* find_unit(std::string_view word);

/// Returns the words of all units, or of those that become `si`.
std::vector<std::string_view> unit_words(std::string_view si = {});

/// The word that may have been meant, or all that there are: a hint for people.
std::string units_like(std::string_view word);

}  // namespace fathom::log
