#include "machine.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <sys/time.h>
#include <vector>

namespace hipotool::app {

namespace fs = std::filesystem;

namespace {

// "max" and -1 mean no limit, and so does what cannot be read.
std::optional<std::uint64_t> parse_limit(std::string_view text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr == text.data()) {
    return std::nullopt;
  }
  return value;
}

std::vector<std::string> words_of(const fs::path& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string word; file >> word;) {
    words.push_back(word);
  }
  return words;
}

std::optional<std::uint64_t> number_in(const fs::path& path) {
  const std::vector<std::string> words = words_of(path);
  return words.empty() ? std::nullopt : parse_limit(words.front());
}

template <typename T>
void tighten(std::optional<T>& limit, T other) {
  limit = limit ? std::min(*limit, other) : other;
}

void tighten_cpus(std::optional<double>& cpus, std::optional<std::uint64_t> quota,
                  std::optional<std::uint64_t> period) {
  if (quota && *quota > 0 && period && *period > 0) {
    tighten(cpus, static_cast<double>(*quota) / static_cast<double>(*period));
  }
}

void read_version_2(const fs::path& folder, GroupLimits& limits) {
  if (const std::vector<std::string> words = words_of(folder / "cpu.max"); words.size() == 2) {
    tighten_cpus(limits.cpus, parse_limit(words[0]), parse_limit(words[1]));
  }
  if (const auto bytes = number_in(folder / "memory.max")) {
    tighten(limits.memory_bytes, *bytes);
  }
}

void read_version_1(const fs::path& folder, GroupLimits& limits) {
  tighten_cpus(limits.cpus, number_in(folder / "cpu.cfs_quota_us"),
               number_in(folder / "cpu.cfs_period_us"));
  if (const auto bytes = number_in(folder / "memory.limit_in_bytes")) {
    tighten(limits.memory_bytes, *bytes);
  }
}

// A mounted hierarchy: the group `shows` is what lies at `point`.
struct Mount {
  fs::path point;
  fs::path shows;
  bool version_2 = false;
  std::vector<std::string> controllers;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    parts.push_back(part);
  }
  return parts;
}

// proc(5), mountinfo: "36 35 98:0 /root /point options - type source super-options".
std::vector<Mount> read_mounts(const fs::path& root) {
  std::vector<Mount> mounts;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = split(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 6 || words.end() - dash < 4) {
      continue;
    }
    if (dash[1] == "cgroup" || dash[1] == "cgroup2") {
      mounts.push_back({.point = words[4],
                        .shows = words[3],
                        .version_2 = dash[1] == "cgroup2",
                        .controllers = split(dash[3], ',')});
    }
  }
  return mounts;
}

// The group and all that contain it, as far as they are to be seen.
void read_levels(const fs::path& root, const Mount& mount, const fs::path& group,
                 GroupLimits& limits) {
  // In a container the mount may show the own group only, under a path that means nothing inside.
  fs::path below = group.lexically_relative(mount.shows);
  if (below.empty() || *below.begin() == "..") {
    below = ".";
  }
  const fs::path top = root / mount.point.relative_path();
  fs::path level;
  const auto read = mount.version_2 ? read_version_2 : read_version_1;
  read(top, limits);
  for (const fs::path& part : below) {
    level /= part;
    read(top / level, limits);
  }
}

}  // namespace

GroupLimits read_group_limits(const fs::path& root) {
  const std::vector<Mount> mounts = read_mounts(root);
  GroupLimits limits;
  std::ifstream file(root / "proc/self/cgroup");
  // cgroups(7): "4:memory,hugetlb:/path", in version 2 "0::/path".
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    const std::vector<std::string> controllers =
        split(line.substr(first + 1, second - first - 1), ',');
    for (const Mount& mount : mounts) {
      const bool mine = controllers.empty()
                            ? mount.version_2
                            : !mount.version_2 &&
                                  std::find_first_of(controllers.begin(), controllers.end(),
                                                     mount.controllers.begin(),
                                                     mount.controllers.end()) != controllers.end();
      if (mine) {
        read_levels(root, mount, line.substr(second + 1), limits);
      }
    }
  }
  return limits;
}

unsigned usable_cpus() {
  unsigned cpus = 1;
  // The kernel refuses a set that is smaller than its own.
  for (int wanted = 1024; wanted <= (1 << 20); wanted *= 4) {
    ::cpu_set_t* set = CPU_ALLOC(static_cast<std::size_t>(wanted));
    if (set == nullptr) {
      break;
    }
    const std::size_t bytes = CPU_ALLOC_SIZE(static_cast<std::size_t>(wanted));
    const bool known = ::sched_getaffinity(0, bytes, set) == 0;
    if (known) {
      cpus = static_cast<unsigned>(std::max(1, CPU_COUNT_S(bytes, set)));
    }
    CPU_FREE(set);
    if (known) {
      break;
    }
  }
  if (const auto quota = read_group_limits("/").cpus) {
    cpus = std::min(cpus, static_cast<unsigned>(std::max(1.0, std::ceil(std::min(*quota, 1e6)))));
  }
  return cpus;
}

std::uint64_t peak_memory_bytes() {
  struct ::rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

double cpu_seconds() {
  struct ::rusage usage {};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const ::timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace hipotool::app
