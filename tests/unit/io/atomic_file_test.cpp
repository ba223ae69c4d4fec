#include "hipotool/atomic_file.hpp"

#include "hipotool/error.hpp"

#include "support/child.hpp"
#include "support/error_of.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <functional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace hipotool {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::read_text;
using test::run_in_child;
using test::TempDir;
using test::write_text;
using Existing = AtomicFile::Existing;
using Names = std::vector<std::string>;

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

void write_file(const fs::path& path, Existing existing, std::string_view text) {
  AtomicFile file(path, existing);
  file.write(bytes_of(text));
  file.commit();
}

::mode_t mode_of(const fs::path& path) {
  struct ::stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

TEST(AtomicFile, AppearsOnlyWhenCommitted) {
  const TempDir dir;
  AtomicFile file(dir / "out.hipo", Existing::refuse);
  EXPECT_EQ(file.target(), dir / "out.hipo");
  EXPECT_EQ(dir.names(), Names{file.temporary().filename()});
  file.write(bytes_of("hello "));
  file.write(bytes_of("world"));
  EXPECT_EQ(file.size(), 11u);
  EXPECT_FALSE(fs::exists(dir / "out.hipo"));
  file.commit();
  EXPECT_EQ(file.temporary(), "");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
  EXPECT_EQ(read_text(dir / "out.hipo"), "hello world");
  EXPECT_GT(file.sync_seconds(), 0);
  EXPECT_EQ(file.warnings(), Names{});
}

TEST(AtomicFile, NamesTheHiddenSiblingAfterTargetHostAndProcess) {
  const TempDir dir;
  const AtomicFile file(dir / "out.hipo", Existing::refuse);
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(file.temporary(),
            dir / (".out.hipo." + std::string(host) + "." + std::to_string(::getpid()) + ".part"));
}

TEST(AtomicFile, VanishesWithoutCommit) {
  const TempDir dir;
  {
    AtomicFile file(dir / "out.hipo", Existing::refuse);
    file.write(bytes_of("half"));
  }
  EXPECT_EQ(dir.names(), Names{});
}

TEST(AtomicFile, OverwritesBytesAlreadyWritten) {
  const TempDir dir;
  AtomicFile file(dir / "out.hipo", Existing::refuse);
  file.write(bytes_of("0123456789"));
  file.write_at(2, bytes_of("xyz"));
  file.write(bytes_of("!"));
  EXPECT_EQ(file.size(), 11u);
  EXPECT_EQ(error_of([&] { file.write_at(9, bytes_of("abc")); }),
            "invalid_argument: " + (dir / "out.hipo").string() +
                ": only bytes already written can be overwritten");
  file.commit();
  EXPECT_EQ(read_text(dir / "out.hipo"), "01xyz56789!");
}

TEST(AtomicFile, MovesWithoutLosingTheFile) {
  const TempDir dir;
  AtomicFile first(dir / "a", Existing::refuse);
  AtomicFile second(dir / "b", Existing::refuse);
  first.write(bytes_of("from a"));
  second = std::move(first);  // b is given up
  second.commit();
  EXPECT_EQ(dir.names(), Names{"a"});
  EXPECT_EQ(read_text(dir / "a"), "from a");
}

TEST(AtomicFile, CannotBeCommittedTwice) {
  const TempDir dir;
  AtomicFile file(dir / "out.hipo", Existing::refuse);
  file.commit();
  EXPECT_EQ(error_of([&] { file.commit(); }),
            "invalid_argument: " + (dir / "out.hipo").string() + ": cannot be committed twice");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
}

TEST(AtomicFile, RefusesATargetThatIsThere) {
  const TempDir dir;
  write_text(dir / "out.hipo", "precious");
  EXPECT_EQ(error_of([&] { AtomicFile(dir / "out.hipo", Existing::refuse); }),
            "exists: " + (dir / "out.hipo").string() + ": exists already");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
  EXPECT_EQ(read_text(dir / "out.hipo"), "precious");
}

TEST(AtomicFile, RefusesATargetThatAppearsMeanwhile) {
  const TempDir dir;
  AtomicFile file(dir / "out.hipo", Existing::refuse);
  file.write(bytes_of("mine"));
  write_text(dir / "out.hipo", "theirs");
  EXPECT_EQ(error_of([&] { file.commit(); }),
            "exists: " + (dir / "out.hipo").string() + ": was made by somebody else meanwhile");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
  EXPECT_EQ(read_text(dir / "out.hipo"), "theirs");
}

TEST(AtomicFile, LetsOneOfTwoProcessesWin) {
  const TempDir dir;
  AtomicFile file(dir / "out.hipo", Existing::refuse);
  file.write(bytes_of("parent"));
  EXPECT_EQ(run_in_child([&] {
              write_file(dir / "out.hipo", Existing::refuse, "child");
              return std::string("won");
            }),
            "won");
  EXPECT_EQ(error_of([&] { file.commit(); }),
            "exists: " + (dir / "out.hipo").string() + ": was made by somebody else meanwhile");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
  EXPECT_EQ(read_text(dir / "out.hipo"), "child");
}

TEST(AtomicFile, RefusesASecondWriterInTheSameProcess) {
  const TempDir dir;
  AtomicFile first(dir / "out.hipo", Existing::replace);
  first.write(bytes_of("first"));
  EXPECT_EQ(
      error_of([&] { AtomicFile(dir / "out.hipo", Existing::replace); }),
      "exists: " + (dir / "out.hipo").string() +
          ": is being written already, or was left unfinished: " + first.temporary().string());
  first.commit();
  EXPECT_EQ(read_text(dir / "out.hipo"), "first");
}

TEST(AtomicFile, KeepsTheOldFileUntilCommit) {
  const TempDir dir;
  write_text(dir / "out.hipo", "old");
  {
    AtomicFile given_up(dir / "out.hipo", Existing::replace);
    given_up.write(bytes_of("new"));
  }
  EXPECT_EQ(read_text(dir / "out.hipo"), "old");
  write_file(dir / "out.hipo", Existing::replace, "new");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
  EXPECT_EQ(read_text(dir / "out.hipo"), "new");
}

TEST(AtomicFile, ObeysTheUmask) {
  const TempDir dir;
  EXPECT_EQ(run_in_child([&] {
              ::umask(027);
              write_file(dir / "out.hipo", Existing::refuse, "x");
              return std::string("written");
            }),
            "written");
  EXPECT_EQ(mode_of(dir / "out.hipo"), 0640u);
}

TEST(AtomicFile, KeepsTheModeOfAFileItReplaces) {
  const TempDir dir;
  for (const ::mode_t mode : {0600u, 0664u, 0444u}) {
    write_text(dir / "out.hipo", "old");
    ASSERT_EQ(::chmod((dir / "out.hipo").c_str(), mode), 0);
    write_file(dir / "out.hipo", Existing::replace, "new");
    EXPECT_EQ(mode_of(dir / "out.hipo"), mode);
    EXPECT_EQ(read_text(dir / "out.hipo"), "new");
    fs::remove(dir / "out.hipo");
  }
}

TEST(AtomicFile, ReplacesWhatASymbolicLinkLeadsTo) {
  const TempDir dir;
  fs::create_directory(dir / "disk");
  write_text(dir / "disk/data.hipo", "old");
  fs::create_symlink("disk/data.hipo", dir / "inner");
  fs::create_symlink(dir / "inner", dir / "outer");
  AtomicFile file(dir / "outer", Existing::replace);
  EXPECT_EQ(file.target(), dir / "disk/data.hipo");
  EXPECT_EQ(file.temporary().parent_path(), dir / "disk");
  file.write(bytes_of("new"));
  file.commit();
  EXPECT_EQ(read_text(dir / "disk/data.hipo"), "new");
  EXPECT_TRUE(fs::is_symlink(dir / "inner"));
  EXPECT_TRUE(fs::is_symlink(dir / "outer"));
}

TEST(AtomicFile, MakesWhatADanglingLinkLeadsTo) {
  const TempDir dir;
  fs::create_symlink("made.hipo", dir / "link");
  write_file(dir / "link", Existing::refuse, "x");
  EXPECT_EQ(dir.names(), (Names{"link", "made.hipo"}));
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(read_text(dir / "made.hipo"), "x");
}

TEST(AtomicFile, GivesUpOnLinksInACircle) {
  const TempDir dir;
  fs::create_symlink("b", dir / "a");
  fs::create_symlink("a", dir / "b");
  EXPECT_EQ(error_of([&] { AtomicFile(dir / "a", Existing::replace); }),
            "io: " + (dir / "a").string() +
                ": cannot follow the symbolic link: Too many levels of symbolic links");
}

TEST(AtomicFile, LeavesOtherNamesOfAReplacedFileAlone) {
  const TempDir dir;
  write_text(dir / "a", "old");
  fs::create_hard_link(dir / "a", dir / "b");
  write_file(dir / "b", Existing::replace, "new");
  EXPECT_EQ(read_text(dir / "a"), "old");
  EXPECT_EQ(read_text(dir / "b"), "new");
}

TEST(AtomicFile, RefusesTargetsThatAreNotRegularFiles) {
  const TempDir dir;
  const std::string pipe = dir / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  fs::create_symlink("/dev/null", dir / "link");
  for (const Existing existing : {Existing::refuse, Existing::replace}) {
    EXPECT_EQ(error_of([&] { AtomicFile(dir.path(), existing); }),
              "invalid_argument: " + dir.path().string() + ": is a directory");
    EXPECT_EQ(error_of([&] { AtomicFile(pipe, existing); }),
              "invalid_argument: " + pipe + ": is not a regular file");
    EXPECT_EQ(error_of([&] { AtomicFile("/dev/null", existing); }),
              "invalid_argument: /dev/null: is not a regular file");
    EXPECT_EQ(error_of([&] { AtomicFile(dir / "link", existing); }),
              "invalid_argument: " + (dir / "link").string() + ": is not a regular file");
    EXPECT_EQ(error_of([&] { AtomicFile(dir / "missing/", existing); }),
              "invalid_argument: " + (dir / "missing/").string() + ": is not the name of a file");
  }
  EXPECT_EQ(dir.names(), (Names{"link", "pipe"}));
}

TEST(AtomicFile, SaysWhyItCannotBeMade) {
  const TempDir dir;
  const std::string message = error_of([&] { AtomicFile(dir / "no/out", Existing::refuse); });
  const std::string start =
      "io: " + (dir / "no/out").string() + ": cannot create " + (dir / "no/.out.").string();
  EXPECT_TRUE(message.starts_with(start)) << message;
  EXPECT_TRUE(message.ends_with(".part: No such file or directory")) << message;
}

TEST(AtomicFile, WritesATargetInTheCurrentFolder) {
  const TempDir dir;
  EXPECT_EQ(run_in_child([&] {
              fs::current_path(dir.path());
              write_file("out.hipo", Existing::refuse, "x");
              return std::string("written");
            }),
            "written");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
}

TEST(AtomicFile, AcceptsTheLongestNameThatAFileMayHave) {
  const TempDir dir;
  const std::string name(255, 'n');
  AtomicFile file(dir / name, Existing::refuse);
  EXPECT_LE(file.temporary().filename().string().size(), 255u);
  file.commit();
  EXPECT_EQ(dir.names(), Names{name});
}

TEST(AtomicFile, IsRefusedByAFolderThatMayNotBeWritten) {
  const TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0555), 0);
  const std::string message = run_in_child([&] {
    test::become_ordinary_user();
    const AtomicFile file(dir / "out.hipo", Existing::refuse);
    return std::string("made");
  });
  EXPECT_TRUE(message.starts_with("io: " + (dir / "out.hipo").string() + ": cannot create"));
  EXPECT_TRUE(message.ends_with(": Permission denied")) << message;
}

