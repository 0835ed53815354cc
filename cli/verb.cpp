#include "cli/verb.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "fathom/base/text.hpp"

#include "cli/ranks.hpp"

namespace fathom::cli {
namespace {

constexpr std::uint64_t most_threads = 4096;

/// The number that the whole text is.
template <class Number>
std::optional<Number> read_all(const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  return status == std::errc() && stop == end ? std::optional(value) : std::nullopt;
}

}  // namespace

CLI::Validator is_whole(const std::string& what, std::uint64_t least, std::uint64_t most) {
  return {[=](const std::string& text) -> std::string {
            const auto value = read_all<std::uint64_t>(text);
            const bool leading_zero = text.size() > 1 && text.front() == '0';
            if (value && !leading_zero && *value >= least && *value <= most) return "";
            return fmt::format("'{}' is no {}, expected a whole number from {} to {}", text, what, least, most);
          },
          ""};
}

CLI::Validator is_word(const std::vector<std::string>& words) {
  return {[=](const std::string& text) -> std::string {
            if (std::find(words.begin(), words.end(), text) != words.end()) return "";
            const std::string nearest =
                nearest_word(text, std::vector<std::string_view>(words.begin(), words.end()));
            return fmt::format("{}, expected one of {}{}", in_quotes(text), join(words, ", "),
                               nearest.empty() ? "" : fmt::format(" (did you mean {}?)", nearest));
          },
          ""};
}

/// Bytes that are not UTF-8 (a file name may have them) are replaced: JSON has no others.
std::string to_text(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void warn(const std::string& line) {
  std::fflush(stdout);  // so that both in one file stand in order
  std::fputs((line + "\n").c_str(), stderr);
}

int& exit_status() {
  static int status = Status::done;
  return status;
}

Verb::Verb(CLI::App& program, const std::string& name, const std::string& what, const std::string& example,
           Takes takes)
    : app_(program.add_subcommand(name, what)), on_all_ranks_(takes.ranks) {
  app_->group("Verbs");
  app_->footer("Example:\n  " + example);
  app_->add_flag("--json", common_->json, "Print the summary as JSON, and nothing else, on standard output");
  if (takes.out)
    app_->add_option("--out", common_->out,
                     fmt::format("Folder for the results (default {})", takes.out_folder))
        ->option_text("DIR");
  if (takes.seed)
    app_->add_option("--seed", common_->seed, "Seed of all random draws")
        ->option_text("INT=1")
        ->check(is_whole("seed", 0, std::numeric_limits<std::uint64_t>::max()));
  if (takes.threads)
    app_->add_option("--threads", common_->threads,
                     "Threads (default all cores); results are the same for any number")
        ->option_text("INT")
        ->check(is_whole("number of threads", 1, most_threads));
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
  print(to_text(summary), text);
}

void Verb::print(const std::string& json, const std::string& text) const {
  const std::string& out = common_->json ? json : text;
  std::fwrite(out.data(), 1, out.size(), stdout);
}

}  // namespace fathom::cli
