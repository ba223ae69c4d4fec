// Writes the fixtures of this folder anew, and digests.tsv with them: make_fixtures [FOLDER].

#include "support/fixtures.hpp"
#include "support/oracle.hpp"
#include "support/temp_dir.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <string>

int main(int argc, char** argv) {
  using namespace hipotool;
  try {
    const std::filesystem::path folder = argc > 1 ? argv[1] : HIPO_TEST_DATA_DIR;
    std::string table = "file\tevents\tdigest\tunordered_digest\tlibraries\n";
    for (const Compression& compression : test::fixture_compressions()) {
      const std::string name = test::fixture_name(compression);
      test::write_fixture(compression, folder / name);
      const Digest digest = test::content_digest(folder / name);
      table += name + "\t" + std::to_string(digest.events) + "\t" + digest.ordered + "\t" +
               digest.unordered + "\t" + test::fixture_libraries(compression) + "\n";
    }
    test::write_text(folder / "digests.tsv", table);
    std::printf("%s", table.c_str());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_fixtures: %s\n", error.what());
    return 1;
  }
}
