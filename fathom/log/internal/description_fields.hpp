#pragma once
#include "fathom/fields/yaml_values.hpp"
#include "fathom/log/description.hpp"

namespace fathom::log::internal {

/// The keys of a map in the order in which they stand there.
std::vector<std::string> keys_in_order(const yaml::Field& field);

/// A title, or a number where it has no quotes.
std::optional<ColumnName> read_column_name(const yaml::Field& field);

/// The parts of a channel; what is wrong is told, and the part left as it was.
void read_table(yaml::Map& map, TableOptions& table);
void read_clock(const yaml::Field& field, ClockDescription& clock);
void read_scalars(const yaml::Field& field, std::vector<ScalarColumn>& columns);
/// `frame` is n or b where axes say so.
void read_vectors(const yaml::Field& field, std::vector<VectorColumns>& vectors, std::string& frame);
/// Angles that nothing turns become plain columns.
void read_attitude(const yaml::Field& field, ChannelDescription& channel);

/// The rotation that brings vectors from these axes into ours: a word, three rows, or roll, pitch and yaw in
/// degrees. `frame`, if any, becomes that of a word.
std::optional<Mat3> read_axes(const yaml::Field& field, std::string* frame);

}  // namespace fathom::log::internal
