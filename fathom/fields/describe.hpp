#pragma once
#include <string>
#include <vector>

#include "fathom/fields/key.hpp"

// What follows from a schema: for people, for fuzzers and for tests.
namespace fathom::fields {

/// Adds the keywords with which a schema file begins, and the key `format` with its word where there is one.
Json schema_file(Json schema, std::string_view id, std::string_view title, std::string_view format = {});

/// Moves every schema that occurs more than once to `$defs`, so that the file stays small. It accepts the same.
Json with_definitions(const Json& schema);

/// Returns a Markdown table for each map of the schema: key, unit and range, default, meaning.
std::string reference_tables(const Json& schema);

/// Returns a libFuzzer dictionary: keys, words, constants and units of the schema.
std::string fuzz_dictionary(const Json& schema);

/// Returns the faults of the declarations behind a schema, each with its place: a key without documentation, a
/// default outside its own range.
std::vector<std::string> faults(const Json& schema);

}  // namespace fathom::fields
