// Saving is atomic: whatever happens to the writer, a reader finds the old file or the new one.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <random>
#include <thread>

#include "program/builder.h"
#include "program/file.h"
#include "tests/file/programs.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

// A program of a few hundred KiB, so that writing takes a while; `number` tells one from another.
Program numbered(int number, size_t weights = 8) {
  ProgramBuilder p;
  for (size_t i = 0; i < weights; ++i) {
    p.weight("w" + std::to_string(i),
             Tensor::of<int32_t>({16384}, std::vector<int32_t>(16384, number * 100 + static_cast<int>(i))));
  }
  return p.build();
}

// What `f` says in a process of its own, which may not come back.
std::string in_child(const std::function<std::string()>& f) {
  int pipe[2];
  EXPECT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string text = f();
    const bool sent = ::write(pipe[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
    ::_exit(sent ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string text(4096, '\0');
  const ssize_t got = ::read(pipe[0], text.data(), text.size());
  ::close(pipe[0]);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  text.resize(got < 0 ? 0 : static_cast<size_t>(got));
  return text;
}

std::string saving(const Program& program, const fs::path& path) try {
  save_program(program, path);
  return "saved";
} catch (const Error& error) {
  return std::string(to_string(error.code())).append(": ").append(error.what());
}

bool is_temporary(const fs::path& path) {
  const std::string name = path.filename();
  return name.starts_with(".ingot-") && name.ends_with(".tmp");
}

// Waits for a moment that differs from call to call, then kills. True when the child was still at work.
bool kill_at_random(pid_t child, std::mt19937& random) {
  std::this_thread::sleep_for(std::chrono::microseconds(random() % 4000));
  ::kill(child, SIGKILL);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFSIGNALED(status);
}

TEST(Save, KilledWriterLeavesAWholeFile) {
  const TemporaryFolder folder;
  const fs::path path = folder / "p.ingot";
  const Program old_program = numbered(1), new_program = numbered(2);
  std::mt19937 random(7);
  int killed = 0, kept = 0, litter = 0;
  for (int i = 0; i < 150; ++i) {
    save_program(old_program, path);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (;;) save_program(new_program, path);
    }
    killed += kill_at_random(child, random);
    const Program found = load_program(path);
    check_hashes(found);
    const bool is_old = difference(found, old_program).empty();
    EXPECT_TRUE(is_old || difference(found, new_program).empty());
    kept += is_old;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      if (entry.path() == path) continue;
      EXPECT_TRUE(is_temporary(entry.path())) << entry.path();
      ++litter;
      fs::remove(entry.path());
    }
  }
  EXPECT_EQ(killed, 150);
  EXPECT_GT(kept, 0);  // else the moments were all too late
  EXPECT_GT(litter, 0);
}

TEST(Save, KilledFirstWriterLeavesNoneOrAWholeFile) {
  std::mt19937 random(8);
  for (int i = 0; i < 50; ++i) {
    const TemporaryFolder folder;
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      save_program(numbered(3), folder / "p.ingot");
      for (;;) ::pause();
    }
    EXPECT_TRUE(kill_at_random(child, random));
    if (!fs::exists(folder / "p.ingot")) continue;
    EXPECT_EQ(difference(load_program(folder / "p.ingot"), numbered(3)), "");
  }
}

