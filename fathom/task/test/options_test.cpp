#include "fathom/task/options.hpp"

#include <gtest/gtest.h>

#include "fathom/fields/codec.hpp"
#include "fathom/fields/describe.hpp"
#include "fathom/fields/flags.hpp"
#include "fathom/task/align.hpp"
#include "fathom/task/assemble/assemble.hpp"
#include "fathom/task/convert.hpp"
#include "fathom/task/exchange.hpp"
#include "fathom/task/excite/excite.hpp"
#include "fathom/task/identify/arm.hpp"
#include "fathom/task/identify/tank.hpp"
#include "fathom/task/identify/thruster.hpp"
#include "fathom/task/identify/vehicle.hpp"
#include "fathom/task/lint.hpp"
#include "fathom/task/models/models.hpp"
#include "fathom/task/prior.hpp"
#include "fathom/task/simulate/simulate.hpp"
#include "fathom/task/validate/validate.hpp"

namespace fathom::task::options_test {

template <class Options>
struct OptionTable : testing::Test {};
using All = testing::Types<AlignOptions, AssembleOptions, ConvertOptions, ExciteOptions, ExportOptions,
                           IdentifyArmOptions, IdentifyThrusterOptions, IdentifyVehicleOptions, LintOptions,
                           ModelOptions, PriorOptions, SimulateOptions, TankOptions, ValidateOptions>;
TYPED_TEST_SUITE(OptionTable, All);

/// A key twice throws; a key without documentation and a default outside its own range are faults.
TYPED_TEST(OptionTable, HasNoFaults) {
  EXPECT_EQ(fields::faults(fields::schema_of<TypeParam>()), std::vector<std::string>{});
}

TYPED_TEST(OptionTable, TakesItsOwnDefaults) {
  std::vector<fields::Flag> flags = fields::flags<TypeParam>();
  std::erase_if(flags, [](const fields::Flag& flag) { return flag.is_required; });
  const TypeParam usual;
  TypeParam scratch;
  EXPECT_NO_THROW(fields::check_values(flags, &usual, &scratch));
}

TEST(Options, OfLogsAreCheckedTogether) {
  ValidateOptions options;
  options.from = 9;
  options.until = 3;
  EXPECT_THROW(options.check(), InputError);
  options.from.reset();
  EXPECT_NO_THROW(options.check());
  options.voltage = -1;
  EXPECT_THROW(options.check(), InputError);
  options.voltage = 16;
  options.members = 3;
  EXPECT_THROW(options.check(), InputError);
}

TEST(Options, NoNumberIsToldSo) {
  AlignOptions options;
  options.log = "log";
  options.most = nan;
  try {
    fields::check_values(options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("--most = .nan, must be finite"), std::string::npos)
        << error.what();
  }
}

TEST(Options, WordsOfAShellAreQuotedWhereNeeded) {
  EXPECT_EQ(shell_word("a/b-1.yaml"), "a/b-1.yaml");
  EXPECT_EQ(shell_word("my log"), "'my log'");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

}  // namespace fathom::task::options_test
