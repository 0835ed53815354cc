#pragma once
#include <span>
#include <string_view>

namespace fathom::report::internal {

/// The script, the style and the licences of what they contain, in parts; web/bundle.mjs makes them.
std::span<const std::string_view> bundle_script();
std::span<const std::string_view> bundle_style();
std::span<const std::string_view> bundle_licences();

/// The only script that the page's own security policy lets run.
std::string_view bundle_script_hash();

}  // namespace fathom::report::internal
