#pragma once
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace fathom::cli {

/// What the processes of a campaign tell each other. The program is the same everywhere, so numbers travel as
/// they lie in memory.
struct Frame {
  enum class Kind : std::int32_t {
    ready,    ///< from a worker: it does `number` jobs at a time
    begin,    ///< to a worker: job `number`
    stop,     ///< to a worker: jobs should end soon
    result,   ///< of job `number`
    failure,  ///< what job `number` threw
    skipped,  ///< job `number` had not begun when the campaign was stopped
    lost,     ///< from a worker's supervisor: it died; the payload says how
    end,      ///< to a supervisor: the campaign is over; `number` is 1 if it was interrupted
    leave,    ///< to a supervisor: there will be no other campaign
  };
  Kind kind = Kind::ready;
  std::int32_t number = 0;
  std::string payload = {};
  std::int32_t campaign = 0;  ///< of those that a crew has done; what belongs to one that is over is dropped
};

std::string to_bytes(const Frame& frame);

/// Puts frames together again from the pieces in which a stream delivers them.
class FrameStream {
 public:
  void append(const char* bytes, std::size_t count) { bytes_.append(bytes, count); }
  std::optional<Frame> next();

 private:
  std::string bytes_;
};

std::string pack(const std::vector<double>& numbers);
std::vector<double> unpack_numbers(const std::string& payload);

/// An exception that goes to another process: InputError stays one, with its findings; any other arrives as a
/// std::runtime_error with the same text.
std::string pack(const std::exception_ptr& error);
std::exception_ptr unpack_error(const std::string& payload);

}  // namespace fathom::cli