TEST(AtomicFile, IsWrittenToAFolderThatMayNotBeListed) {
  const TempDir dir;
  ASSERT_EQ(::chmod(dir.path().c_str(), 0333), 0);
  EXPECT_EQ(run_in_child([&] {
              test::become_ordinary_user();
              AtomicFile file(dir / "out.hipo", Existing::refuse);
              file.write(bytes_of("x"));
              file.commit();
              return file.warnings().at(0);
            }),
            dir.path().string() + ": the folder cannot be synced: Permission denied");
  ASSERT_EQ(::chmod(dir.path().c_str(), 0777), 0);
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
}

TEST(FindOrphans, NamesWhatDeadProcessesOfThisHostLeft) {
  const TempDir dir;
  fs::path orphan;
  {
    const AtomicFile file(dir / "out.hipo", Existing::refuse);
    EXPECT_EQ(find_orphans(dir / "out.hipo"), std::vector<fs::path>{});  // its process lives
    orphan = file.temporary();
  }
  std::string name = orphan.filename();
  const std::string pid = std::to_string(::getpid());
  const std::string dead = "999999999";  // above the kernel's highest process id
  name.replace(name.rfind(pid), pid.size(), dead);
  write_text(dir / name, "left behind");
  write_text(dir / ("." + std::string("other.hipo") + name.substr(9)), "of another target");
  write_text(dir / ".out.hipo.elsewhere.999999999.part", "of another host");
  write_text(dir / (name.substr(0, name.rfind(dead)) + "12x.part"), "not a process id");
  write_text(dir / (name.substr(0, name.rfind(dead)) + "part"), "no process id");
  EXPECT_EQ(find_orphans(dir / "out.hipo"), std::vector<fs::path>{dir / name});
  fs::create_symlink("out.hipo", dir / "link");
  EXPECT_EQ(find_orphans(dir / "link"), std::vector<fs::path>{dir / name});
}

