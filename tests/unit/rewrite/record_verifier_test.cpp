#include "rewrite/record_verifier.hpp"

#include "support/error_of.hpp"
#include "support/library.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace hipotool::test {
namespace {

// Three banks of 600,000 bytes each, more than are decoded at a time.
std::vector<EventImage> many_events() {
  std::vector<EventImage> events;
  for (std::uint32_t i = 0; i < 300; ++i) {
    const auto fill = static_cast<std::byte>(i * 7);
    events.push_back({i,
                      {{{1, 1}, Bytes(std::size_t{5} * 400, fill)},
                       {{1, 2}, Bytes(std::size_t{4} * 500, fill)},
                       {{3, 3}, Bytes(2000, fill), 6}}});
  }
  return events;
}

class RecordVerifier : public testing::TestWithParam<LayoutId> {
 protected:
  // What the verifier says when these events are stored where many_events() should be.
  [[nodiscard]] std::string verdict_on(const std::vector<EventImage>& stored) const {
    const auto source = decoded(whole_record(images(many_events())), dictionary_);
    const Bytes record =
        stored_record(images(stored), compression_of(CodecId::lz4, GetParam()), dictionary_);
    rewriting::RecordVerifier verifier;
    CodecContext context;
    return error_of([&] {
      verifier.require_holds(StoredRecord::borrow(record), batch_of({source}), dictionary_,
                             context);
    });
  }

 private:
  Dictionary dictionary_ = dictionary_of({"{a/1/1}{n/I,b/B}", "{o/1/2}{n/I}"});
};

TEST_P(RecordVerifier, AcceptsTheEventsThatItWasMadeFrom) {
  EXPECT_EQ(verdict_on(many_events()), "no error");
}

TEST_P(RecordVerifier, FindsAWrongByteInAnyBank) {
  for (std::size_t bank = 0; bank < 3; ++bank) {
    auto events = many_events();
    events[250].banks[bank].data.back() ^= std::byte{1};
    const std::string verdict = verdict_on(events);
    EXPECT_TRUE(verdict.starts_with("corrupt: ")) << verdict;
    EXPECT_NE(verdict.find("verification"), std::string::npos) << verdict;
  }
}

TEST_P(RecordVerifier, FindsAMissingBankAndOneTooMany) {
  for (std::size_t bank = 0; bank < 3; ++bank) {
    auto events = many_events();
    events[3].banks.erase(events[3].banks.begin() + static_cast<std::ptrdiff_t>(bank));
    EXPECT_NE(verdict_on(events).find("event 3"), std::string::npos) << verdict_on(events);
    for (EventImage& event : events) {
      std::erase_if(event.banks,
                    [&](const auto& each) { return each.key == many_events()[0].banks[bank].key; });
    }
    EXPECT_TRUE(verdict_on(events).starts_with("corrupt: ")) << verdict_on(events);
  }
  auto events = many_events();
  events[7].banks.push_back({{4, 4}, text_bytes("more"), 6});
  EXPECT_NE(verdict_on(events).find("event 7"), std::string::npos) << verdict_on(events);
}

TEST_P(RecordVerifier, FindsAnotherTagAndAnotherNumberOfEvents) {
  auto events = many_events();
  events[299].tag = 1;
  EXPECT_NE(verdict_on(events).find("event tag"), std::string::npos) << verdict_on(events);
  events = many_events();
  events.pop_back();
  EXPECT_NE(verdict_on(events).find("299 events where 300"), std::string::npos)
      << verdict_on(events);
}

INSTANTIATE_TEST_SUITE_P(Layouts, RecordVerifier, testing::ValuesIn(kLayouts),
                         [](const auto& layout) {
                           std::string name(to_string(layout.param));
                           name[3] = '_';
                           return name;
                         });

}  // namespace
}  // namespace hipotool::test
