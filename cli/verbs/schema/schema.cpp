#include "fathom/model_file/schema.hpp"

#include <fmt/format.h>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/any_problem.hpp"
#include "fathom/identify/tank/tank_campaign.hpp"
#include "fathom/log/description.hpp"
#include "fathom/loop/scenario.hpp"
#include "fathom/trajectory/trajectory_file.hpp"

#include "cli/verb.hpp"

namespace fathom::cli {
namespace {

/// The formats whose schema the program prints. Each module states its own.
struct Format {
  std::string_view word;
  fields::Json (*schema)();
};
constexpr Format formats[] = {
    {"robot", model::robot_schema},           {"arm", model::arm_schema},
    {"assembly", assembly::assembly_schema},  {"hull", model::hull_schema},
    {"scenario", loop::scenario_schema},      {"problem", excite::problem_schema},
    {"description", log::description_schema}, {"trajectory", trajectory::trajectory_schema},
    {"towing", identify::towing_schema},      {"decay", identify::decay_schema},
};

std::vector<std::string> format_words() {
  std::vector<std::string> words;
  for (const Format& format : formats) words.emplace_back(format.word);
  return words;
}

int print_schema(const Verb& verb, const std::string& word) {
  for (const Format& format : formats)
    if (format.word == word) {
      const fields::Json schema = format.schema();
      verb.print(schema, to_text(schema));
    }
  return Status::done;
}

}  // namespace

void add_schema(CLI::App& program) {
  auto verb = std::make_shared<Verb>(program, "schema",
                                     "Prints the JSON schema of a file format, for editors and tests",
                                     "fathom schema robot > robot.schema.json", Takes{});
  auto word = std::make_shared<std::string>();
  verb->app()
      .add_option("FORMAT", *word, "Format: " + join(format_words(), ", "))
      ->required()
      ->check(is_word(format_words()))
      ->option_text("FORMAT REQUIRED");
  verb->runs([verb, word] { return print_schema(*verb, *word); });
}

}  // namespace fathom::cli
