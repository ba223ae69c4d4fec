#include "hipotool/reader.hpp"

#include <cstdio>

int main(int, char** words) {
  const hipotool::FileReader reader(words[1]);
  hipotool::CodecContext context;
  hipotool::Record record;
  std::size_t banks = 0;
  for (std::size_t i = 0; i < reader.records().size(); ++i) {
    reader.read_record(i, hipotool::Projection::everything(), context, record);
    for (const hipotool::BankBlock& block : record.blocks()) {
      banks += block.occurrences.size();
    }
  }
  std::printf("%ju events, %zu banks\n", std::uintmax_t{reader.event_count()}, banks);
}
