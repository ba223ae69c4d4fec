#include "cli/dump_content.hpp"

#include <limits>
#include <utility>

namespace hipotool::test {

namespace {

constexpr BankKey kParticle{300, 1};
constexpr BankKey kAll{400, 1};
constexpr BankKey kArrays{400, 2};
constexpr BankKey kZero{500, 3};
constexpr BankKey kRagged{500, 9};
constexpr BankKey kNames{600, 1};
constexpr BankKey kText{610, 1};
constexpr BankKey kComposite{700, 5};
constexpr BankKey kNoSchemaComposite{701, 6};
constexpr BankKey kUnknown{900, 7};
constexpr BankKey kConfig{10000, 11};

template <typename T>
using Limits = std::numeric_limits<T>;

StructureImage config(std::int32_t run, std::int32_t event, std::int64_t trigger) {
  return {kConfig, packed(run, event, trigger)};
}

StructureImage limits_of_all_types() {
  return {kAll, joined({packed(Limits<std::int8_t>::min(), Limits<std::int8_t>::max()),
                        packed(Limits<std::int16_t>::min(), Limits<std::int16_t>::max()),
                        packed(Limits<std::int32_t>::min(), Limits<std::int32_t>::max()),
                        packed(Limits<std::int64_t>::min(), Limits<std::int64_t>::max()),
                        packed(Limits<float>::lowest(), Limits<float>::denorm_min()),
                        packed(Limits<double>::max(), 1e-300)})};
}

StructureImage rare_numbers() {
  return {kAll, joined({packed(std::int8_t{-1}), packed(std::int16_t{-1}), packed(-1),
                        packed((std::int64_t{1} << 53) + 1), packed(-0.0F),
                        packed(-Limits<double>::infinity())})};
}

StructureImage arrays() {
  return {kArrays,
          joined({packed_as<std::int8_t>({1, -2}), packed_as<std::int8_t>({3, 4}),
                  packed_as<std::int16_t>({10, 20, -30}), packed_as<std::int16_t>({40, 50, 60}),
                  packed_as<std::int64_t>({1LL << 60, 0}), packed_as<std::int64_t>({-1, 7}),
                  packed(0.1F, 2.0F), packed(Limits<float>::quiet_NaN(), -0.5F), packed(0.1),
                  packed(1e22), packed_as<std::int16_t>({0, 1})})};
}

Bytes bytes_counting_to(int end) {
  Bytes bytes;
  for (int i = 0; i < end; ++i) {
    bytes.push_back(static_cast<std::byte>(i));
  }
  return bytes;
}

std::vector<EventImage> content_events() {
  const float nan = Limits<float>::quiet_NaN();
  const Bytes three_particles =
      joined({packed(11, -211, 22), packed(0.1F, -1.5e-7F, nan), packed(-323.5, 1.0 / 3, 0.0),
              packed_as<std::int8_t>({-1, 1, 0}), packed_as<std::int16_t>({-3407, 2, 30})});
  const Bytes one_particle = joined({packed(211), packed(2.0F), packed(1e100),
                                     packed(std::int8_t{1}), packed(std::int16_t{2000})});
  const Bytes composite = joined({text_bytes(std::string_view("if\0\0", 4)), packed(2, 0.5F),
                                  packed(-7, Limits<float>::infinity())});
  return {
      {.banks = {{kParticle, three_particles},
                 limits_of_all_types(),
                 {kText, text_bytes("a text\nof two lines"), 6},
                 config(5038, 1000, 0x2a)}},
      {.banks = {{kParticle, {}}, arrays(), {kComposite, composite, 10, 4}}},
      {.tag = 1, .banks = {{kUnknown, bytes_counting_to(70), 1}, config(5038, 1001, 0)}},
      {.tag = 4},
      {.banks = {{kParticle, one_particle}, rare_numbers(), {kZero, {}}}},
      {.banks = {{kRagged, bytes_counting_to(7), 3},
                 {kNoSchemaComposite,
                  joined({text_bytes("b,l"), packed(std::int8_t{-3}), packed(std::int64_t{300})}),
                  10, 3}}},
      {.banks = {{kRagged, packed(1, 2, 3), 3}}},
      {.tag = 0x80000006, .banks = {{kParticle, one_particle}, {kNames, packed(1.5F, 2.5F)}}},
      {.tag = 1, .banks = {config(5038, 1002, 1)}},
      {.tag = 1, .banks = {config(5038, 1003, (std::int64_t{1} << 53) + 1)}},
  };
}

std::vector<std::vector<Bytes>> content_records() {
  const std::vector<Bytes> all = images(content_events());
  return {{all.begin(), all.begin() + 4},
          {all.begin() + 4, all.begin() + 8},
          {all.begin() + 8, all.end()}};
}

RecordOptions options_of(std::size_t record) {
  return {.words = {record == 2 ? 1U : 0U, 5038}, .number = static_cast<std::uint32_t>(record + 1)};
}

FileImage without_records() {
  FileImage file;
  file.schemas = {"{REC::Particle/300/1}{pid/I,px/F,vt/D,charge/B,status/S}",
                  "{Test::All/400/1}{b/B,s/S,i/I,l/L,f/F,d/D}",
                  "{Test::Arrays/400/2}{ab/B#2,as/S#3,al/L#2,af/F#2,ad/D,n/S}",
                  "{Zero::Rows/500/3}{x/I}",
                  "{Never::Present/500/4}{x/I,y/F}",
                  "{Ragged::Bank/500/9}{a/I,b/S}",
                  "{Größe/600/1}{größe/F}",
                  "{C::pad4/700/5}{f0/I,f1/F}",
                  "{RUN::config/10000/11}{run/I,event/I,trigger/L}"};
  const TagName tag_names[] = {{"scaler", 0}, {"one electron", 2}, {"last_bit", 31}};
  file.dictionary = {tag_names_event(tag_names), configuration_event({"generator", "by hand"}),
                     configuration_event({"run", "{\"run\": 5038,\n \"beam\": \"10.6 | GeV\"}"})};
  return file;
}

}  // namespace

FileImage dump_content() {
  FileImage file = without_records();
  const auto records = content_records();
  for (std::size_t i = 0; i < records.size(); ++i) {
    file.records.push_back(whole_record(records[i], options_of(i)));
  }
  return file;
}

FileImage big_endian_dump_content() {
  FileImage file = without_records();
  const Dictionary dictionary = dictionary_of(file.schemas);
  const auto records = content_records();
  for (std::size_t i = 0; i < records.size(); ++i) {
    file.records.push_back(big_endian_record(records[i], dictionary, options_of(i)));
  }
  return file;
}

void write_as(const FileImage& content, const Compression& compression,
              const std::filesystem::path& target) {
  RewriteOptions options;
  options.compression = compression;
  // Records stay apart, so that all layouts have the same.
  options.record_events = 4;
  recook(open_bytes(content.bytes()), target, options);
}

}  // namespace hipotool::test
