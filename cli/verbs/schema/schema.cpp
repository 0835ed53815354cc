#include "fathom/model_file/schema.hpp"

#include <algorithm>

#include "fathom/assembly/assembly_file.hpp"
#include "fathom/base/text.hpp"
#include "fathom/excite/any_problem.hpp"
#include "fathom/fields/describe.hpp"
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

/// What the program prints of a schema.
struct Form {
  std::string_view word;
  std::string (*text)(const fields::Json&);
};
constexpr Form forms[] = {
    {"schema", [](const fields::Json& schema) { return to_text(fields::with_definitions(schema)); }},
    {"table", fields::reference_tables},
    {"dictionary", fields::fuzz_dictionary},
};

template <class Rows>
std::vector<std::string> words_of(const Rows& rows) {
  std::vector<std::string> words;
  for (const auto& row : rows) words.emplace_back(row.word);
  return words;
}

template <class Rows>
const auto& row_of(const Rows& rows, const std::string& word) {
  return *std::find_if(std::begin(rows), std::end(rows), [&](const auto& row) { return row.word == word; });
}

struct Asked {
  std::string format, form = "schema";
};

int print_schema(const Verb& verb, const Asked& asked) {
  const fields::Json schema = row_of(formats, asked.format).schema();
  verb.print(fields::with_definitions(schema), row_of(forms, asked.form).text(schema));
  return Status::done;
}

}  // namespace

void add_schema(CLI::App& program) {
  auto verb = std::make_shared<Verb>(program, "schema",
                                     "Prints the JSON schema of a file format, for editors and tests",
                                     "fathom schema robot > robot.schema.json", Takes{});
  auto asked = std::make_shared<Asked>();
  verb->app()
      .add_option("FORMAT", asked->format, "Format: " + join(words_of(formats), ", "))
      ->required()
      ->check(is_word(words_of(formats)))
      ->option_text("FORMAT REQUIRED");
  verb->app()
      .add_option("--as", asked->form,
                  "schema: JSON schema. table: Markdown tables of the keys. dictionary: words for libFuzzer")
      ->check(is_word(words_of(forms)))
      ->option_text("FORM [schema]");
  verb->runs([verb, asked] { return print_schema(*verb, *asked); });
}

}  // namespace fathom::cli
