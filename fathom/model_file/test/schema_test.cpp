#include "fathom/model_file/schema.hpp"

#include <gtest/gtest.h>

#include "fathom/fields/describe.hpp"

namespace fathom::model::schema_test {
namespace {

TEST(Schema, HasDocumentedKeysWithDefaultsInTheirRange) {
  EXPECT_EQ(fields::faults(robot_schema()), std::vector<std::string>{});
  EXPECT_EQ(fields::faults(hull_schema()), std::vector<std::string>{});
  EXPECT_EQ(fields::faults(arm_schema()), std::vector<std::string>{});
}

}  // namespace
}  // namespace fathom::model::schema_test
