// Files themselves: mapping them, replacing them.
#include <fcntl.h>
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
  AtomicFile file(folder / "a");  // what the killed one left is not in the way
  file.append("new");
  file.commit();
  EXPECT_EQ(contents(folder / "a"), "new");
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
