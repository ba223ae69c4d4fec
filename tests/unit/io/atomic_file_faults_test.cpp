// What an AtomicFile leaves behind when a step fails: the old file as it was, and no stray file.

#include "hipotool/atomic_file.hpp"
#include "hipotool/error.hpp"

#include "support/child.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <signal.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hipotool {
namespace {

namespace fs = std::filesystem;
using test::make_syscalls_fail;
using test::read_text;
using test::run_in_child;
using test::TempDir;
using test::write_text;
using Existing = AtomicFile::Existing;
using Names = std::vector<std::string>;

#ifdef SYS_link
constexpr int kLink = SYS_link;
constexpr int kRename = SYS_rename;
constexpr int kUnlink = SYS_unlink;
#else
constexpr int kLink = SYS_linkat;
constexpr int kRename = SYS_renameat;
constexpr int kUnlink = SYS_unlinkat;
#endif

ByteSpan bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

// The number of the descriptor that is open on `path` in this process.
int descriptor_of(const fs::path& path) {
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (fs::read_symlink(entry.path(), gone) == path) {
      return std::stoi(entry.path().filename());
    }
  }
  return -1;
}

// Writes "new" over "old" in a child in which, from the first write on, `fault` strikes; checks
// that the old file is untouched and alone, and gives what the child reported.
std::string replace_with_fault(test::SyscallFault fault, bool on_the_file_only = false) {
  const TempDir dir;
  write_text(dir / "out.hipo", "old");
  std::string outcome = run_in_child([&] {
    AtomicFile file(dir / "out.hipo", Existing::replace);
    if (on_the_file_only) {
      fault.only_argument = descriptor_of(fs::canonical(file.temporary()));
    }
    make_syscalls_fail({fault});
    try {
      file.write(bytes_of("new"));
      file.commit();
    } catch (const Error& error) {
      return std::string(to_string(error.code())) + ": " + error.message();
    }
    return std::string("committed");
  });
  if (outcome != "committed") {
    EXPECT_EQ(dir.names(), Names{"out.hipo"});
    EXPECT_EQ(read_text(dir / "out.hipo"), "old");
  }
  return outcome;
}

TEST(AtomicFileFaults, AFullDiskIsNoSpace) {
  EXPECT_EQ(replace_with_fault({.number = SYS_pwrite64, .error_number = ENOSPC}),
            "no_space: cannot write: No space left on device");
  EXPECT_EQ(replace_with_fault({.number = SYS_pwrite64, .error_number = EDQUOT}),
            "no_space: cannot write: Disk quota exceeded");
}

TEST(AtomicFileFaults, AFailedWriteIsIo) {
  EXPECT_EQ(replace_with_fault({.number = SYS_pwrite64, .error_number = EIO}),
            "io: cannot write: Input/output error");
}

TEST(AtomicFileFaults, AFailedSyncIsReported) {
  EXPECT_EQ(replace_with_fault({.number = SYS_fsync, .error_number = EIO}, true),
            "io: cannot sync: Input/output error");
  EXPECT_EQ(replace_with_fault({.number = SYS_fsync, .error_number = ENOSPC}, true),
            "no_space: cannot sync: No space left on device");
}

TEST(AtomicFileFaults, AQuotaNoticedAtCloseIsNoSpace) {
  EXPECT_EQ(replace_with_fault({.number = SYS_close, .error_number = EDQUOT}, true),
            "no_space: cannot close: Disk quota exceeded");
}

TEST(AtomicFileFaults, AFailedRenameIsReported) {
  const std::string outcome = replace_with_fault({.number = kRename, .error_number = EACCES});
  EXPECT_TRUE(outcome.starts_with("io: cannot rename ")) << outcome;
  EXPECT_TRUE(outcome.ends_with(".part to it: Permission denied")) << outcome;
}

TEST(AtomicFileFaults, AFileThatCannotGetTheOldModeIsNotMade) {
  const TempDir dir;
  write_text(dir / "out.hipo", "old");
  fs::permissions(dir / "out.hipo", fs::perms::owner_read);
  EXPECT_EQ(run_in_child([&] {
              make_syscalls_fail({{.number = SYS_fchmod, .error_number = EPERM}});
              const AtomicFile file(dir / "out.hipo", Existing::replace);
              return std::string("made");
            }),
            "io: " + (dir / "out.hipo").string() +
                ": cannot keep the mode of the file that is to be replaced: Operation not "
                "permitted");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
}

