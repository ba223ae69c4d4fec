#include "bench/environment.hpp"

#include "hipotool/compression.hpp"

#include "build_info.hpp"
#include "machine.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <xxhash.h>

namespace hipotool::app::bench {

namespace fs = std::filesystem;

namespace {

struct FileSystemName {
  std::uint64_t magic;
  std::string_view name;
};
constexpr std::uint64_t kTmpfs = 0x01021994;
constexpr std::uint64_t kRamfs = 0x858458f6;
// statfs(2), and linux/magic.h for the rest; Lustre and the parallel file systems of farms
// included.
constexpr std::array kFileSystems{
    FileSystemName{0xef53, "ext4"},       FileSystemName{0x58465342, "xfs"},
    FileSystemName{0x9123683e, "btrfs"},  FileSystemName{kTmpfs, "tmpfs"},
    FileSystemName{kRamfs, "ramfs"},      FileSystemName{0x794c7630, "overlay"},
    FileSystemName{0x6969, "nfs"},        FileSystemName{0x0bd00bd0, "lustre"},
    FileSystemName{0x47504653, "gpfs"},   FileSystemName{0x65735546, "fuse"},
    FileSystemName{0x2fc12fc1, "zfs"},    FileSystemName{0x00c36400, "ceph"},
    FileSystemName{0x19830326, "beegfs"}, FileSystemName{0xff534d42, "cifs"},
    FileSystemName{0x01021997, "9p"},     FileSystemName{0xf2f52010, "f2fs"},
};

std::uint64_t magic_of(const fs::path& path) {
  struct ::statfs found {};
  if (::statfs(path.c_str(), &found) != 0) {
    return 0;
  }
  return static_cast<std::uint64_t>(found.f_type) & 0xffffffffU;
}

std::string value_in(const char* path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(':');
    if (line.starts_with(key) && colon != line.npos) {
      const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
      return begin == line.npos ? std::string() : line.substr(begin);
    }
  }
  return {};
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=:,./@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) {
    return word;
  }
  std::string text = "'";
  for (const char letter : word) {
    text += letter == '\'' ? "'\\''" : std::string(1, letter);
  }
  return text + "'";
}

}  // namespace

std::string file_system_of(const fs::path& path) {
  const std::uint64_t magic = magic_of(path);
  for (const FileSystemName& one : kFileSystems) {
    if (one.magic == magic) {
      return std::string(one.name);
    }
  }
  return magic == 0 ? "unknown" : fmt::format("{:#x}", magic);
}

bool lives_in_memory(const fs::path& path) {
  const std::uint64_t magic = magic_of(path);
  return magic == kTmpfs || magic == kRamfs;
}

std::string command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string text;
  for (std::string word; std::getline(file, word, '\0');) {
    text += (text.empty() ? "" : " ") + shell_word(word);
  }
  return text;
}

Environment read_environment(const fs::path& input, const fs::path& work_folder) {
  Environment environment;
  environment.version = kBuildInfo.version;
  environment.revision = kBuildInfo.revision;
  environment.build = kBuildInfo.build_type;
  if (!kBuildInfo.sanitizers.empty()) {
    environment.build += ", sanitizers " + std::string(kBuildInfo.sanitizers);
  }
  environment.compiler = fmt::format("{} {}", kBuildInfo.compiler, kBuildInfo.flags);
  for (const CodecInfo& codec : codecs()) {
    if (codec.id != CodecId::none) {
      environment.libraries.emplace_back(codec.name,
                                         codec.available ? std::string(codec.library) : "absent");
    }
  }
  environment.libraries.emplace_back(
      "xxhash", fmt::format("{}.{}.{}", XXH_VERSION_MAJOR, XXH_VERSION_MINOR, XXH_VERSION_RELEASE));
  environment.cpu = value_in("/proc/cpuinfo", "model name");
  environment.usable_cpus = usable_cpus();
  const GroupLimits limits = read_group_limits("/");
  environment.cpu_limit = limits.cpus;
  environment.memory_limit_bytes = limits.memory_bytes;
  environment.memory_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                             static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  ::utsname system{};
  if (::uname(&system) == 0) {
    environment.kernel = fmt::format("{} {}", std::string_view(&system.sysname[0]),
                                     std::string_view(&system.release[0]));
  }
  environment.file_system = file_system_of(input);
  environment.work_file_system = file_system_of(work_folder);
  double load = 0;
  if (::getloadavg(&load, 1) == 1) {
    environment.load = load;
  }
  environment.command_line = command_line();
  return environment;
}

}  // namespace hipotool::app::bench
