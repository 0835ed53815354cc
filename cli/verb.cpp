#include "cli/verb.hpp"

#include <charconv>
#include <cstdio>

#include <fmt/format.h>

#include "cli/ranks.hpp"

namespace fathom::cli {

/// Bytes that are not UTF-8 (a file name may have them) are replaced: JSON has no others.
std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void complain(const std::string& line) { std::fputs((line + "\n").c_str(), stderr); }

int& exit_status() {
  static int status = Status::done;
  return status;
}

Verb::Verb(CLI::App& program, const std::string& name, const std::string& what, const std::string& example,
           Takes takes)
    : app_(program.add_subcommand(name, what)), on_all_ranks_(takes.ranks) {
  app_->footer("Example:\n  " + example);
  app_->add_flag("--json", common_->json, "Print the summary as JSON, and nothing else, on standard output");
  if (takes.out) app_->add_option("--out", common_->out, "Folder for the results (default out/<verb>-<name>)");
  if (takes.seed)
    app_->add_option("--seed", common_->seed, "Seed of all random draws")
        ->capture_default_str()
        ->check(CLI::Validator(
            [](const std::string& text) -> std::string {
              std::uint64_t seed = 0;  // CLI11 itself would wrap -1 round and read 010 as eight
              const char* const end = text.data() + text.size();
              const auto [stop, status] = std::from_chars(text.data(), end, seed);
              const bool leading_zero = text.size() > 1 && text.front() == '0';
              return status == std::errc() && stop == end && !leading_zero
                         ? ""
                         : "'" + text + "' is no seed, expected a whole number from 0 to 18446744073709551615";
            },
            ""));
  if (takes.threads)
    app_->add_option("--threads", common_->threads,
                     "Threads (default all cores); the numbers do not depend on it")
        ->check(CLI::NonNegativeNumber);
}

void Verb::runs(std::function<int()> action) {
  const bool here = on_all_ranks_ || is_first_rank();
  app_->callback([here, action = std::move(action)] { exit_status() = here ? action() : Status::done; });
}

std::filesystem::path Verb::out_folder(const std::string& name) const {
  if (!common_->out.empty()) return common_->out;
  return std::filesystem::path("out") / (app_->get_name() + (name.empty() ? "" : "-" + name));
}

void Verb::print(const nlohmann::ordered_json& summary, const std::string& text) const {
  const std::string out = common_->json ? to_text(summary) : text;
  std::fwrite(out.data(), 1, out.size(), stdout);
}

}  // namespace fathom::cli
