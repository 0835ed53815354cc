#include "fathom/base/error.hpp"

#include <gtest/gtest.h>

namespace fathom::error_test {
namespace {

TEST(FindingText, HasFileLineKeyMessageAndHint) {
  const Finding finding{Severity::error, "bluerov2.yaml",         31,
                        "added_mass[5]", "= -0.12, must be >= 0", "SNAME sign? use sname_added_mass"};
  EXPECT_EQ(finding.text(),
            "bluerov2.yaml:31: added_mass[5] = -0.12, must be >= 0 (SNAME sign? use sname_added_mass)");
}

TEST(FindingText, LeavesOutWhatIsNotKnown) {
  EXPECT_EQ((Finding{Severity::error, "", 0, "", "is odd", ""}.text()), "is odd");
  EXPECT_EQ((Finding{Severity::error, "a.yaml", 0, "", "is empty", ""}.text()), "a.yaml: is empty");
  EXPECT_EQ((Finding{Severity::error, "a.yaml", 7, "", "is odd", ""}.text()), "a.yaml:7: is odd");
  EXPECT_EQ((Finding{Severity::error, "", 0, "density", "= 0", "kg/m^3"}.text()), "density = 0 (kg/m^3)");
}

TEST(FindingText, GivesNoLineWithoutAFile) {
  EXPECT_EQ((Finding{Severity::error, "", 12, "mass", "= 0", ""}.text()), "mass = 0");
}

TEST(InputError, TellsEveryFindingOnALineOfItsOwnInOrder) {
  const InputError error({Finding{Severity::error, "f", 1, "a", "is wrong", ""},
                          Finding{Severity::warning, "f", 2, "b", "is odd", "look"}});
  EXPECT_STREQ(error.what(), "f:1: a is wrong\nf:2: b is odd (look)");
  ASSERT_EQ(error.findings().size(), 2u);
  EXPECT_EQ(error.findings()[0].key, "a");
  EXPECT_EQ(error.findings()[1].line, 2);
}

TEST(InputError, OfOneFindingSaysItsText) {
  const Finding finding{Severity::error, "f", 3, "k", "is wrong", "mend it"};
  const InputError error(finding);
  EXPECT_EQ(error.what(), finding.text());
  EXPECT_EQ(error.findings().size(), 1u);
}

TEST(Refuse, ThrowsOneErrorWithItsPlace) {
  const auto text_of = [](auto rejection) {
    try {
      rejection();
    } catch (const InputError& error) {
      EXPECT_EQ(error.findings().size(), 1u);
      EXPECT_TRUE(has_errors(error.findings()));
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  EXPECT_EQ(text_of([] { reject("rate", "= 0, must be > 0", "Hz"); }), "rate = 0, must be > 0 (Hz)");
  EXPECT_EQ(text_of([] { reject("rate", "is missing"); }), "rate is missing");
  EXPECT_EQ(text_of([] { reject("a.yaml", 7, "rate", "is odd", "look"); }), "a.yaml:7: rate is odd (look)");
}

TEST(Complain, AddsAnError) {
  Findings findings;
  add_error(findings, "a", "is wrong");
  add_error(findings, "b", "is odd", "look");
  EXPECT_STREQ(InputError(findings).what(), "a is wrong\nb is odd (look)");
  EXPECT_TRUE(has_errors(findings));
}

TEST(HasErrors, IsTrueOnlyIfOneFindingIsAnError) {
  const Finding note{Severity::note, "", 0, "", "", ""}, warning{Severity::warning, "", 0, "", "", ""},
      error{Severity::error, "", 0, "", "", ""};
  EXPECT_FALSE(has_errors({}));
  EXPECT_FALSE(has_errors({note, warning}));
  EXPECT_TRUE(has_errors({note, error, warning}));
}

TEST(Severity, HasAWord) {
  EXPECT_EQ(to_string(Severity::note), "note");
  EXPECT_EQ(to_string(Severity::warning), "warning");
  EXPECT_EQ(to_string(Severity::error), "error");
}

}  // namespace
}  // namespace fathom::error_test