TEST(FindOrphans, FindsNoneInAFolderThatCannotBeListed) {
  const TempDir dir;
  EXPECT_EQ(find_orphans(dir / "no/such/folder"), std::vector<fs::path>{});
  ASSERT_EQ(::chmod(dir.path().c_str(), 0333), 0);
  EXPECT_EQ(run_in_child([&] {
              test::become_ordinary_user();
              return std::to_string(find_orphans(dir / "out.hipo").size());
            }),
            "0");
}

TEST(SameFile, SeesThroughLinksOfBothKinds) {
  const TempDir dir;
  write_text(dir / "a", "x");
  write_text(dir / "copy", "x");
  fs::create_hard_link(dir / "a", dir / "hard");
  fs::create_symlink("a", dir / "soft");
  EXPECT_TRUE(same_file(dir / "a", dir / "a"));
  EXPECT_TRUE(same_file(dir / "a", dir / "hard"));
  EXPECT_TRUE(same_file(dir / "soft", dir / "hard"));
  EXPECT_FALSE(same_file(dir / "a", dir / "copy"));
  EXPECT_FALSE(same_file(dir / "a", dir / "missing"));
  EXPECT_FALSE(same_file(dir / "missing", dir / "missing"));
}

}  // namespace
}  // namespace hipotool
