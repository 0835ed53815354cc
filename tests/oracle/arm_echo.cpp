// fathom_arm_echo FILE ...: arms as the library reads them, as JSON for tests/oracle/check_arm_file.py.
#include <cmath>
#include <cstdio>

#include <nlohmann/json.hpp>

#include "fathom/base/error.hpp"
#include "fathom/model/arm.hpp"
#include "fathom/model_file/arm_file.hpp"

#include "tests/oracle/matrix_json.hpp"

namespace {

using namespace fathom;
using Json = nlohmann::ordered_json;
using test::list_of;
using test::rows_of;

Json finite(double x) { return std::isfinite(x) ? Json(x) : Json(); }

Json joint_json(const model::Joint& joint, const model::Link& link) {
  const model::Hull& body = link.body;
  return {{"name", joint.name},
          {"parent", joint.parent ? Json(*joint.parent) : Json()},
          {"slides", joint.kind == model::Joint::Kind::prismatic},
          {"position", list_of(joint.zero.p_pc_p)},
          {"rotation", rows_of(joint.zero.q_pc.toRotationMatrix())},
          {"axis", list_of(joint.axis)},
          {"min", finite(joint.limits.min)},
          {"max", finite(joint.limits.max)},
          {"effort", finite(joint.limits.effort)},
          {"viscous", joint.friction.viscous.value},
          {"coulomb", joint.friction.coulomb_forward.value},
          {"link", link.name},
          {"mass", body.mass.value},
          {"centre", list_of(body.centre_of_mass.value)},
          {"inertia", rows_of(body.inertia.value)}};
}

}  // namespace

int main(int argc, char** argv) {
  Json arms = Json::array();
  for (int k = 1; k < argc; ++k) {
    try {
      const model::Arm arm = model::read_arm(argv[k]);
      Json joints = Json::array();
      for (std::size_t i = 0; i < arm.size(); ++i)
        joints.push_back(joint_json(arm.joints()[i], arm.links()[i]));
      arms.push_back({{"name", arm.name()}, {"joints", joints}, {"notes", arm.spec().notes_of_reading}});
    } catch (const InputError& error) {
      std::fprintf(stderr, "%s\n", error.what());
      return 2;
    }
  }
  std::printf("%s\n", arms.dump().c_str());
}
