#include "support/fixtures.hpp"

#include "hipotool/error.hpp"

#include <algorithm>
#include <utility>

namespace hipotool::test {

namespace {

constexpr BankKey kParticles{300, 1};
constexpr BankKey kCovariances{300, 2};
constexpr BankKey kComposite{310, 1};
constexpr BankKey kOpaque{320, 7};

// Rows of {pid/I,p/F,status/S,charge/B,time/D,id/L}.
Bytes particles(std::uint32_t event, std::uint32_t rows) {
  Bytes columns[6];
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::uint32_t i = 10 * event + row;
    append(columns[0], packed(static_cast<std::int32_t>(row == 0 ? 11 : 211 + row)));
    append(columns[1], packed(0.5F + 0.0625F * static_cast<float>(i)));
    append(columns[2], packed(static_cast<std::int16_t>(2000 + row)));
    append(columns[3], packed(static_cast<std::int8_t>(row % 2 == 0 ? -1 : 1)));
    append(columns[4], packed(100.0 + 0.25 * i));
    append(columns[5], packed(std::int64_t{1} << 40 | i));
  }
  return joined({columns[0], columns[1], columns[2], columns[3], columns[4], columns[5]});
}

// Rows of {cov/F#3,n/S}.
Bytes covariances(std::uint32_t rows) {
  Bytes cov;
  Bytes n;
  for (std::uint32_t row = 0; row < rows; ++row) {
    append(cov, packed(1.0F, 0.5F, 0.25F * static_cast<float>(row)));
    append(n, packed(static_cast<std::int16_t>(row)));
  }
  return joined({cov, n});
}

EventImage fixture_event(std::uint32_t event) {
  EventImage image{event % 4 == 3 ? 1U : 0U};
  if (event == 5) {
    return image;  // empty, and yet an event
  }
  image.banks.push_back({kParticles, particles(event, event % 3 + 1)});
  if (event % 2 == 0) {
    image.banks.push_back({kCovariances, covariances(event % 4)});
  }
  if (event % 4 == 3) {
    image.banks.push_back({kComposite,
                           joined({text_bytes("ifl"), packed(std::int32_t{300}, 0.25F),
                                   packed(std::int64_t{1} << 40 | event)}),
                           10, 3});
  }
  if (event % 5 == 1) {
    image.banks.push_back({kOpaque, packed(event, std::uint8_t{7}), 6});
  }
  return image;
}

}  // namespace

std::vector<Compression> fixture_compressions() {
  std::vector<Compression> all;
  for (const CodecInfo& codec : codecs()) {
    for (const LayoutId layout : kLayouts) {
      all.push_back(compression_of(codec.id, layout));
    }
  }
  all.push_back(compression_of(CodecId::lz4, LayoutId::per_column, Encodings::best));
  return all;
}

std::string fixture_name(const Compression& compression) {
  return test_name(compression) + ".hipo";
}

std::string fixture_libraries(const Compression& compression) {
  const std::string codec(codec_info(compression.codec).library);
  const std::string directory(
      compression.layout == LayoutId::per_chunk ? "" : codec_info(CodecId::lz4).library);
  if (codec.empty() && directory.empty()) {
    return "-";
  }
  return codec.empty() || codec == directory ? directory
         : directory.empty()                 ? codec
                                             : codec + ", " + directory;
}

FileImage fixture_content() {
  FileImage file;
  file.schemas = {"{REC::Tiny/300/1}{pid/I,p/F,status/S,charge/B,time/D,id/L}",
                  "{REC::Cov/300/2}{cov/F#3,n/S}"};
  const TagName tag_names[] = {{"scaler", 0}};
  file.dictionary = {tag_names_event(tag_names), configuration_event({"run", "{\"run\": 5038}"})};
  std::vector<Bytes> events;
  for (std::uint32_t event = 0; event < 12; ++event) {
    events.push_back(fixture_event(event).bytes());
  }
  const auto middle = events.begin() + 8;
  file.records = {whole_record({events.begin(), middle}, {.words = {0, 5038}, .number = 1}),
                  whole_record({middle, events.end()}, {.words = {1, 5038}, .number = 2})};
  return file;
}

void write_fixture(const Compression& compression, const std::filesystem::path& target) {
  RewriteOptions options;
  options.compression = compression;
  recook(open_bytes(fixture_content().bytes()), target, options);
}

}  // namespace hipotool::test
