#pragma once
#include <string>
#include <vector>

#include "fathom/fields/key.hpp"

namespace fathom::fields {

/// A command-line flag, or an argument by position, of an options struct, as its table declares it.
struct Flag {
  std::string name;                       ///< --max-delay; max-delay where it is positional
  std::vector<std::string> aliases = {};  ///< other spellings
  std::string placeholder;                ///< SECONDS; empty for a switch
  std::string help;                       ///< Largest command delay to consider [s] (default: 0.4)
  bool is_switch = false;                 ///< takes no argument
  bool is_list = false;                   ///< may be given several times
  bool is_required = false;
  bool is_positional = false;
  int count = 1;  ///< arguments each time that it is given
  const Key* key = nullptr;
  const void* fresh = nullptr;               ///< the struct of the key with its defaults
  std::vector<void* (*)(void*)> parts = {};  ///< from the options to the struct of the key

  /// Sets the member from the arguments through the key's codec; a switch takes "true". Throws InputError.
  void set(void* object, const std::vector<std::string>& arguments) const;
  /// Returns the arguments that give the member its value; nothing where it has its default.
  std::vector<std::string> arguments(const void* object) const;
};

/// The flags of a table, in its order. Keys of nested maps have none.
std::vector<Flag> flags(const Keys& keys, const void* fresh);
template <class T>
std::vector<Flag> flags() {
  return flags(Table<T>::fields(), &fresh<T>());
}

/// Throws InputError that names the flags whose values in `object` they do not take; writes to `scratch`.
void check_values(const std::vector<Flag>& flags, const void* object, void* scratch);
template <class T>
void check_values(const T& options) {
  T scratch = options;
  check_values(flags<T>(), &options, &scratch);
}

}  // namespace fathom::fields
