#include <algorithm>

#include "fathom/exchange/lint.hpp"

namespace fathom::exchange {

const std::vector<LintRule>& lint_rules() {
  static const std::vector<LintRule> rules = {
      {"not-finite", "a number that is NaN, infinite or beyond 1e12",
       "every step of a simulation would be NaN"},
      {"no-body", "mass or volume that is not positive",
       "forces accelerate it without limit, or nothing bears it"},
      {"rigid-inertia", "moments of inertia that no body has", "physics engines refuse it or spin it up"},
      {"asymmetric-inertia", "added mass that is not its own mirror image",
       "motion round a closed path gains energy"},
      {"added-mass-sign", "negative added mass", "the water pushes the vehicle on as it speeds up"},
      {"indefinite-inertia", "M_a or M that is indefinite", "a push makes it accelerate backwards"},
      {"damping-sign", "damping of the wrong sign", "a simulation speeds up by itself"},
      {"damping-energy", "cross terms that generate energy", "a simulation speeds up by itself"},
      {"damping-unproved", "cross terms that cannot be proved to dissipate",
       "a motion may be found that gains energy"},
      {"damping-missing", "a velocity without damping", "the vehicle never stops there"},
      {"density", "mass over volume that no vehicle has", "the weight that is not borne drives every motion"},
      {"net-buoyancy", "net weight or lift beyond 5 % of the weight", "the thrusters must hold it for ever"},
      {"upside-down", "the centre of buoyancy below the centre of mass", "the vehicle turns over"},
      {"rest-attitude", "a rest attitude more than 15 degrees from level", "left alone the vehicle lies askew"},
      {"hull-size", "a hull that is too large or too small for its volume",
       "drag and added mass go by the size"},
      {"scale-inertia", "moments of inertia that do not go with the hull's size",
       "it turns too slowly or too quickly"},
      {"scale-added-mass", "added mass that does not go with the hull's size",
       "it gains speed too slowly or too quickly"},
      {"scale-damping", "damping that does not go with the hull's size", "it is far too slow or too fast"},
      {"added-mass-missing", "no added mass along an axis", "it gains speed as if there were no water"},
      {"far-away", "thrusters or sensors outside the vehicle", "levers that it has not"},
      {"centres-apart", "centres of mass and buoyancy too far apart", "it rights itself like a long pendulum"},
      {"degrees", "angles in degrees that are read as radians", "forces point anywhere"},
      {"thruster-direction", "a thruster without direction", "its axis is NaN"},
      {"thruster-rank", "thrusters that span fewer directions than they could",
       "no controller can hold the vehicle there"},
      {"thruster-copy", "two thrusters on one line of force", "together they do what one does"},
      {"allocation", "an allocation matrix that is not that of the poses",
       "the controller pushes another way than the thrusters"},
      {"explicit-added-mass", "added mass beyond what a simulator's explicit scheme bears",
       "the simulation diverges, however short its steps"},
      {"gz-coriolis", "added mass as xDotU ... nDotR, for gz-sim", "its Coriolis force has the wrong sign"},
      {"mean-added-mass", "added mass that differs by direction, for Stonefish",
       "it has one for all directions"},
      {"drives-one-way", "terms of a file that do not turn with the motion", "they drive the vehicle one way"},
      {"not-judged", "what a file holds and no rule looks at", "it may be wrong, and nothing is said of it"},
  };
  return rules;
}

bool is_rule(std::string_view name) {
  return std::ranges::any_of(lint_rules(), [&](const LintRule& rule) { return rule.name == name; });
}

}  // namespace fathom::exchange
