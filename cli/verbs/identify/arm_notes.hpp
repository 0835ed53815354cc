#pragma once
#include <string>
#include <vector>

#include "fathom/model/arm.hpp"

namespace fathom::cli {

/// What reading an arm's file left out or took for something else, each behind the name of the file.
inline std::vector<std::string> notes_of_reading(const model::Arm& arm, const std::string& file) {
  std::vector<std::string> notes;
  for (const std::string& note : arm.spec().notes_of_reading) notes.push_back(file + ": " + note);
  return notes;
}

}  // namespace fathom::cli
