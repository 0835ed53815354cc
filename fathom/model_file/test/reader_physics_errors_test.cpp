#include <cmath>

#include <gtest/gtest.h>

#include "fathom/model_file/test/robots.hpp"

namespace fathom::model::reader_physics_errors_test {
namespace {

using test::changed;
using test::error_text;

std::string added_mass(const std::string& text) {
  return error_text(changed("[6.36, 7.12, 18.68, 0.189, 0.135, 0.222]", text));
}
std::string inertia(const std::string& text) { return error_text(changed("[0.16, 0.17, 0.18]", text)); }
std::string linear(const std::string& text) { return error_text(changed("[4, 6, 5, 0.07, 0.08, 0.09]", text)); }
std::string quadratic(const std::string& text) {
  return error_text(changed("[18, 21, 36, 1.5, 1.6, 1.7]", text));
}

TEST(ReaderPhysicsErrors, HintAtTheSnameSign) {
  EXPECT_EQ(added_mass("[-6.36, 7.12, 18.68, 0.189, 0.135, 0.222]"),
            "bad.yaml:9: hull.added_mass[0] = -6.36, must be >= 0 (SNAME sign? use sname_added_mass)");
  EXPECT_EQ(linear("[4, 6, 5, 0.07, 0.08, -0.09]"),
            "bad.yaml:12: damping[0].linear[5] = -0.09, must be >= 0 (SNAME sign? use sname_linear)");
  EXPECT_EQ(quadratic("[18, 21, -36, 1.5, 1.6, 1.7]"),
            "bad.yaml:13: damping[0].quadratic[2] = -36, must be >= 0 (SNAME sign? use sname_quadratic)");
}

TEST(ReaderPhysicsErrors, GiveTheLineOfAValueThatIsWrittenAsAMap) {
  EXPECT_EQ(added_mass("\n    value: [6.36, 7.12, 18.68, 0.189, 0.135, -1]\n    source: tank"),
            "bad.yaml:10: hull.added_mass[5] = -1, must be >= 0 (SNAME sign? use sname_added_mass)");
}

TEST(ReaderPhysicsErrors, OfASnameKeyGiveItsLineAndDoNotAdviseTheKeyThatIsThere) {
  const std::string text = error_text(changed("  added_mass: [6.36", "  sname_added_mass: [6.36"));
  EXPECT_TRUE(text.starts_with("bad.yaml:9: ")) << text;
  EXPECT_EQ(text.find("use sname_added_mass"), std::string::npos) << text;
}

TEST(ReaderPhysicsErrors, RefuseNoMassAndNoVolume) {
  EXPECT_EQ(error_text(changed("mass: 11.5\n", "mass: 0\n")),
            "bad.yaml:4: hull.mass = 0, must be > 0 (kg, of the dry vehicle)");
  EXPECT_EQ(
      error_text(changed("volume: 0.0115", "volume: 0")),
      "bad.yaml:7: hull.volume = 0, must be > 0 (m^3 of displaced water: mass / 1000 for a neutral vehicle in "
      "fresh water)");
  EXPECT_EQ(error_text(changed("volume: 0.0115", "volume: -0.0115")),
            "bad.yaml:7: hull.volume = -0.0115, must be > 0 (m^3 of displaced water: mass / 1000 for a neutral "
            "vehicle "
            "in fresh water)");
}

TEST(ReaderPhysicsErrors, RefuseInertiaThatIsNotPositive) {
  EXPECT_EQ(inertia("[0.16, 0, 0.18]"),
            "bad.yaml:5: hull.inertia[1] = 0, must be > 0 (moments of inertia of the dry body about its centre "
            "of mass, "
            "kg m^2)");
  const std::string singular = inertia("[[1, 1, 0], [1, 1, 0], [0, 0, 1]]");  // 0 but for rounding
  EXPECT_TRUE(singular.starts_with("bad.yaml:5: hull.inertia has principal moment ")) << singular;
  EXPECT_TRUE(singular.ends_with(
      ", must be > 0 (singular or indefinite: check the products of inertia and their signs)"))
      << singular;
  EXPECT_EQ(inertia("[[1, 2, 0], [2, 1, 0], [0, 0, 1]]"),
            "bad.yaml:5: hull.inertia has principal moment -1, must be > 0 (singular or indefinite: check the "
            "products "
            "of inertia and their signs)");
}

TEST(ReaderPhysicsErrors, RefuseInertiaThatNoBodyHas) {
  EXPECT_EQ(inertia("[0.13, 0.16, 0.02]"),
            "bad.yaml:5: hull.inertia breaks the triangle inequality: principal moments 0.02 + 0.13 < 0.16 (no "
            "body has "
            "such inertia; two values may be swapped, or not about the centre of mass)");
  EXPECT_EQ(inertia("[0.13, 0.15, 0.02]"), "(it loads)") << "a flat plate has exactly I1 + I2 = I3";
  EXPECT_EQ(
      inertia("[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]"),
      "bad.yaml:5: hull.inertia is not symmetric (off-diagonal entries are -Ixy, -Ixz, -Iyz on both sides)");
}

const std::string rows = ", [0, 0, 7, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]";

TEST(ReaderPhysicsErrors, RefuseAsymmetricAddedMass) {
  EXPECT_EQ(
      added_mass("[[6, 1, 0, 0, 0, 0], [0.5, 7, 0, 0, 0, 0]" + rows),
      "bad.yaml:9: hull.added_mass is not symmetric: [1][0] = 0.5, [0][1] = 1 (added mass of an ideal fluid is "
      "symmetric; average the two if they were measured apart)");
}

TEST(ReaderPhysicsErrors, RefuseIndefiniteAddedMass) {
  EXPECT_EQ(
      added_mass("[[6, 8, 0, 0, 0, 0], [8, 6, 0, 0, 0, 0]" + rows),
      "bad.yaml:9: hull.added_mass is indefinite: smallest eigenvalue -2, must be >= 0 (a coupling term is too "
      "large for its diagonal, or has the sign of another frame (FLU?))");
  EXPECT_EQ(added_mass("[[6, 6, 0, 0, 0, 0], [6, 6, 0, 0, 0, 0]" + rows), "(it loads)")
      << "semi-definite is allowed";
}

TEST(ReaderPhysicsErrors, RefuseAVolumeThatDoesNotFit) {
  EXPECT_EQ(error_text(changed("damping:", "  size: [0.5, 0.2, 0.1]\ndamping:")),
            "bad.yaml:7: hull.volume = 0.0115 m^3 does not fit in hull.size, a box of 0.01 m^3 (litres or "
            "millimetres? "
            "Fathom wants m^3 and m)");
  EXPECT_EQ(error_text(changed("damping:", "  size: [0.5, 0, 0.1]\ndamping:")),
            "bad.yaml:10: hull.size must be > 0 in length, width and height (m)");
}

TEST(ReaderPhysicsErrors, NameTheEntryThatBreaksASymmetry) {
  const std::string base =
      changed("[6.36, 7.12, 18.68, 0.189, 0.135, 0.222]",
              "\n    - [6, 1, 0, 0, 0, 0]\n    - [1, 7, 0, 0, 0, 0]\n    - [0, 0, 7, 0, 0, 0]\n"
              "    - [0, 0, 0, 1, 0, 0]\n    - [0, 0, 0, 0, 1, 0]\n    - [0, 0, 0, 0, 0, 1]\n"
              "  symmetry: [port_starboard]");
  EXPECT_EQ(error_text(base),
            "bad.yaml:10: hull.added_mass[0][1] = 1, must be 0 by hull.symmetry (drop port_starboard from "
            "hull.symmetry, or the term)");
}

TEST(ReaderPhysicsErrors, RefuseANegativeSigma) {
  EXPECT_EQ(error_text(changed("11.5\n", "{value: 11.5, sigma: -0.1}\n")),
            "bad.yaml:4: hull.mass.sigma has an entry that is negative or not a number (sigma is a standard "
            "deviation, >= 0; .inf where unknown)");
}

TEST(ReaderPhysicsErrors, RefuseThrustersAndSensorsThatCannotBe) {
  const auto thruster = [](const std::string& rest) {
    return error_text(test::small_file() + "thrusters: [{name: t, position: [0, 0, 0], " + rest + "}]\n");
  };
  EXPECT_EQ(thruster("direction: [0, 0, 0]"),
            "bad.yaml:14: thrusters[0].direction is zero (the direction of the force on the vehicle, such as "
            "[1, 0, 0])");
  EXPECT_EQ(thruster("direction: [1, 0, 0], force: [10, 20]"),
            "bad.yaml:14: thrusters[0].force = [10, 20], must be [min <= 0, max >= 0] with min < max (N)");
  EXPECT_EQ(error_text(test::small_file() + "sensors: [{name: s, kind: imu, rate_hz: 0}]\n"),
            "bad.yaml:14: sensors[0].rate_hz = 0, must be > 0 (samples per second)");
  EXPECT_EQ(error_text(test::small_file() + "sensors: [{name: s, kind: imu, noise: {rate: -1}}]\n"),
            "bad.yaml:14: sensors[0].noise.rate = -1, must be >= 0 (a standard deviation)");
}

TEST(ReaderPhysicsErrors, RefuseErrorsOfSensorsThatCannotBe) {
  const auto error_text_of = [](const std::string& sensor) {
    return error_text(test::small_file() + "sensors:\n  - name: s\n    kind: " + sensor + "\n");
  };
  EXPECT_EQ(error_text_of("imu\n    latency: -0.1"),
            "bad.yaml:17: sensors[0].latency = -0.1, must be 0 to 3600 (seconds from measuring to arriving; "
            "milliseconds?)");
  EXPECT_EQ(error_text_of("imu\n    latency: 5000"),
            "bad.yaml:17: sensors[0].latency = 5000, must be 0 to 3600 (seconds from measuring to arriving; "
            "milliseconds?)");
  EXPECT_EQ(error_text_of("imu\n    drop_out: 2"),
            "bad.yaml:17: sensors[0].drop_out = 2, must be 0 to 1 (the share of samples that never arrive; per "
            "cent?)");
  EXPECT_EQ(
      error_text_of("imu\n    drop_out:\n      probability: -0.1"),
      "bad.yaml:18: sensors[0].drop_out = -0.1, must be 0 to 1 (the share of samples that never arrive; per "
      "cent?)");
  EXPECT_EQ(
      error_text_of("imu\n    drop_out: {probability: 0.9, mean_length: 2}"),
      "bad.yaml:17: sensors[0].drop_out.mean_length = 2, must be 9 or more (samples in one run of losses; of "
      "a share p at least p / (1 - p))");
  EXPECT_EQ(
      error_text_of("depth\n    bias_walk: {depth: -1}"),
      "bad.yaml:17: sensors[0].bias_walk.depth = -1, must be >= 0 (a standard deviation after one second)");
  EXPECT_EQ(error_text_of("depth\n    quantisation: {dept: 1}"),
            "bad.yaml:17: sensors[0].quantisation has the unknown key 'dept' (did you mean depth?)");
  EXPECT_EQ(
      error_text_of("depth\n    bias: {depth: {value: 1, unit: cm}}"),
      "bad.yaml:17: sensors[0].bias.depth.unit = 'cm', expected m (convert the number; Fathom's files are "
      "in SI)");
  EXPECT_EQ(
      error_text_of("depth\n    beams: {}"),
      "bad.yaml:17: sensors[0] has the unknown key 'beams' (known here: name, source, assumed, kind, "
      "position, attitude, attitude_deg, rate_hz, noise, bias, bias_walk, quantisation, latency, drop_out)");
  EXPECT_EQ(
      error_text_of("dvl\n    beams: {tilt_deg: 90}"),
      "bad.yaml:17: sensors[0].beams.tilt_deg = 90, must be > 0 and < 90 (degrees from the sensor's z axis)");
  EXPECT_EQ(error_text_of("dvl\n    beams: {azimuth_deg: [0, 90]}"),
            "bad.yaml:17: sensors[0].beams.azimuth_deg has 2 entries, must be 3 to 8 (one azimuth per beam, in "
            "degrees)");
  EXPECT_EQ(error_text_of("dvl\n    beams: {per_beam: yes}"),
            "bad.yaml:17: sensors[0].beams.per_beam is 'yes', expected true or false (without quotes)");
  EXPECT_EQ(error_text_of("dvl\n    altitude: [5, 1]"),
            "bad.yaml:17: sensors[0].altitude = [5, 1], must be [min >= 0, max > min] (m over the bottom)");
}

TEST(ReaderPhysicsErrors, RefuseNamesThatAreEmptyOrUsedTwice) {
  EXPECT_EQ(error_text(changed("name: small", "name: \"\"")),
            "bad.yaml:2: name is empty (a short word, such as bluerov2-heavy)");
  EXPECT_EQ(error_text(test::small_file() + "  - name: hull\n"),
            "bad.yaml:14: damping[1].name = 'hull' is used twice (give each a name of its own)");
}

/// The velocity at the end of "... generates energy: nu' D nu = -1 W at nu = [a, b, c, d, e, f] (...)".
Vec6 witness_in(const std::string& text) {
  Vec6 nu = Vec6::Constant(std::nan(""));
  const std::size_t at = text.find("at nu = [");
  if (at == std::string::npos) return nu;
  std::sscanf(text.c_str() + at, "at nu = [%lf, %lf, %lf, %lf, %lf, %lf]", &nu[0], &nu[1], &nu[2], &nu[3],
              &nu[4], &nu[5]);
  return nu;
}

TEST(ReaderPhysicsErrors, ShowTheMotionThatGainsEnergyByLinearDamping) {
  const std::string text = linear(
      "[[4, 14, 0, 0, 0, 0], [0, 6, 0, 0, 0, 0], [0, 0, 5, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], "
      "[0, 0, 0, 0, 0, 1]]");
  // Eigenvalues of [[4, 7], [7, 6]]: 5 -+ sqrt(1 + 49).
  EXPECT_TRUE(text.starts_with("bad.yaml:12: damping[0].linear generates energy: nu' D nu = -2.07 W at nu = ["))
      << text;
  EXPECT_TRUE(text.ends_with("] (a cross term is too large for the diagonal, or has the wrong sign)")) << text;
  const Vec6 nu = witness_in(text);
  EXPECT_NEAR(4 * nu[0] * nu[0] + 14 * nu[0] * nu[1] + 6 * nu[1] * nu[1], -2.07, 0.02);
}

TEST(ReaderPhysicsErrors, ShowTheMotionThatGainsEnergyByQuadraticDamping) {
  const std::string text = quadratic(
      "{u: [[18, 0, 0, 0, 0, 90], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], "
      "[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]], r: [0, 0, 0, 0, 0, 1]}");
  EXPECT_TRUE(text.starts_with("bad.yaml:13: damping[0].quadratic generates energy: nu' D nu = -")) << text;
  const Vec6 nu = witness_in(text);
  EXPECT_NEAR(nu.norm(), 1, 0.01);
  const double power =
      std::abs(nu[0]) * (18 * nu[0] * nu[0] + 90 * nu[0] * nu[5]) + std::pow(std::abs(nu[5]), 3);
  EXPECT_LT(power, -1) << text;
}

}  // namespace
}  // namespace fathom::model::reader_physics_errors_test
