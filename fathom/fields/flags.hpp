#pragma once
#include <string>
#include <vector>

#include "fathom/fields/key.hpp"

namespace fathom::fields {

/// A command-line flag of an options struct, as its table declares it.
struct Flag {
  std::string name;         ///< --max-delay
  std::string placeholder;  ///< SECONDS; empty for a switch
  std::string help;         ///< Largest command delay to consider [s] (default: 0.4)
  bool is_switch = false;   ///< takes no argument
  bool is_list = false;     ///< may be given several times
  const Key* key = nullptr;

  /// Sets the member from the argument through the key's codec; a switch takes "true". Throws InputError.
  void set(void* object, const std::string& argument) const;
  void set(void* object, const std::vector<std::string>& arguments) const;
};

/// The flags of a table, in its order. Keys of nested maps have none.
std::vector<Flag> flags(const Keys& keys, const void* fresh);
template <class T>
std::vector<Flag> flags() {
  return flags(Table<T>::fields(), &fresh<T>());
}

}  // namespace fathom::fields