TEST(Save, TwoWritersAtOnce) {
  const TemporaryFolder folder;
  const fs::path path = folder / "p.ingot";
  const Program programs[] = {numbered(1), numbered(2)};
  save_program(programs[0], path);
  const auto write = [&](const Program& program) {
    for (int i = 0; i < 20; ++i) save_program(program, path);
  };
  std::thread one(write, programs[0]), two(write, programs[1]);
  for (int i = 0; i < 40; ++i) {
    const Program found = load_program(path);
    check_hashes(found);
    EXPECT_TRUE(difference(found, programs[0]).empty() || difference(found, programs[1]).empty());
  }
  one.join();
  two.join();
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(Save, OverTheFileThatItIsMappedFrom) {
  const TemporaryFolder folder;
  save_program(numbered(1), folder / "p.ingot");
  const Program mapped = load_program(folder / "p.ingot");
  save_program(numbered(2), folder / "p.ingot");
  EXPECT_EQ(difference(mapped, numbered(1)), "");
  save_program(mapped, folder / "p.ingot");
  EXPECT_EQ(difference(load_program(folder / "p.ingot"), numbered(1)), "");
}

constexpr uid_t kNobody = 65534;

// Root may do anything, so this is tried as nobody, who owns the folder.
std::string saving_as_nobody(const TemporaryFolder& folder, mode_t mode) {
  const bool root = ::geteuid() == 0;
  EXPECT_EQ(root ? ::chown(folder.path().c_str(), kNobody, kNobody) : 0, 0);
  EXPECT_EQ(::chmod(folder.path().c_str(), mode), 0);
  const std::string said = in_child([&] {
    if (root && ::seteuid(kNobody) != 0) return std::string("cannot become nobody");
    return saving(numbered(2), folder / "p.ingot");
  });
  EXPECT_EQ(::chmod(folder.path().c_str(), 0700), 0);
  return said;
}

TEST(Save, RefusesAReadOnlyFolder) {
  const TemporaryFolder folder;
  save_program(numbered(1), folder / "p.ingot");
  EXPECT_EQ(saving_as_nobody(folder, 0500),
            "io: cannot write " + fs::canonical(folder / "p.ingot").string() + ": Permission denied");
  EXPECT_EQ(difference(load_program(folder / "p.ingot"), numbered(1)), "");
  EXPECT_EQ(folder.file_count(), 1u);
}

// It can be written to, but not opened, so a new name in it could not be made durable.
TEST(Save, RefusesAFolderThatItCannotSync) {
  const TemporaryFolder folder;
  save_program(numbered(1), folder / "p.ingot");
  EXPECT_EQ(saving_as_nobody(folder, 0300), "io: cannot open " + folder.path().string() + ": Permission denied");
  EXPECT_EQ(difference(load_program(folder / "p.ingot"), numbered(1)), "");
  EXPECT_EQ(folder.file_count(), 1u);
}

// A full disk, as a limit on the size of files shows it.
TEST(Save, FullDiskLeavesTheOldFile) {
  const TemporaryFolder folder;
  save_program(numbered(1), folder / "p.ingot");
  for (const rlim_t room : {0, 1, 64, 100, 16384, 100'000, 400'000}) {
    const std::string said = in_child([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{room, room};
      ::setrlimit(RLIMIT_FSIZE, &limit);
      return saving(numbered(2), folder / "p.ingot");
    });
    EXPECT_EQ(said, "io: cannot write " + fs::canonical(folder / "p.ingot").string() + ": File too large") << room;
    EXPECT_EQ(difference(load_program(folder / "p.ingot"), numbered(1)), "");
    EXPECT_EQ(folder.file_count(), 1u);
  }
}

TEST(Save, RefusesTargetsThatAreNoFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(saving(numbered(1), folder.path()),
            "invalid argument: " + folder.path().string() + " is a folder, expected a regular file");
  EXPECT_EQ(saving(numbered(1), folder / "none/p.ingot"),
            "not found: cannot write " + (folder / "none/p.ingot").string() + ": No such file or directory");
  EXPECT_EQ(saving(numbered(1), "/dev/null"),
            "invalid argument: /dev/null is a character device, expected a regular file");
  EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Save, FailedEncodingLeavesTheOldFile) {
  const TemporaryFolder folder;
  save_program(small_program(), folder / "p.ingot");
  Program broken = small_program();
  broken.symbols.clear();
  EXPECT_EQ(saving(broken, folder / "p.ingot"),
            "invalid argument: a size uses the symbol \"S\", which the program does not declare");
  EXPECT_EQ(difference(load_program(folder / "p.ingot"), small_program()), "");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(Save, ByABareNameWritesHere) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  save_program(small_program(), "p.ingot");
  const Program found = load_program("p.ingot");
  fs::current_path(before);
  EXPECT_EQ(difference(found, small_program()), "");
  EXPECT_EQ(folder.file_count(), 1u);
}

}  // namespace
}  // namespace ingot::test
