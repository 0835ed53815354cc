#pragma once
#include "fathom/task/output_folder.hpp"

#include "cli/terminal/interrupt.hpp"
#include "cli/terminal/warnings.hpp"

namespace fathom::cli {

using task::check_not_read;

/// A folder of results of this program: an interrupt leaves nothing of it behind.
struct OutputFolder : task::OutputFolder {
  OutputFolder(std::filesystem::path target, const Run& run)
      : task::OutputFolder(std::move(target), run,
                           {is_to_stop, clean_up_before_exit, {}, remove_at_exit, [](const Finding& finding) {
                              run_warnings().add(finding);
                            }}) {}
};

}  // namespace fathom::cli