// Commits a new file in a child under `faults` and gives "committed", its warnings, or the Error.
std::string make_with_faults(const TempDir& dir, std::initializer_list<test::SyscallFault> faults) {
  return run_in_child([&] {
    AtomicFile file(dir / "out.hipo", Existing::refuse);
    file.write(bytes_of("new"));
    make_syscalls_fail(faults);
    file.commit();
    std::string outcome = "committed";
    for (const std::string& warning : file.warnings()) {
      outcome += "; " + warning;
    }
    return outcome;
  });
}

TEST(AtomicFileFaults, LinksWhereTheFileSystemCannotRenameWithoutReplacing) {
  for (const int error_number : {EINVAL, ENOSYS}) {
    const TempDir dir;
    EXPECT_EQ(make_with_faults(dir, {{.number = SYS_renameat2, .error_number = error_number}}),
              "committed");
    EXPECT_EQ(dir.names(), Names{"out.hipo"});
    EXPECT_EQ(read_text(dir / "out.hipo"), "new");
  }
}

TEST(AtomicFileFaults, LinkingDoesNotReplaceEither) {
  const TempDir dir;
  EXPECT_EQ(run_in_child([&] {
              AtomicFile file(dir / "out.hipo", Existing::refuse);
              write_text(dir / "out.hipo", "theirs");
              make_syscalls_fail({{.number = SYS_renameat2, .error_number = EINVAL}});
              try {
                file.commit();
              } catch (const Error& error) {
                return std::string(to_string(error.code()));
              }
              return std::string("committed");
            }),
            "exists");
  EXPECT_EQ(dir.names(), Names{"out.hipo"});
  EXPECT_EQ(read_text(dir / "out.hipo"), "theirs");
}

TEST(AtomicFileFaults, SaysSoWhereNothingCanKeepFromReplacing) {
  const TempDir dir;
  const std::string outcome =
      make_with_faults(dir, {{.number = SYS_renameat2, .error_number = EINVAL},
                             {.number = kLink, .error_number = EPERM}});
  EXPECT_TRUE(outcome.ends_with(".part to it without replacing: Operation not permitted"))
      << outcome;
  EXPECT_EQ(dir.names(), Names{});
}

TEST(AtomicFileFaults, ALinkedFileWhoseOtherNameStaysIsAWarning) {
  const TempDir dir;
  const std::string outcome =
      make_with_faults(dir, {{.number = SYS_renameat2, .error_number = EINVAL},
                             {.number = kUnlink, .error_number = EIO}});
  EXPECT_TRUE(outcome.starts_with("committed; ")) << outcome;
  EXPECT_TRUE(outcome.ends_with(".part: cannot be removed: Input/output error")) << outcome;
  EXPECT_EQ(read_text(dir / "out.hipo"), "new");
}

// As make_with_faults, with a failing fsync of the folder, not of the file.
std::string make_with_folder_fault(const TempDir& dir, int error_number) {
  return run_in_child([&] {
    // The lowest free number: after closing it, the next thing opened, the folder, has it.
    const int low = ::dup(STDOUT_FILENO);
    AtomicFile file(dir / "out.hipo", Existing::refuse);
    file.write(bytes_of("new"));
    ::close(low);
    make_syscalls_fail({{.number = SYS_fsync, .error_number = error_number, .only_argument = low}});
    file.commit();
    return "committed; " + file.warnings().at(0);
  });
}

TEST(AtomicFileFaults, AFolderThatCannotBeSyncedIsAWarning) {
  for (const int error_number : {EINVAL, ENOTSUP}) {
    const TempDir dir;
    const std::string outcome = make_with_folder_fault(dir, error_number);
    EXPECT_TRUE(outcome.starts_with("committed; " + dir.path().string() +
                                    ": the folder cannot be synced: "))
        << outcome;
    EXPECT_EQ(dir.names(), Names{"out.hipo"});
  }
}

TEST(AtomicFileFaults, AFolderWhoseSyncFailsIsAnError) {
  const TempDir dir;
  EXPECT_EQ(make_with_folder_fault(dir, EIO),
            "io: " + (dir / "out.hipo").string() + ": cannot sync the folder " +
                dir.path().string() + " of the complete file: Input/output error");
}

TEST(AtomicFileFaults, AFileSizeLimitIsNoSpace) {
  const TempDir dir;
  EXPECT_EQ(run_in_child([&] {
              ::signal(SIGXFSZ, SIG_IGN);
              const ::rlimit limit{100'000, 100'000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              const std::string piece(60'000, 'x');
              AtomicFile file(dir / "out.hipo", Existing::refuse);
              try {
                file.write(bytes_of(piece));
                file.write(bytes_of(piece));
              } catch (const Error& error) {
                return std::string(to_string(error.code())) + ": " + error.message();
              }
              return std::string("written");
            }),
            "no_space: cannot write: File too large");
  EXPECT_EQ(dir.names(), Names{});
}

}  // namespace
}  // namespace hipotool
