#pragma once
#include <filesystem>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fathom/base/error.hpp"
#include "fathom/excite/problem.hpp"

// Texts of problem files, and what reading them says. They are constants of each file that includes this: texts
// are made of texts.
namespace fathom::excite::problem_texts {

const std::vector<std::filesystem::path> models = {FATHOM_ROBOTS_DIR};

inline Problem read(const std::string& text, std::optional<double> duration = {}) {
  return parse_problem(text, "tank.yaml", models, duration);
}

/// All the problems that reading finds, one a line.
inline std::string problems(const std::string& text, std::optional<double> duration = {}) {
  try {
    read(text, duration);
  } catch (const InputError& error) {
    std::string all;
    for (const Finding& finding : error.findings()) all += finding.text() + "\n";
    return all;
  }
  return "";
}

inline void says(const std::string& text, const std::string& expected, std::optional<double> duration = {}) {
  const std::string all = problems(text, duration);
  EXPECT_NE(all.find(expected), std::string::npos) << "expected: " << expected << "\ngot: " << all << text;
}

constexpr double pi = std::numbers::pi;

const std::string head = "format: fathom-excitation-1\nname: tank\nrobot: defender-like\n";
const std::string four = "structure: vehicle-23\n", six = "structure: vehicle-24\n";
const std::string start = "start: {position: [0, 0, 0.8]}\n";
const std::string time = "duration: 100\n";
const std::string rates = "speed: 0.3, turn_rate: 0.5, acceleration: 0.2, turn_acceleration: 0.3";
const std::string box = "x: [-2, 2], y: [-1, 1], z: [0.4, 1.2]";
const std::string limits = "limits: {" + box + ", " + rates + "}\n";
const std::string all_four = head + four + start + time + limits;
const std::string tank = "tank: {min: [-3, -2, 0], max: [3, 2, 1.8], clearance: 0.3}\n";

}  // namespace fathom::excite::problem_texts
