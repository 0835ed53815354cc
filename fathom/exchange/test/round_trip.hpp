#pragma once
#include <gtest/gtest.h>

#include "fathom/base/random.hpp"
#include "fathom/exchange/import.hpp"
#include "fathom/model/test/random_robot.hpp"
#include "fathom/model_file/test/robots.hpp"

namespace fathom::exchange::test {

/// Every robot that ships, and 40 that nobody would build.
inline std::vector<model::Robot> many_robots() {
  std::vector<model::Robot> robots = model::test::all_robots();
  RandomStream random(1, "export");
  for (int k = 0; k < 40; ++k) robots.push_back(model::Robot::make(model::test::random_spec(random)));
  return robots;
}

/// Equal to 1e-12 of the largest entry.
template <class A, class B>
void expect_same(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b, const std::string& what,
                 double scale = 0) {
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), 1e-12 * std::max(scale, b.cwiseAbs().maxCoeff())) << what;
}

/// The text of an exported file with that name.
inline std::string text_of(const Exported& exported, const std::string& name) {
  for (const ExportedFile& file : exported.files)
    if (file.name == name) return file.text;
  ADD_FAILURE() << "no file " << name;
  return "";
}

}  // namespace fathom::exchange::test
