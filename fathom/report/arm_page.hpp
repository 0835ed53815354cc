#pragma once
#include <string>
#include <vector>

#include "fathom/identify/arm/arm_fit.hpp"
#include "fathom/report/page.hpp"

namespace fathom::report {

/// What a page about an identified arm is made of.
struct ArmPage {
  struct Run {
    const identify::ArmRun* run;
    bool seen;  ///< the fit learnt from it
    std::vector<identify::Metrics> scores;
  };
  const identify::ArmFit* fit;
  std::vector<Run> runs = {};
  std::string footer = {};
  std::vector<std::string> notes = {};  ///< of reading the arm's file
};
/// Errors of every joint on every run, efforts measured and foretold, base parameters with what they are made
/// of, and the links that they allow.
Page arm_page(const ArmPage& page);

}  // namespace fathom::report
