// What the tests of files share: fixtures, a folder to write to, and the sentence of an error.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "gen/test_paths.h"
#include "program/error.h"
#include "program/tensor.h"

namespace ingot::test {

// The text of the Error that `f` throws, whose code is compared.
template <class F>
std::string message_of(F f, Code code) {
  try {
    f();
  } catch (const Error& error) {
    EXPECT_EQ(to_string(error.code()), to_string(code)) << error.what();
    return error.what();
  }
  return "no error";
}

inline std::filesystem::path fixture(std::string_view name) {
  return std::filesystem::path(source_dir) / "tests/data/io" / name;
}

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// A copy, `shift` bytes behind a boundary of 64.
inline Buffer buffer_of(std::string_view text, size_t shift = 0) {
  const std::string shifted = std::string(shift, '\0').append(text);
  Buffer whole = Buffer::copy_of(std::as_bytes(std::span(shifted)));
  return {whole.owner, whole.bytes.subspan(shift)};
}

inline std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// An empty folder of its own, gone at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "ingot-test-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  size_t file_count() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ingot::test
