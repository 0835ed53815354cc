#include "fathom/model/geometric_prior.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include <gtest/gtest.h>

#include "fathom/model_file/catalogue.hpp"
#include "fathom/model_file/hull_file.hpp"
#include "fathom/model_file/robot_file.hpp"

namespace fathom::model::geometric_prior_test {
namespace {

const std::string hull_text = R"(format: fathom-hull-1
name: new
kind: open_frame
mass: {value: 13.5, sigma: 0.1, source: scale}
shape: {box: [0.457, 0.575, 0.254]}
thruster_transients:
  lag: {assumed: small, first_order: {time_constant: 0.1}}
thrusters:
  - {name: port, source: ruler, position: [-0.1, -0.1, 0], direction: [1, 0, 0], force: [-35, 45], transient: lag}
sensors:
  - {name: depth, kind: depth, source: data sheet, rate_hz: 10, noise: {depth: 0.005}}
)";

HullDescription described(const Shape& shape, HullKind kind, double mass) {
  HullDescription hull;
  hull.name = "new";
  hull.kind = kind;
  hull.hull.shape = shape;
  hull.mass.value = mass;
  return hull;
}

std::string with(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string error_text(const std::string& text) {
  try {
    parse_hull_file(text, "hull.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no complaint";
}

/// A published robot against the prior of its shape.
struct Published {
  std::string name;
  Shape shape;
  HullKind kind;
  int beyond;  ///< values more than three sigma off, as docs/prior.md says one by one
};

/// Published minus prior, in sigmas; counts what is beyond three.
class Comparison {
 public:
  explicit Comparison(const std::string& robot) : robot_(robot) {}
  void add(const std::string& what, double published, double value, double sigma) {
    const double z = (published - value) / sigma;
    beyond_ += std::abs(z) > 3;
    squares_ += z * z;
    ++count_;
    std::printf("%-28s %-10s published %9.4g, prior %9.4g +- %8.3g, %6.2f sigma\n", robot_.c_str(),
                what.c_str(), published, value, sigma, z);
  }
  int beyond() const { return beyond_; }
  double squares() const { return squares_; }
  int count() const { return count_; }

 private:
  std::string robot_;
  int beyond_ = 0, count_ = 0;
  double squares_ = 0;
};

Comparison compare(const Published& published) {
  const Robot robot = read_robot(find_robot_file(published.name, {FATHOM_ROBOTS_DIR}));
  const Robot prior =
      geometric_prior(described(published.shape, published.kind, robot.hull().mass.value), Environment());
  Comparison comparison(published.name);
  const Hull &was = robot.hull(), &is = prior.hull();
  const DragElement &drag = robot.damping().front(), &guess = prior.damping().front();
  for (int i = 0; i < 6; ++i) {
    const auto j = static_cast<std::size_t>(i);
    const std::string n = std::to_string(i + 1), nn = n + n;
    if (i < 3)
      comparison.add("I" + nn, was.inertia.value(i, i), is.inertia.value(i, i), (*is.inertia.sigma)(i, i));
    comparison.add("added" + nn, was.added_mass.value(i, i), is.added_mass.value(i, i),
                   (*is.added_mass.sigma)(i, i));
    comparison.add("d" + nn, drag.linear.value(i, i), guess.linear.value(i, i), (*guess.linear.sigma)(i, i));
    comparison.add("q" + nn, drag.quadratic.value.by_speed[j](i, i), guess.quadratic.value.by_speed[j](i, i),
                   guess.quadratic.sigma->by_speed[j](i, i));
  }
  comparison.add("volume", was.volume.value, is.volume.value, *is.volume.sigma);
  const auto arm = [](const Hull& hull) {
    return hull.centre_of_mass.value.z() - hull.centre_of_buoyancy.value.z();
  };
  comparison.add("arm", arm(was), arm(is), is.centre_of_buoyancy.sigma->z());
  return comparison;
}

TEST(GeometricPrior, PublishedValuesAreWithinThreeSigmaButForFour) {
  const double sphere = 0.3012;  // m: 14.3 kg, neutral in fresh water
  const std::vector<Published> robots = {
      {"bluerov2-heavy", Cuboid{Vec3(0.457, 0.575, 0.254)}, HullKind::open_frame, 0},
      {"rexrov", Cuboid{Vec3(2.6, 1.5, 1.6)}, HullKind::open_frame, 0},
      {"nielsen-bluerov", Cuboid{Vec3(0.483, 0.33, 0.25)}, HullKind::open_frame, 3},
      {"nielsen-sphere-hydrostatic", Ellipsoid{Vec3::Constant(sphere)}, HullKind::closed, 0},
      {"nielsen-sphere-open-loop", Ellipsoid{Vec3::Constant(sphere)}, HullKind::closed, 1}};
  double squares = 0;
  int count = 0;
  for (const Published& published : robots) {
    const Comparison comparison = compare(published);
    EXPECT_EQ(comparison.beyond(), published.beyond) << published.name;
    squares += comparison.squares();
    count += comparison.count();
  }
  std::printf("rms %.2f sigma over %d values\n", std::sqrt(squares / count), count);
}

TEST(GeometricPrior, ATorpedoThatNoSpreadWasSetWithMissesInCrossFlow) {
  // REMUS 100, T. Prestero 2001: 1.3327 x 0.191 m, 30.48 kg, in sea water of 1030 kg/m^3; drag along by its
  // C_d of 0.2.
  const Robot prior =
      geometric_prior(described(Cylinder{1.3327, 0.191}, HullKind::closed, 30.48), Environment(1030));
  const Hull& hull = prior.hull();
  Comparison comparison("remus");
  const Vec3 inertia(0.177, 3.45, 3.45);
  const Vec6 added = (Vec6() << 0.93, 35.5, 35.5, 0.0704, 4.88, 4.88).finished();
  const Vec6 drag = (Vec6() << 2.94, 1310, 1310, 0.130, 188, 94).finished();
  const auto add_row = [&](int i) {
    const auto j = static_cast<std::size_t>(i);
    const std::string nn = std::to_string(11 * (i + 1));
    comparison.add("added" + nn, added[i], hull.added_mass.value(i, i), (*hull.added_mass.sigma)(i, i));
    const Value<QuadraticDrag>& quadratic = prior.damping()[0].quadratic;
    comparison.add("q" + nn, drag[i], quadratic.value.by_speed[j](i, i), quadratic.sigma->by_speed[j](i, i));
  };
  for (int i = 0; i < 3; ++i)
    comparison.add("I", inertia[i], hull.inertia.value(i, i), (*hull.inertia.sigma)(i, i));
  for (int i = 0; i < 6; ++i) add_row(i);
  // The four of cross flow: 1310 would be a drag coefficient of 10 on the shadow of the hull.
  EXPECT_EQ(comparison.beyond(), 4);
  EXPECT_NEAR(hull.added_mass.value(1, 1), 35.5, 0.1 * 35.5);
  EXPECT_NEAR(hull.added_mass.value(4, 4), 4.88, 0.2 * 4.88);
}

TEST(GeometricPrior, EveryValueSaysWhereItComesFromAndHowWellItIsKnown) {
  const Robot robot = geometric_prior(parse_hull_file(hull_text, "hull.yaml"), Environment());
  const Hull& hull = robot.hull();
  EXPECT_EQ(hull.mass.source, "scale");
  EXPECT_EQ(hull.mass.sigma, 0.1);
  for (const std::string& source :
       {hull.inertia.source, hull.volume.source, hull.centre_of_buoyancy.source, hull.added_mass.source,
        robot.damping()[0].linear.source, robot.damping()[0].quadratic.source})
    EXPECT_TRUE(source.starts_with("from geometry (docs/prior.md eq")) << source;
  EXPECT_TRUE(hull.inertia.sigma && hull.volume.sigma && hull.centre_of_mass.sigma && hull.added_mass.sigma &&
              hull.centre_of_buoyancy.sigma && robot.damping()[0].linear.sigma &&
              robot.damping()[0].quadratic.sigma);
  EXPECT_EQ(robot.thrusters().at(0).transient_name, "lag");
  EXPECT_EQ(robot.sensors().at(0).kind, SensorKind::depth);
  const std::string yaml = robot_to_yaml(robot);
  EXPECT_EQ(robot_to_yaml(parse_robot(yaml, "new.yaml")), yaml);
}

TEST(GeometricPrior, WhatIsKnownStands) {
  HullDescription hull = described(Cuboid{Vec3(0.5, 0.4, 0.3)}, HullKind::open_frame, 12);
  hull.volume = Value<double>{0.0125, "bucket", false, 1e-4};
  hull.inertia = Value<Mat3>{Mat3(Vec3(0.2, 0.25, 0.3).asDiagonal()), "swing", false, {}};
  hull.centre_of_mass = Value<Vec3>{Vec3(0, 0, 0.02), "", false, {}};
  hull.centre_of_buoyancy = Value<Vec3>{Vec3(0, 0, -0.03), "tilt test", false, {}};
  const Robot robot = geometric_prior(hull, Environment(sea_water));
  EXPECT_EQ(robot.hull().volume.value, 0.0125);
  EXPECT_EQ(robot.hull().inertia.source, "swing");
  EXPECT_EQ(robot.hull().centre_of_mass.source, "as the hull file gives it");
  // Eq. 4.4 with the given arm: 2 xi I sqrt(BG W / (I + added)).
  const double added = robot.hull().added_mass.value(3, 3);
  EXPECT_NEAR(robot.damping()[0].linear.value(3, 3),
              2 * 0.06 * 0.2 * std::sqrt(0.05 * 12 * 9.81 / (0.2 + added)), 1e-12);
}

TEST(GeometricPrior, AnOpenFrameMovesLessWaterThanAClosedBox) {
  const Cuboid box{Vec3(0.5, 0.4, 0.3)};
  const Robot open = geometric_prior(described(box, HullKind::open_frame, 15), Environment());
  const Robot closed = geometric_prior(described(box, HullKind::closed, 60), Environment());
  // A quarter of the box is filled.
  EXPECT_TRUE((4 * open.hull().added_mass.value).isApprox(closed.hull().added_mass.value, 1e-12));
}

TEST(GeometricPrior, DragOfABoxIsMorisons) {
  const Robot robot =
      geometric_prior(described(Cuboid{Vec3(0.5, 0.4, 0.3)}, HullKind::closed, 60), Environment());
  const QuadraticDrag& drag = robot.damping()[0].quadratic.value;
  EXPECT_NEAR(drag.by_speed[0](0, 0), 0.5 * 1000 * 1.05 * 0.4 * 0.3, 1e-12);  // Nielsen 2019, eq. 4.2
  EXPECT_NEAR(robot.damping()[0].linear.value(0, 0), 0.16 * drag.by_speed[0](0, 0), 1e-12);  // eq. 4.3
  // Strips by brute force: force 1/2 rho Cd h (r x)^2 dx at x, for both pairs of sides that meet the yaw.
  double moment = 0;
  constexpr int strips = 20000;
  for (int k = 0; k < strips; ++k) {
    const double s = (k + 0.5) / strips - 0.5;
    for (const double side : {0.5, 0.4})
      moment += 500 * 1.05 * 0.3 * std::pow(std::abs(s * side), 3) * side / strips;
  }
  EXPECT_NEAR(drag.by_speed[5](5, 5), moment, 1e-6 * moment);
}

TEST(GeometricPrior, AShapeOffTheOriginSwimsAsOneAtIt) {
  HullDescription hull = described(Cuboid{Vec3(0.5, 0.4, 0.3)}, HullKind::closed, 55);
  hull.hull.pose = {quaternion_from_euler(Vec3(0.1, -0.2, 0.7)), Vec3(-0.15, 0.05, -0.1)};
  const Robot moved = geometric_prior(hull, Environment());
  hull.hull.pose = {};
  const Robot at = geometric_prior(hull, Environment());
  // Kinetic energy of the water for one motion, seen from both origins.
  HullDescription again = hull;
  again.hull.pose = {quaternion_from_euler(Vec3(0.1, -0.2, 0.7)), Vec3(-0.15, 0.05, -0.1)};
  const Vec6 nu_b = (Vec6() << 0.3, -0.2, 0.1, 0.4, 0.2, -0.6).finished();
  const Vec6 nu_c = twist_transform(again.hull.pose) * nu_b;
  EXPECT_NEAR(nu_b.dot(moved.hull().added_mass.value * nu_b), nu_c.dot(at.hull().added_mass.value * nu_c),
              1e-10);
  EXPECT_NEAR(moved.hull().inertia.value.trace(), at.hull().inertia.value.trace(), 1e-12);
  EXPECT_FALSE(moved.hull().symmetry.port_starboard);
  EXPECT_TRUE(at.hull().symmetry.port_starboard);
}

TEST(GeometricPrior, DoubtsAClosedHullThatIsMostlyWater) {
  const Cuboid box{Vec3(0.5, 0.4, 0.3)};
  EXPECT_EQ(warnings_about(described(box, HullKind::closed, 15), Environment()).size(), 1u);
  EXPECT_TRUE(warnings_about(described(box, HullKind::open_frame, 15), Environment()).empty());
  EXPECT_TRUE(warnings_about(described(box, HullKind::closed, 55), Environment()).empty());
}

TEST(GeometricPrior, HullFilesAreRefusedWithLineAndRemedy) {
  EXPECT_NE(error_text(with(hull_text, "box:", "bax:"))
                .find("hull.yaml:5: shape has the unknown key 'bax' (did you mean box?)"),
            std::string::npos)
      << error_text(with(hull_text, "box:", "bax:"));
  EXPECT_NE(error_text(with(hull_text, "open_frame", "open_fram")).find("did you mean open_frame?"),
            std::string::npos);
  EXPECT_NE(error_text(with(hull_text, "0.457, ", "")).find("hull.yaml:5: shape.box"), std::string::npos);
  EXPECT_NE(
      error_text(with(hull_text, "[0.457, 0.575, 0.254]", "[0.457, -0.575, 0.254]")).find("must be positive"),
      std::string::npos);
  EXPECT_NE(error_text(with(hull_text, "13.5", "-13.5")).find("hull.yaml:4: mass"), std::string::npos);
  EXPECT_NE(error_text(with(hull_text, "13.5", "1350")).find("but the shape holds 0.0667"), std::string::npos);
  EXPECT_EQ(error_text(with(hull_text, "[0.457, 0.575, 0.254]", "[457, 575, 254]")),
            "hull.yaml:5: shape holds 6.674e+07 m^3, but the vehicle displaces 0.0135 m^3 alone (millimetres? "
            "Fathom wants m)");
  EXPECT_NE(error_text(with(hull_text, "transient: lag", "transient: log")).find("did you mean lag?"),
            std::string::npos);
  EXPECT_NE(error_text(with(hull_text, "fathom-hull-1", "fathom-robot-1")).find("is a robot file already"),
            std::string::npos);
  EXPECT_NE(error_text(with(hull_text, "shape: {box: [0.457, 0.575, 0.254]}",
                            "shape: {box: [1, 1, 1], cylinder: {length: 1, diameter: 1}}"))
                .find("names 2 shapes"),
            std::string::npos);
}

}  // namespace
}  // namespace fathom::model::geometric_prior_test
