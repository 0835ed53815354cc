#pragma once
#include <optional>
#include <vector>

#include "fathom/excite/accuracy.hpp"
#include "fathom/excite/design.hpp"
#include "fathom/excite/margins.hpp"

namespace fathom::excite {

/// What there is to say of a design, beside others.
struct Assessment {
  Grid grid;            ///< the path at its samples
  Eigen::ArrayXXd tau;  ///< n x 6: the wrench that the robot's model predicts along it
  ExpectedAccuracy accuracy;
  Prediction prediction;        ///< by parameter
  std::vector<Margin> margins;  ///< on a grid ten times as fine as the samples
  ExpectedAccuracy random;      ///< of a random path within the limits: the best start's own beginning
  std::optional<ExpectedAccuracy>
      sinusoids;             ///< of the sinusoid baseline, where the box limits leave room for one
  std::string no_sinusoids;  ///< why there is none
  /// Limits that the sinusoids break, as they heed the boxes alone: "view, tether"; empty where none.
  std::string sinusoids_break_limits = {};
  /// Of the multi-sine within all limits that the criterion ranks best of Designer::multisines, where one fits.
  std::optional<ExpectedAccuracy> multisine = {};
  std::optional<trajectory::Bezier> multisine_path = {};

  /// Every limit holds on the dense grid to 1e-9 of its unit.
  bool is_inside() const;
};

Assessment assess(const Designer& designer, const Design& design, std::uint64_t seed);

/// The sinusoid baseline of a problem: it heeds the box limits alone. Throws InputError where they leave no
/// room.
Grid sinusoid_grid(const Problem& problem, double interval, GridEnd end = GridEnd::regular);

}  // namespace fathom::excite
