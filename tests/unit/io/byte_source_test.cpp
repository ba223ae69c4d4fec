#include "hipotool/byte_source.hpp"

#include "hipotool/error.hpp"

#include "support/child.hpp"
#include "support/error_of.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace hipotool {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::TempDir;
using test::write_text;

std::string read_piece(const ByteSource& source, std::uint64_t offset, std::size_t bytes) {
  std::string text(bytes, '?');
  source.read_at(offset, std::as_writable_bytes(std::span(text)));
  return text;
}

Buffer buffer_of(std::string_view text) {
  Buffer buffer;
  buffer.append(std::as_bytes(std::span(text)));
  return buffer;
}

void set_modified(const fs::path& path, ::time_t seconds, long nanoseconds) {
  const std::array<::timespec, 2> times{{{seconds, nanoseconds}, {seconds, nanoseconds}}};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
}

TEST(FileSource, ReadsAnyPieceOfTheFile) {
  const TempDir dir;
  const fs::path path = dir / "a.hipo";
  write_text(path, "0123456789");
  const auto source = open_file(path);
  EXPECT_EQ(source->size(), 10u);
  EXPECT_EQ(source->name(), path.string());
  EXPECT_EQ(read_piece(*source, 0, 10), "0123456789");
  EXPECT_EQ(read_piece(*source, 7, 3), "789");
  EXPECT_EQ(read_piece(*source, 10, 0), "");
  source->require_unchanged();
}

TEST(FileSource, RefusesToReadPastTheEnd) {
  const TempDir dir;
  const fs::path path = dir / "a.hipo";
  write_text(path, "0123456789");
  const auto source = open_file(path);
  EXPECT_EQ(
      error_of([&] { (void)read_piece(*source, 8, 3); }),
      "truncated: " + path.string() + ": 3 bytes wanted at 0x8, but there are only 10 in all");
  EXPECT_EQ(error_of([&] { (void)read_piece(*source, UINT64_MAX, 2); }),
            "truncated: " + path.string() +
                ": 2 bytes wanted at 0xffffffffffffffff, but there are only 10 in all");
}

TEST(FileSource, SaysWhyAFileCannotBeOpened) {
  const TempDir dir;
  const std::string missing = dir / "missing";
  EXPECT_EQ(error_of([&] { (void)open_file(missing); }),
            "io: " + missing + ": cannot open: No such file or directory");
  const std::string folder = dir.path();
  EXPECT_EQ(error_of([&] { (void)open_file(folder); }),
            "invalid_argument: " + folder + ": is a directory");
  EXPECT_EQ(error_of([&] { (void)open_file("/dev/null"); }),
            "invalid_argument: /dev/null: is not a regular file");
}

TEST(FileSource, RefusesAPipeWithoutWaitingForAWriter) {
  const TempDir dir;
  const std::string pipe = dir / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(error_of([&] { (void)open_file(pipe); }),
            "invalid_argument: " + pipe + ": is not a regular file");
}

TEST(FileSource, ReportsAFileThatShrankAsChanged) {
  const TempDir dir;
  const fs::path path = dir / "a.hipo";
  write_text(path, std::string(100, 'x'));
  const auto source = open_file(path);
  fs::resize_file(path, 50);
  EXPECT_EQ(read_piece(*source, 40, 10), "xxxxxxxxxx");
  EXPECT_EQ(error_of([&] { (void)read_piece(*source, 40, 20); }),
            "changed: " + path.string() +
                ": the file ends at or before 0x32, but had 100 bytes when it was opened");
  EXPECT_EQ(error_of([&] { source->require_unchanged(); }),
            "changed: " + path.string() +
                ": the file has 50 bytes now and had 100 when it was "
                "opened");
}

TEST(FileSource, NoticesAFileThatGrew) {
  const TempDir dir;
  const fs::path path = dir / "a.hipo";
  write_text(path, "0123456789");
  const auto source = open_file(path);
  fs::resize_file(path, 11);
  EXPECT_EQ(error_of([&] { source->require_unchanged(); }),
            "changed: " + path.string() +
                ": the file has 11 bytes now and had 10 when it was "
                "opened");
}

