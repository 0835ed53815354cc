#include "cli/run_task.hpp"

#include <memory>

#include "cli/shipped.hpp"
#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/progress.hpp"

namespace fathom::cli {
namespace {

struct FlagAdder {
  CLI::App& app;
  const task::Option& option;

  template <class T>
  CLI::Option* add(T& value) const {
    CLI::Option* added = app.add_option(option.flag(), value, option.doc);
    added->option_text(option.form + (option.required ? " REQUIRED" : ""))->required(option.required);
    return added;
  }
  void number(CLI::Option* added) const {
    const bool is_above_zero = option.noun == "duration" || option.noun == "interval";
    added->check(option.noun == "density" ? is_density()
                 : is_above_zero          ? is_time(option.noun)
                                          : is_number(option.noun));
  }

  void operator()(bool* value) const { app.add_flag(option.flag(), *value, option.doc); }
  void operator()(std::string* value) const {
    CLI::Option* added = add(*value);
    if (!option.words.empty()) added->check(is_word(option.words));
  }
  void operator()(double* value) const { number(add(*value)); }
  void operator()(std::optional<double>* value) const { number(add(*value)); }
  void operator()(std::vector<double>* value) const { number(add(*value)->expected(2)); }
  void operator()(int* value) const { whole(add(*value)); }
  void operator()(std::optional<int>* value) const { whole(add(*value)); }
  void operator()(std::uint64_t* value) const { whole(add(*value)); }
  void whole(CLI::Option* added) const { added->check(is_whole(option.noun, option.least, option.most)); }
  void operator()(std::vector<std::string>* value) const {
    CLI::Option* added = add(*value);
    added->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (option.form.ends_with(",...")) added->delimiter(',');
  }
};

}  // namespace

void add_flags(CLI::App& app, const task::OptionList& options) {
  for (const task::Option& option : options) std::visit(FlagAdder{app, option}, option.value);
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
  context.warn = [](const Finding& finding) {
    warn(fmt::format("fathom: {}: {}", to_string(finding.severity), finding.text()));
  };
  context.stop = is_to_stop;
  context.threads = common.threads;
  return context;
}

}  // namespace fathom::cli
