#include "cli/run_task.hpp"

#include <memory>

#include "cli/shipped.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/terminal/warnings.hpp"

namespace fathom::cli {

void add_flags(CLI::App& app, const std::vector<fields::Flag>& flags, void* options) {
  for (const fields::Flag& flag : flags) {
    std::string names = flag.name;
    for (const std::string& alias : flag.aliases) names += "," + alias;
    const auto set = [flag, options](const std::vector<std::string>& arguments) {
      flag.set(options, arguments);
      return true;
    };
    if (flag.is_switch) {
      app.add_flag_function(
          names, [set](std::int64_t count) { set({count > 0 ? "true" : "false"}); }, flag.help);
      continue;
    }
    CLI::Option* const option = app.add_option(names, CLI::callback_t(set), flag.help);
    option->option_text(flag.placeholder + (flag.is_required ? " REQUIRED" : ""))->required(flag.is_required);
    option->expected(flag.count);
    if (flag.is_list && flag.is_positional) option->expected(CLI::detail::expected_max_vector_size);
    if (flag.is_list) option->allow_extra_args()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }
}

task::Context context_of(const CommonOptions& common) {
  struct Bar {
    std::string doing;
    std::unique_ptr<Progress> drawn;
  };
  task::Context context;
  context.paths = search_paths();
  context.progress = [bar = std::make_shared<Bar>()](const std::string& doing, double share,
                                                     const std::string& news) {
    if (!bar->drawn || bar->doing != doing) {
      bar->drawn.reset();  // erases its line before the next one draws
      bar->drawn = std::make_unique<Progress>(doing);
      bar->doing = doing;
    }
    bar->drawn->at(share, news);
  };
  context.warn = [](const Finding& finding) { run_warnings().add(finding); };
  context.stop = is_to_stop;
  context.threads = common.threads;
  return context;
}

}  // namespace fathom::cli