TEST(FileSource, NoticesAModificationByTheNanosecond) {
  const TempDir dir;
  const fs::path path = dir / "a.hipo";
  write_text(path, "0123456789");
  set_modified(path, 1'700'000'000, 5);
  const auto source = open_file(path);
  source->require_unchanged();
  set_modified(path, 1'700'000'000, 6);
  EXPECT_EQ(error_of([&] { source->require_unchanged(); }),
            "changed: " + path.string() + ": the file was modified while it was being read");
}

TEST(FileSource, KeepsReadingAFileThatWasReplacedByName) {
  const TempDir dir;
  const fs::path path = dir / "a.hipo";
  write_text(path, "old bytes");
  const auto source = open_file(path);
  write_text(dir / "b.hipo", "new and longer");
  fs::rename(dir / "b.hipo", path);
  source->require_unchanged();
  EXPECT_EQ(read_piece(*source, 0, 9), "old bytes");
}

TEST(FileSource, ReadsBeyondFourGibibytes) {
  const TempDir dir;
  const fs::path path = dir / "sparse.hipo";
  constexpr std::uint64_t kFar = 5'500'000'000;
  write_text(path, "start");
  fs::resize_file(path, kFar);
  {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    ASSERT_GE(file, 0);
    EXPECT_EQ(::write(file, "far away", 8), 8);
    ::close(file);
  }
  const auto source = open_file(path);
  EXPECT_EQ(source->size(), kFar + 8);
  EXPECT_EQ(read_piece(*source, kFar, 8), "far away");
  EXPECT_EQ(read_piece(*source, (std::uint64_t{1} << 32) - 2, 4), std::string(4, '\0'));
  EXPECT_EQ(read_piece(*source, 0, 5), "start");
}

TEST(FileSource, PassesOnWhatTheSystemRefuses) {
  const TempDir dir;
  const fs::path path = dir / "a.hipo";
  write_text(path, "0123456789");
  EXPECT_EQ(test::run_in_child([&] {
              const auto source = open_file(path);
              test::make_syscalls_fail({{.number = SYS_pread64, .error_number = EIO}});
              return read_piece(*source, 4, 4);
            }),
            "io: " + path.string() + ": cannot read at 0x4: Input/output error");
}

TEST(FileSourceThreads, ServesSeveralThreadsAtOnce) {
  const TempDir dir;
  const fs::path path = dir / "a.hipo";
  std::string content(100'000, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 31 % 251);
  }
  write_text(path, content);
  const auto source = open_file(path);
  std::array<int, 4> wrong{};
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t) {
      threads.emplace_back([&, t] {
        for (std::size_t offset = t; offset + 100 <= content.size(); offset += 997) {
          wrong[t] += read_piece(*source, offset, 100) == content.substr(offset, 100) ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

TEST(MemorySource, ReadsWhatIsThereAndNoMore) {
  const auto source = memory_source(buffer_of("0123456789"), "ten digits");
  EXPECT_EQ(source->size(), 10u);
  EXPECT_EQ(source->name(), "ten digits");
  EXPECT_EQ(read_piece(*source, 0, 10), "0123456789");
  EXPECT_EQ(read_piece(*source, 9, 1), "9");
  EXPECT_EQ(read_piece(*source, 10, 0), "");
  EXPECT_EQ(error_of([&] { (void)read_piece(*source, 9, 2); }),
            "truncated: ten digits: 2 bytes wanted at 0x9, but there are only 10 in all");
  EXPECT_EQ(error_of([&] { (void)read_piece(*source, UINT64_MAX - 1, 4); }),
            "truncated: ten digits: 4 bytes wanted at 0xfffffffffffffffe, but there are only 10 "
            "in all");
  source->require_unchanged();
}

TEST(MemorySource, MayBeEmpty) {
  const auto source = memory_source(Buffer(), "nothing");
  EXPECT_EQ(source->size(), 0u);
  EXPECT_EQ(read_piece(*source, 0, 0), "");
  EXPECT_THROW((void)read_piece(*source, 0, 1), Error);
}

}  // namespace
}  // namespace hipotool
