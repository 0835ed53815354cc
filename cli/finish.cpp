#include "cli/finish.hpp"

#include <fmt/format.h>

namespace fathom::cli {

void finish(const Verb& verb, nlohmann::ordered_json summary, const std::vector<std::string>& files,
            const std::string& text, OutputFolder& out) {
  std::string written;
  for (const std::string& name : files) {
    const std::string path = (out.target() / name).string();
    summary["files"].push_back(path);
    written += fmt::format("written: {}\n", path);
  }
  out.write("summary.json", to_text(summary));
  out.commit();
  verb.print(summary, text + written);
}

}  // namespace fathom::cli
