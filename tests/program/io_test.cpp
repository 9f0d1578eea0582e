// Files themselves: mapping them, replacing them.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program/io/atomic_write.h"
#include "program/io/mapped_file.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

namespace fs = std::filesystem;

void write_plain(const fs::path& path, std::string_view text) { std::ofstream(path, std::ios::binary) << text; }

TEST(MappedFiles, HoldsTheBytesAndOutlivesTheName) {
  const TemporaryFolder folder;
  write_plain(folder / "a", "bytes\0of a file");
  const Buffer buffer = map_file(folder / "a").buffer;
  const std::string expected = contents(folder / "a");
  fs::remove(folder / "a");
  EXPECT_EQ(text_of(buffer.bytes), expected);
}

TEST(MappedFiles, MayBeEmpty) {
  const TemporaryFolder folder;
  write_plain(folder / "a", "");
  EXPECT_TRUE(map_file(folder / "a").buffer.bytes.empty());
}

TEST(MappedFiles, IdentityTellsNamesFromFiles) {
  const TemporaryFolder folder;
  write_plain(folder / "a", "x");
  write_plain(folder / "b", "x");
  fs::create_symlink("a", folder / "link");
  fs::create_hard_link(folder / "a", folder / "hard");
  const FileIdentity a = map_file(folder / "a").identity;
  EXPECT_EQ(a, map_file(folder / "link").identity);
  EXPECT_EQ(a, map_file(folder / "hard").identity);
  EXPECT_NE(a, map_file(folder / "b").identity);
}

TEST(MappedFiles, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  const std::string base = folder.path().string();
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  write_plain(folder / "file", "x");
  EXPECT_EQ(message_of([&] { map_file(folder / "missing"); }, Code::not_found),
            "cannot open " + base + "/missing: No such file or directory");
  EXPECT_EQ(message_of([&] { map_file(folder / "file/below"); }, Code::io),
            "cannot open " + base + "/file/below: Not a directory");
  EXPECT_EQ(message_of([&] { map_file(folder.path()); }, Code::invalid_argument),
            base + " is a folder, expected a regular file");
  EXPECT_EQ(message_of([&] { map_file(folder / "pipe"); }, Code::invalid_argument),
            base + "/pipe is a pipe, expected a regular file");
  EXPECT_EQ(message_of([] { map_file("/dev/null"); }, Code::invalid_argument),
            "/dev/null is a character device, expected a regular file");
}

