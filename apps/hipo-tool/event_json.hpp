#pragma once
// An event as one line of JSON (docs/cli.md, `dump`; docs/schema/dump.json).

#include "hipotool/record.hpp"

#include <cstdint>
#include <string>

namespace hipotool::app {

// How 64-bit integers are written: some readers of JSON round numbers above 2^53.
enum class Int64Form : std::uint8_t { number, string };

// Appends one object and a line feed. `number` is the event's number in its file. `cursor` stands
// on an event of a record that was decoded with all banks.
void append_event_json(std::string& out, std::uint64_t number, const EventCursor& cursor,
                       Int64Form form);

}  // namespace hipotool::app
