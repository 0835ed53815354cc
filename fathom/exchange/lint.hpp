#pragma once
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fathom/base/error.hpp"
#include "fathom/exchange/import.hpp"
#include "fathom/model/environment.hpp"
#include "fathom/model/robot.hpp"

namespace fathom::exchange {

/// Who is to swim the model: some faults are faults of one simulator alone.
enum class Target { fathom, gz_sim, uuv_simulator, stonefish };

inline constexpr std::array<std::string_view, 4> target_names = {"fathom", "gz-sim", "uuv-simulator",
                                                                 "stonefish"};
std::string_view name_of(Target target);
/// By its name. Throws InputError with the names that there are.
Target target_from(const std::string& name);
/// The simulator that reads files of this format; Fathom for those that none reads by itself.
Target target_of(Format format);

/// What a rule looks for, and why that matters; docs/lint.md has a row for each.
struct LintRule {
  std::string_view name, what, why;
};
const std::vector<LintRule>& lint_rules();
bool is_rule(std::string_view name);

/// A finding with the rule that made it. Its message says what was got, what was expected and why it matters;
/// its hint is the remedy.
struct LintFinding : Finding {
  std::string rule;
  std::string tag;  ///< as another simulator's file names the number: xDotU
};
using LintFindings = std::vector<LintFinding>;

struct LintOptions {
  Target target = Target::fathom;
  model::Environment environment{};
  std::map<std::string, Place> places{};  ///< by key, as Imported has them; may be empty
  std::optional<Mat6X> allocation_b{};    ///< tau_b = B f as a file states it beside the poses
};

/// What is wrong with the physics of a model, or odd enough to ask about, for one target. The robot need not be
/// checked: any numbers will do, also NaN. Keys are those of the robot file. docs/lint.md.
LintFindings lint_model(const model::RobotSpec& spec, const LintOptions& options = {});

/// Each number that the size of the hull lets guess, as a share of that guess: what the rules of scale look at.
struct SizeRatio {
  std::string key;
  double value = 0, guess = 0;
  double least = 0, most = 0;  ///< of value / guess, for vehicles that are right
};
std::vector<SizeRatio> size_ratios(const model::RobotSpec& spec,
                                   const model::Environment& environment = model::Environment());

/// The format of Fathom's own files.
inline constexpr std::string_view robot_format = "fathom-robot-1";

/// What lint finds in a file: a robot file (*.yaml), or a model of another simulator.
struct LintedFile {
  std::string file;
  bool reads = false;  ///< a model stands in it, whatever it is worth
  bool loads = false;  ///< Fathom takes it as a robot
  std::string format;  ///< fathom-robot-1, or a name of `formats`
  Target target = Target::fathom;
  LintFindings findings;
};
struct LintFileOptions {
  std::optional<Target> target{};   ///< absent: the simulator that the file is written for
  std::optional<double> density{};  ///< kg/m^3; absent: what the file says, else fresh water
};
/// Does not throw for what the file holds, nor for a file that is not there.
LintedFile lint_file(const std::filesystem::path& path, const LintFileOptions& options = {});

}  // namespace fathom::exchange
