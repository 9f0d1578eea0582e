// Files that begin wrongly, end early or have a damaged header: each refused, with a sentence that says what it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "tests/file/damage.h"
#include "tests/file/programs.h"

namespace ingot::test {
namespace {

Damage small() { return Damage(small_program()); }

std::string refusal_of(std::string_view text, Code code = Code::bad_file) {
  return message_of([&] { read_program(buffer_of(text)); }, code);
}

TEST(DamagedHeader, SaysWhatElseAFileSeemsToBe) {
  const std::pair<std::string, std::string> cases[] = {
      {"\x1f\x8b\x08 and so on", "that of a gzip file: unpack it first"},
      {"PK\x03\x04 and so on", "that of a zip archive, such as .npz and .pt2 files are"},
      {"GGUF\x03", "that of a GGUF file"},
      {"\x93NUMPY\x01", "that of an .npy file"},
      {"\x08\x07\x12", "that of a protobuf message, such as .onnx files are"},
      {std::string("\x10\0\0\0\0\0\0\0{\"a\"", 12), "that of a safetensors file"},
      {"ingot 1\nmethod f", "text"},
      {"\x89INGOT\n\x01\0\0\0", "that of an .ingot file after a transfer in text mode: transfer it as binary"},
      {"\x89INGOT\r\r\n\x01", "that of an .ingot file after a transfer in text mode: transfer it as binary"},
      {"\x09INGOT\r\n", "that of an .ingot file after a transfer in 7 bits: transfer it as binary"},
      {"\xff\xfe\x01\x02\x03\x04\x05\x06\x07", "ff fe 01 02 03 04 05 06"},
      {"\x01", "01"},
  };
  for (const auto& [bytes, seems] : cases) {
    EXPECT_EQ(refusal_of(bytes),
              "the beginning of the file is " + seems + ", expected that of an .ingot file (89 49 4e 47 4f 54 0d 0a)");
  }
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

TEST(DamagedHeader, NoticesATransferInTextMode) {
  const std::string file = text_of(small().bytes());
  for (const std::string& mangled : {replaced(file, "\r\n", "\n"), replaced(file, "\n", "\r\n")}) {
    EXPECT_NE(refusal_of(mangled).find("after a transfer in text mode"), std::string::npos);
  }
}

TEST(DamagedHeader, RefusesEveryPrefix) {
  const std::string file = text_of(small().bytes());
  for (size_t size = 0; size < file.size(); ++size) {
    const std::string text = refusal_of(std::string_view(file).substr(0, size));
    const std::string_view subject = size < 64 ? "file size is "
                                     : text.starts_with("FlatBuffer size")
                                         ? "FlatBuffer size is "
                                         : "size of the file from the segments offset on is ";
    ASSERT_TRUE(text.starts_with(subject)) << size << ": " << text;
  }
  EXPECT_EQ(refusal_of(""), "file size is 0, expected at least 64 bytes");
  EXPECT_EQ(refusal_of(file.substr(0, 63)), "file size is 63, expected at least 64 bytes");
  EXPECT_EQ(refusal_of(file + '\0'), "size of the file from the segments offset on is 16388, expected 16387");
}

TEST(DamagedHeader, RefusesANewerReader) {
  Damage damage = small();
  damage.put<uint32_t>(8, 7).put<uint32_t>(12, 5);
  EXPECT_EQ(damage.refusal(Code::version),
            "file needs reader version 5, this build reads up to 2: update Ingot, or re-export with an older version");
}

TEST(DamagedHeader, ReadsANewerFormatThatThisReaderUnderstands) {
  Damage damage = small();
  damage.put<uint32_t>(8, 7).repair();
  EXPECT_EQ(difference(damage.read(), small_program()), "");
  EXPECT_EQ(file_facts(damage.bytes()).format_version, 7u);
}

struct HeaderCase {
  size_t offset;
  uint64_t value;  // its low half for fields of 4 bytes
  std::string message;
};

TEST(DamagedHeader, ChecksEveryField) {
  const uint64_t file = small().bytes().size();
  const std::string rest = std::to_string(file - 64), segments = std::to_string(file - 16384);
  const HeaderCase cases[] = {
      {8, 0, "minimum reader version is 1, expected 1 to 0 (the format version)"},
      {12, 0, "minimum reader version is 0, expected 1 to 1 (the format version)"},
      {16, 0x04030201, "byte-order mark is 04030201, expected 01020304"},
      {20, 0, "header size is 0, expected 64"},
      {20, 128, "header size is 128, expected 64"},
      {24, 0, "FlatBuffer offset is 0, expected 64"},
      {24, UINT64_MAX, "FlatBuffer offset is 18446744073709551615, expected 64"},
      {32, UINT64_MAX, "FlatBuffer size is 18446744073709551615, expected at most " + rest + " (rest of the file)"},
      {32, UINT64_MAX - 63,
       "FlatBuffer size is 18446744073709551552, expected at most " + rest + " (rest of the file)"},
      {32, 16384, "segments offset is 16384, expected 32768"},
      {40, 0, "segments offset is 0, expected 16384"},
      {40, 64, "segments offset is 64, expected 16384"},
      {40, 16385, "segments offset is 16385, expected 16384"},
      {40, 32768, "segments offset is 32768, expected 16384"},
      {40, UINT64_MAX - 16383, "segments offset is 18446744073709535232, expected 16384"},
      {48, 0, "segments offset of a file without segments is 16384, expected 0"},
      {48, UINT64_MAX,
       "size of the file from the segments offset on is " + segments + ", expected 18446744073709551615"},
      {48, 1, "size of the file from the segments offset on is " + segments + ", expected 1"},
  };
  for (const HeaderCase& c : cases) {
    Damage damage = small();
    c.offset < 24 ? damage.put(c.offset, static_cast<uint32_t>(c.value)) : damage.put(c.offset, c.value);
    EXPECT_EQ(damage.refusal(), c.message);
  }
  Damage without = Damage(Program());
  EXPECT_EQ(without.put<uint64_t>(40, 16384).refusal(),
            "segments offset of a file without segments is 16384, expected 0");
  EXPECT_EQ(without.put<uint64_t>(40, 0).put<uint64_t>(32, 8).refusal(),
            "file size is " + std::to_string(without.bytes().size()) + ", expected 72");
}

TEST(DamagedHeader, ComparesTheChecksum) {
  Damage damage = small();
  const uint64_t right = damage.get<uint64_t>(56);
  damage.put<uint64_t>(56, 1);
  EXPECT_EQ(message_of([&] { damage.read(); }, Code::bad_file),
            fmt::format("checksum is {:016x}, expected 0000000000000001", right));
  // Each byte that it covers.
  for (const size_t at : {size_t{64}, size_t{64 + 7}, 64 + small().get<uint64_t>(32) - 1}) {
    Damage changed = small();
    changed.bytes()[at] ^= std::byte{1};
    EXPECT_TRUE(message_of([&] { changed.read(); }, Code::bad_file).starts_with("checksum is ")) << at;
  }
}

}  // namespace
}  // namespace ingot::test
