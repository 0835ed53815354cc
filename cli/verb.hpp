#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "fathom/base/error.hpp"
#include "fathom/task/options.hpp"

namespace fathom::cli {

/// Exit status; the same for every verb.
enum Status : int {
  done = 0,          ///< done, and its checks hold
  check_failed = 1,  ///< done, but a check failed
  bad_input = 2,     ///< bad usage or input; nothing was written
  internal_error = 3,
  interrupted = 130,
};

/// What every verb can be told.
struct CommonOptions {
  bool json = false;
  std::filesystem::path out;  ///< empty: out/<verb>-<name>
  std::uint64_t seed = 1;
  int threads = 0;  ///< 0: all cores
};

/// Which of the common options a verb takes: a verb that writes nothing has no --out, one that draws nothing no
/// --seed, so that --help never promises what does nothing.
struct Takes {
  bool out = false, seed = false, threads = false;
  const char* out_folder = "out/VERB-NAME";  ///< where results go by default, for people
  bool ranks = false;  ///< works with all ranks of an MPI launch; any other verb runs on the first alone
};

/// One verb: a file of its own in cli/ that adds itself to the program.
class Verb {
 public:
  Verb(CLI::App& program, const std::string& name, const std::string& what, const std::string& example,
       Takes takes);

  CLI::App& app() { return *app_; }
  std::string name() const { return app_->get_name(); }
  const CommonOptions& common() const { return *common_; }
  /// What the verb does once its options are read. Its return value is the exit status.
  void runs(std::function<int()> action);

  /// Where results go: --out, or out/<verb>-<name>.
  std::filesystem::path out_folder(const std::string& name) const;
  /// Ends the verb: with --json prints `summary`, and nothing else, on standard output.
  void print(const nlohmann::ordered_json& summary, const std::string& text) const;
  void print(const std::string& json, const std::string& text) const;

 private:
  CLI::App* app_;
  bool on_all_ranks_;
  std::shared_ptr<CommonOptions> common_ = std::make_shared<CommonOptions>();
};

/// Checks of an option's text before CLI11 reads it: that would wrap -1 round, read 010 as eight and take an
/// empty text for none. `what` as in "'x' is no seed, expected a whole number from 0 to 9".
CLI::Validator is_whole(const std::string& what, std::uint64_t least, std::uint64_t most);
/// One of the words, with the nearest for another.
CLI::Validator is_word(const std::vector<std::string>& words);

/// JSON as it is printed and written.
std::string to_text(const nlohmann::ordered_json& json);

using task::shell_word;

/// Writes a line on standard error; unlike fmt::print it does not throw where that is closed or full.
void warn(const std::string& line);

/// The status that the chosen verb returned.
int& exit_status();

void add_models(CLI::App& program);
void add_lint(CLI::App& program);
void add_schema(CLI::App& program);
void add_demo(CLI::App& program);
void add_simulate(CLI::App& program);
void add_excite(CLI::App& program);
void add_identify(CLI::App& program);
void add_validate(CLI::App& program);
void add_convert(CLI::App& program);
void add_align(CLI::App& program);
void add_prior(CLI::App& program);
void add_assemble(CLI::App& program);
void add_export(CLI::App& program);
void add_reproduce(CLI::App& program);

}  // namespace fathom::cli
