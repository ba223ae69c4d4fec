#include "machine.hpp"

#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace hipotool::test {
namespace {

namespace fs = std::filesystem;

// A root folder with a proc and sys of its own.
class GroupLimits : public ::testing::Test {
 protected:
  void put(std::string_view path, std::string_view text) {
    const fs::path file = root_.path() / path;
    fs::create_directories(file.parent_path());
    write_text(file, text);
  }

  TempDir root_;
};

TEST_F(GroupLimits, AreNoneOnAMachineWithoutGroups) {
  const app::GroupLimits limits = app::read_group_limits(root_.path());
  EXPECT_FALSE(limits.cpus);
  EXPECT_FALSE(limits.memory_bytes);
}

TEST_F(GroupLimits, OfVersion2AreTheTightestOfAllLevels) {
  put("proc/self/cgroup", "0::/batch/job\n");
  put("proc/self/mountinfo", "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  put("sys/fs/cgroup/batch/cpu.max", "350000 100000\n");
  put("sys/fs/cgroup/batch/memory.max", "8589934592\n");
  put("sys/fs/cgroup/batch/job/cpu.max", "max 100000\n");
  put("sys/fs/cgroup/batch/job/memory.max", "2147483648\n");
  const app::GroupLimits limits = app::read_group_limits(root_.path());
  EXPECT_EQ(limits.cpus, 3.5);
  EXPECT_EQ(limits.memory_bytes, 2147483648U);
}

TEST_F(GroupLimits, OfVersion1AreFoundByController) {
  put("proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/job\n");
  put("proc/self/mountinfo",
      "31 30 0:27 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
      "32 30 0:28 / /sys/fs/cgroup/cpu rw shared:1 - cgroup cgroup rw,cpu,cpuacct\n");
  put("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
  put("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "150000\n");
  put("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  const app::GroupLimits limits = app::read_group_limits(root_.path());
  EXPECT_EQ(limits.cpus, 1.5);
  EXPECT_EQ(limits.memory_bytes, 1073741824U);
}

// In a container the mount shows the own group only, whatever it is called outside.
TEST_F(GroupLimits, AreSeenFromInsideAContainer) {
  put("proc/self/cgroup", "0::/\n");
  put("proc/self/mountinfo", "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup2 rw\n");
  put("sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_EQ(app::read_group_limits(root_.path()).cpus, 2.0);
}

TEST(Machine, HasAtLeastOneCpuAndUsesMemory) {
  EXPECT_GE(app::usable_cpus(), 1U);
  EXPECT_GT(app::peak_memory_bytes(), 1'000'000U);
}

}  // namespace
}  // namespace hipotool::test
