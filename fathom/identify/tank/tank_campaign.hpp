#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fields/key.hpp"
#include "fathom/identify/tank/free_decay.hpp"
#include "fathom/identify/tank/load_cell.hpp"
#include "fathom/identify/tank/towing.hpp"

namespace fathom::identify {

/// A column of the runs' tables: a value x in it is factor * x in SI.
struct TankColumn {
  std::string name;
  double factor = 1;
  std::optional<std::string> unit = {};  ///< as the file names it; else SI
};

/// One table of numbers over time.
struct TankRun {
  std::string name;                  ///< for people; that of the file without its end, where none is said
  std::filesystem::path file;        ///< seen from the campaign's
  std::optional<double> speed = {};  ///< m/s or rad/s, signed: needed where no column has it
  std::optional<double> from = {}, until = {};  ///< s, on the table's clock: what counts of it
};

/// Towing along, or turning about, one axis of the body (docs/tank-tests.md).
struct TowingCampaign {
  std::string file, name;
  int axis = 0;  ///< of [u v w p q r]
  TankColumn time;
  std::optional<TankColumn> speed = {};
  std::vector<LoadCell> cells;
  std::vector<TankColumn> cell_columns;    ///< as many
  std::optional<DragLaw> bracket = {};     ///< where its law is given
  std::vector<TankRun> bracket_runs = {};  ///< where it was towed alone
  std::vector<TankRun> runs;
  std::vector<int> suppose = {};  ///< axes not tested, whose drag follows from added masses
};

/// Turned about one axis and let go.
struct DecayCampaign {
  std::string file, name;
  int axis = 3;
  TankColumn time, angle;
  std::optional<KnownOfDecay> known = {};
  std::vector<TankRun> runs;
};

/// Read and check campaign files. Throw InputError that lists everything wrong, with lines. Of text, `file` is
/// what messages call it, and the folder from which runs are seen.
TowingCampaign read_towing_campaign(const std::filesystem::path& path);
TowingCampaign parse_towing_campaign(const std::string& text, const std::string& file);
DecayCampaign read_decay_campaign(const std::filesystem::path& path);
DecayCampaign parse_decay_campaign(const std::string& text, const std::string& file);

/// Return the JSON schemas of campaign files.
fields::Json towing_schema();
fields::Json decay_schema();

}  // namespace fathom::identify
