#pragma once
#include <string>
#include <vector>

#include "fathom/fields/codec.hpp"
#include "fathom/fields/flags.hpp"
#include "fathom/task/logs.hpp"
#include "fathom/task/options.hpp"

// A task declares its options once, as a table in its .cpp: flags, their help and checks, and the command in a
// summary follow from it.
namespace fathom::task::internal {

/// Returns the command that asks for `options` again: those that are required or differ from the defaults.
std::string command_of(const std::string& verb, const std::vector<fields::Flag>& flags, const void* options);
template <class Options>
std::string command_of(const std::string& verb, const Options& options) {
  return command_of(verb, fields::flags<Options>(), &options);
}

/// Adds unit and range of a water's density to its key.
fields::Key water_density(fields::Key key);

}  // namespace fathom::task::internal

namespace fathom::fields {
template <>
const Keys& Table<task::LogOptions>::fields();
}  // namespace fathom::fields
