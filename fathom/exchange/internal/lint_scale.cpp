#include <array>
#include <cmath>
#include <span>

#include "fathom/base/constants.hpp"
#include "fathom/exchange/internal/lint_report.hpp"
#include "fathom/exchange/internal/lint_slip.hpp"
#include "fathom/model/dof.hpp"

namespace fathom::exchange {
namespace internal {
namespace {

/// Numbers of one kind, and how far they may be from the guess of docs/prior.md: half of the least share that
/// was seen on vehicles, and twice the most (docs/lint.md; lint_scale_test.cpp measures it). Of inertia no body
/// in the box has more than 5 times the guess, which is 0.6 of an evenly filled box: 3 times that is all mass
/// in the corners.
struct Family {
  double least, most;
  std::string_view rule, if_more, if_less;  ///< why it matters that there is more or less than expected
  std::span<const UnitSlip> units;
};

namespace family {

constexpr std::array<UnitSlip, 4> mass_like = {{{1000, "tonnes instead of kg"},
                                                {0.001, "grams instead of kg"},
                                                {1 / 9.81, "a weight in N instead of kg"},
                                                {9.81, "divided by g"}}};
constexpr std::array<UnitSlip, 4> moment_like = {{{1e-6, "kg mm^2 instead of kg m^2"},
                                                  {1e-4, "kg cm^2 instead of kg m^2"},
                                                  {0.001, "g m^2 instead of kg m^2"},
                                                  {1000, "t m^2 instead of kg m^2"}}};
constexpr std::array<UnitSlip, 2> force_like = {{{1000, "kN instead of N"}, {9.81, "kgf instead of N"}}};
constexpr std::array<UnitSlip, 3> linear_turning = {{{degrees, "per degree/s instead of per rad/s"},
                                                     {1 / degrees, "degrees turned into radians twice"},
                                                     {1000, "kN m instead of N m"}}};
constexpr std::array<UnitSlip, 3> quadratic_turning = {
    {{degrees * degrees, "per (degree/s)^2 instead of per (rad/s)^2"},
     {1 / (degrees * degrees), "degrees turned into radians twice"},
     {1000, "kN m instead of N m"}}};

constexpr std::string_view turns_slowly = "any moment would turn it far too slowly";
constexpr std::string_view turns_quickly = "any moment would turn it far too quickly";
const Family inertia = {0.41, 5, "scale-inertia", turns_slowly, turns_quickly, moment_like};
const Family added_translation = {0.084,
                                  4.9,
                                  "scale-added-mass",
                                  "it would gain speed far too slowly",
                                  "it would gain speed far too quickly",
                                  mass_like};
const Family added_rotation = {0.065, 9.8, "scale-added-mass", turns_slowly, turns_quickly, moment_like};
constexpr std::string_view slow = "it would be far too slow", fast = "it would be far too fast";
const Family linear_translation = {0.0062, 3.9, "scale-damping", slow, fast, force_like};
const Family linear_rotation = {0.034,
                                100,
                                "scale-damping",
                                "it would turn and swing far too little",
                                "it would swing far too long",
                                linear_turning};
const Family quadratic_translation = {0.035, 19, "scale-damping", slow, fast, force_like};
const Family quadratic_rotation = {0.016,
                                   37,
                                   "scale-damping",
                                   "it would turn far too slowly",
                                   "it would turn far too quickly",
                                   quadratic_turning};

}  // namespace family

struct Scaled {
  SizeRatio ratio;
  const Family* kind;
};

/// What all elements together do along each velocity, in the body frame; lever arms are left out, as they
/// matter less than the spread of guesses does.
Vec6 quadratic_diagonal(const model::RobotSpec& spec) {
  Vec6 sum = Vec6::Zero();
  for (const model::DragElement& element : spec.damping)
    for (int j = 0; j < 6; ++j) sum[j] += element.quadratic.value.by_speed[static_cast<std::size_t>(j)](j, j);
  return sum;
}
Vec6 linear_diagonal(const model::RobotSpec& spec) {
  Vec6 sum = Vec6::Zero();
  for (const model::DragElement& element : spec.damping) sum += element.linear.value.diagonal();
  return sum;
}

std::vector<Scaled> scaled_numbers(const model::RobotSpec& spec, const model::Robot& guess, double slack) {
  std::vector<Scaled> numbers;
  const auto look = [&](const std::string& key, int i, double value, double expected, const Family& kind) {
    // Nothing, or too little for a guess: other rules speak of it.
    if (!is_sound(value) || !(value > 0) || !(expected > 1e-12)) return;
    numbers.push_back({{entry_key(key, i, i), value, expected, kind.least / slack, kind.most * slack}, &kind});
  };
  const model::Hull& hull = spec.hull;
  for (int i = 0; i < 3; ++i)
    look("hull.inertia", i, hull.inertia.value(i, i), guess.hull().inertia.value(i, i), family::inertia);
  const std::string drag = spec.damping.size() == 1 ? "damping[0]" : "damping";
  const Vec6 linear = linear_diagonal(spec), quadratic = quadratic_diagonal(spec);
  const Vec6 quadratic_guess = quadratic_diagonal(guess.spec());
  // In rotation the guess of docs/prior.md leaves out all but the righting moment; what the quadratic part
  // takes at 1 rad/s, its sigma there, is nearer to what vehicles have.
  Vec6 linear_guess = linear_diagonal(guess.spec());
  linear_guess.tail<3>() = linear_guess.tail<3>().cwiseMax(quadratic_guess.tail<3>());
  for (int i = 0; i < 6; ++i) {
    look("hull.added_mass", i, hull.added_mass.value(i, i), guess.hull().added_mass.value(i, i),
         i < 3 ? family::added_translation : family::added_rotation);
    look(drag + ".linear", i, linear[i], linear_guess[i],
         i < 3 ? family::linear_translation : family::linear_rotation);
    look(drag + ".quadratic", i, quadratic[i], quadratic_guess[i],
         i < 3 ? family::quadratic_translation : family::quadratic_rotation);
  }
  return numbers;
}

std::vector<Scaled> scaled_numbers(const model::RobotSpec& spec, const model::Environment& environment) {
  const auto size = hull_size_of(spec);
  const auto guess = size ? guess_of(spec, *size, environment) : std::nullopt;
  if (!guess) return {};
  return scaled_numbers(spec, *guess, size->is_given ? 1 : 2);
}

/// Millimetres and the like in all of hull.size.
std::string size_slip_text(const Vec3& size, double volume) {
  constexpr std::array<UnitSlip, 5> size_units = {{{0.001, "millimetres"},
                                                   {0.01, "centimetres"},
                                                   {0.0254, "inches"},
                                                   {0.3048, "feet"},
                                                   {1000, "kilometres"}}};
  for (const UnitSlip& unit : size_units) {
    const double filling = volume / (size.prod() * std::pow(unit.factor, 3));
    if (filling > 0.1 && filling < 1)
      return fmt::format("; {:g} x {:g} x {:g} m would fit: {} instead of m?", size.x() * unit.factor,
                         size.y() * unit.factor, size.z() * unit.factor, unit.what);
  }
  return "";
}

/// The box round the hull against what the vehicle weighs and displaces.
void look_at_filling(LintReport& report) {
  const auto size = hull_size_of(report.spec);
  const model::Hull& hull = report.spec.hull;
  if (!size || !size->is_given || !is_body(hull.mass.value) || !is_body(hull.volume.value)) return;
  const double filling = hull.volume.value / size->box();
  const double body_density = hull.mass.value / hull.volume.value;
  if (filling >= least_filling && filling <= most_filling) return;
  if (body_density < 100 || body_density > 10000) return;  // told already, with the one of the three to blame
  report.add(
      "hull-size", filling > 1 ? Severity::error : Severity::warning, "hull.size",
      fmt::format("= {:g} x {:g} x {:g} m is a box of which the volume of {:g} m^3 fills {:.2g} %: drag, added "
                  "mass and the depth at which it breaks the surface go by the size",
                  size->size.x(), size->size.y(), size->size.z(), hull.volume.value, 100 * filling),
      "open frames fill 10 to 40 %, closed hulls up to 80 %" + size_slip_text(size->size, hull.volume.value));
}

void look_at_outliers(LintReport& report) {
  const auto size = hull_size_of(report.spec);
  for (const Scaled& number : scaled_numbers(report.spec, report.options.environment)) {
    const SizeRatio& ratio = number.ratio;
    const double share = ratio.value / ratio.guess;
    if (share >= ratio.least && share <= ratio.most) continue;
    const Expected expected = {ratio.guess, 2 * ratio.least * ratio.guess, 0.5 * ratio.most * ratio.guess};
    const auto slip = likely_slip(ratio.value, expected, number.kind->units);
    report.add(
        number.kind->rule, Severity::warning, ratio.key,
        fmt::format(
            "= {:g} is {:.2g} times the {:.3g} that a hull of {:.3g} x {:.3g} x {:.3g} m ({}) lets expect, "
            "where others have {:g} to {:g}: {}",
            ratio.value, share, ratio.guess, size->size.x(), size->size.y(), size->size.z(), size->from,
            ratio.least, ratio.most, share > 1 ? number.kind->if_more : number.kind->if_less),
        "compare with the source" + slip_text(slip));
  }
}

void look_at_missing_added_mass(LintReport& report) {
  const Mat6& Ma = report.spec.hull.added_mass.value;
  for (int i = 0; i < 3; ++i)
    if (Ma(i, i) == 0)
      report.add(
          "added-mass-missing", Severity::note, entry_key("hull.added_mass", i, i),
          fmt::format("is zero: it would gain speed in {} as if there were no water", model::dof_name(i)),
          "a sphere has half the displaced mass; fathom prior guesses it");
}

}  // namespace

void lint_scale(LintReport& report) {
  look_at_filling(report);
  look_at_outliers(report);
  look_at_missing_added_mass(report);
}

}  // namespace internal

std::vector<SizeRatio> size_ratios(const model::RobotSpec& spec, const model::Environment& environment) {
  std::vector<SizeRatio> ratios;
  for (internal::Scaled& number : internal::scaled_numbers(spec, environment))
    ratios.push_back(std::move(number.ratio));
  return ratios;
}

}  // namespace fathom::exchange