TEST(AtomicFiles, AppearsAtCommit) {
  const TemporaryFolder folder;
  write_plain(folder / "a", "old");
  {
    AtomicFile file(folder / "a");
    file.append("new ");
    file.append(std::as_bytes(std::span("bytes", 5)));
    EXPECT_EQ(file.size(), 9u);
    EXPECT_EQ(contents(folder / "a"), "old");
    file.commit();
  }
  EXPECT_EQ(contents(folder / "a"), "new bytes");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFiles, LeavesNothingWithoutCommit) {
  const TemporaryFolder folder;
  write_plain(folder / "a", "old");
  {
    AtomicFile old(folder / "a"), fresh(folder / "b");
    old.append("new");
    fresh.append("new");
  }
  EXPECT_EQ(contents(folder / "a"), "old");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFiles, KilledWriterLeavesTheOldFile) {
  const TemporaryFolder folder;
  write_plain(folder / "a", "old");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(folder / "a");
    file.append("half of the new");
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(contents(folder / "a"), "old");
  EXPECT_EQ(folder.file_count(), 2u);
  AtomicFile file(folder / "a");
  file.append("new");
  file.commit();
  EXPECT_EQ(contents(folder / "a"), "new");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFiles, RemovesOnlyTemporariesWithoutAWriter) {
  const TemporaryFolder folder;
  const std::vector<std::string> others = {".ingot-1-0.tmp~",  ".ingot--0.tmp",     ".ingot-1-.tmp", ".ingot-1.tmp",
                                           ".ingot-1-0-2.tmp", ".ingot-1-0x.tmp",   "ingot-1-0.tmp", ".ingot-1-0.TMP",
                                           ".ingot-p-0.tmp",   ".ingot-p.ingot.tmp"};
  for (const std::string& name : others) write_plain(folder / name, "kept");
  fs::create_directory(folder / ".ingot-7-1.tmp");
  ASSERT_EQ(::mkfifo((folder / ".ingot-7-2.tmp").c_str(), 0600), 0);
  fs::create_symlink(others[0], folder / ".ingot-7-3.tmp");
  // What another process has open and locked is in use, whatever pid its name gives.
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    AtomicFile file(folder / "b");
    file.append("half");
    static_cast<void>(!::write(ready[1], "x", 1));
    for (;;) ::pause();
  }
  char x = 0;
  ASSERT_EQ(::read(ready[0], &x, 1), 1);
  const fs::path busy = folder / fmt::format(".ingot-{}-0.tmp", child);
  AtomicFile mine(folder / "c");
  write_plain(folder / ".ingot-99999999-0.tmp", "abandoned");
  write_plain(folder / fmt::format(".ingot-{}-7.tmp", ::getpid()), "abandoned by an earlier process of this pid");

  const size_t before = folder.file_count();
  {
    const AtomicFile next(folder / "a");
  }
  EXPECT_EQ(folder.file_count(), before - 2);
  EXPECT_TRUE(fs::exists(busy));
  for (const std::string& name : others) EXPECT_TRUE(fs::exists(folder / name)) << name;
  mine.append("whole");
  mine.commit();
  EXPECT_EQ(contents(folder / "c"), "whole");

  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  {
    const AtomicFile next(folder / "a");
  }
  EXPECT_FALSE(fs::exists(busy));
  ::close(ready[0]);
  ::close(ready[1]);
}

// Two processes whose cleaning meets their writing: no temporary file in use is ever taken away.
TEST(AtomicFiles, CleaningDoesNotDisturbWriters) {
  const TemporaryFolder folder;
  const auto write_many = [&](const char* name) {
    for (int i = 0; i < 300; ++i) {
      AtomicFile file(folder / name, false);
      file.append(name);
      file.commit();
    }
  };
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    try {
      write_many("a");
    } catch (...) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  EXPECT_NO_THROW(write_many("b"));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(folder.file_count(), 2u);
}

TEST(AtomicFiles, TwoWritersDoNotMix) {
  const TemporaryFolder folder;
  AtomicFile one(folder / "a"), two(folder / "a");
  one.append("one");
  two.append("two");
  two.commit();
  one.commit();
  EXPECT_EQ(contents(folder / "a"), "one");
  EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFiles, FollowsLinksAndObeysTheUmask) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "below");
  write_plain(folder / "below/a", "old");
  fs::create_symlink("below/a", folder / "link");
  const mode_t before = ::umask(027);
  AtomicFile file(folder / "link");
  ::umask(before);
  file.append("new");
  file.commit();
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(contents(folder / "below/a"), "new");
  struct stat status;
  ASSERT_EQ(::stat((folder / "below/a").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(AtomicFiles, RefusesTargetsThatAreNoFile) {
  const TemporaryFolder folder;
  const std::string base = folder.path().string();
  write_plain(folder / "file", "x");
  EXPECT_EQ(message_of([&] { AtomicFile(folder / "missing/a"); }, Code::not_found),
            "cannot write " + base + "/missing/a: No such file or directory");
  EXPECT_EQ(message_of([&] { AtomicFile(folder / "file/a"); }, Code::io),
            "cannot write " + base + "/file/a: Not a directory");
  EXPECT_EQ(message_of([&] { AtomicFile(folder.path()); }, Code::invalid_argument),
            base + " is a folder, expected a regular file");
  EXPECT_EQ(message_of([] { AtomicFile("/dev/null"); }, Code::invalid_argument),
            "/dev/null is a character device, expected a regular file");
}

}  // namespace
}  // namespace ingot::test
