// What runs at each step takes no memory from the heap (HABITS 13).

#include <gtest/gtest.h>

#include "fathom/assembly/test/clusters.hpp"
#include "fathom/base/test/count_allocations.hpp"

namespace fathom::assembly::no_allocation_test {
namespace {

TEST(NoAllocation, Cluster) {
  RandomStream random(11, "allocation");
  test::Docked docked = test::random_docked(12, 2, random);
  const Cluster cluster = docked.cluster();
  auto workspace = cluster.workspace();
  const std::vector<Vec6> alone = docked.alone();
  std::vector<Vec6> together = alone, loads(docked.links.size());
  EXPECT_EQ(fathom::test::allocations_of([&] {
              cluster.make_rigid(together);
              cluster.loads(alone, together, workspace, loads);
              cluster.project(docked.states);
            }),
            0);
}

}  // namespace
}  // namespace fathom::assembly::no_allocation_test
