// Safetensors files: those of the safetensors package (tests/data/io/make.py), and every way to be no such file.
#include "program/io/safetensors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "program/io/mapped_file.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

std::string file_of(std::string_view header, std::string_view data = "") {
  const uint64_t length = header.size();
  std::string file(reinterpret_cast<const char*>(&length), 8);
  return file.append(header).append(data);
}

template <class T>
std::vector<T> values(const SafetensorsIndex& index, std::string_view name) {
  const Tensor tensor = index.tensor(name);
  EXPECT_EQ(tensor.sizes(), Sizes{3}) << name;
  return {tensor.as<T>().begin(), tensor.as<T>().end()};
}

std::string bytes_of(const SafetensorsIndex& index, std::string_view name, DType dtype) {
  const Tensor tensor = index.tensor(name);
  EXPECT_EQ(tensor.dtype(), dtype);
  return text_of(tensor.bytes());
}

TEST(Safetensors, ReadsEveryDType) {
  const SafetensorsIndex index(map_file(fixture("all_dtypes.safetensors")).buffer);
  ASSERT_EQ(index.entries().size(), 18u);
  EXPECT_EQ(values<bool>(index, "bool"), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(values<uint8_t>(index, "u8"), (std::vector<uint8_t>{0, 1, 255}));
  EXPECT_EQ(values<uint16_t>(index, "u16"), (std::vector<uint16_t>{0, 258, 65535}));
  EXPECT_EQ(values<uint32_t>(index, "u32"), (std::vector<uint32_t>{0, 16909060, 4294967295}));
  EXPECT_EQ(values<uint64_t>(index, "u64"), (std::vector<uint64_t>{0, 72623859790382856, UINT64_MAX}));
  EXPECT_EQ(values<int8_t>(index, "i8"), (std::vector<int8_t>{-128, -1, 127}));
  EXPECT_EQ(values<int16_t>(index, "i16"), (std::vector<int16_t>{-32768, 258, 32767}));
  EXPECT_EQ(values<int32_t>(index, "i32"), (std::vector<int32_t>{INT32_MIN, 16909060, INT32_MAX}));
  EXPECT_EQ(values<int64_t>(index, "i64"), (std::vector<int64_t>{INT64_MIN, 72623859790382856, INT64_MAX}));
  EXPECT_EQ(values<float>(index, "f32"), (std::vector<float>{1.5f, -2.25f, 3.4028234663852886e38f}));
  EXPECT_EQ(values<double>(index, "f64"), (std::vector<double>{1.5, -2.25, 1.7976931348623157e308}));
  EXPECT_EQ(bytes_of(index, "f16", DType::f16), std::string("\x00\x3e\x80\xc0\xff\x7b", 6));
  EXPECT_EQ(bytes_of(index, "bf16", DType::bf16), "\x80\x3f\x10\xc0\x7f\x7f");
  EXPECT_EQ(bytes_of(index, "f8e4m3", DType::f8e4m3), "\x38\xb8\x7e");
  EXPECT_EQ(bytes_of(index, "f8e5m2", DType::f8e5m2), "\x3c\xbc\x7b");
  EXPECT_EQ(bytes_of(index, "f8e8m0", DType::f8e8m0), "\x7f\x80\xfe");
  EXPECT_EQ(bytes_of(index, "f4e2m1", DType::f4e2m1), "\x21\xf7");
  EXPECT_EQ(index.tensor("f4e2m1").sizes(), Sizes{4});
  const Tensor c64 = index.tensor("c64");
  float parts[6];
  ASSERT_EQ(c64.bytes().size(), sizeof parts);
  std::memcpy(parts, c64.bytes().data(), sizeof parts);
  EXPECT_EQ(std::vector(parts, parts + 6), (std::vector<float>{1.5f, -2.25f, 0, 0.5f, -1, 0}));
}

TEST(Safetensors, ReadsInPlaceAndShares) {
  Tensor tensor;
  const std::byte* mapped = nullptr;
  {
    const Buffer file = map_file(fixture("metadata.safetensors")).buffer;
    mapped = file.bytes.data();
    tensor = SafetensorsIndex(file).tensor("matrix");
  }
  EXPECT_EQ(tensor.sizes(), (Sizes{2, 3}));
  EXPECT_EQ(tensor.as<float>()[5], 5.0f);
  EXPECT_EQ(tensor.bytes().data() - mapped, 128 - 24);
}

TEST(Safetensors, ReadsShapesNamesAndMetadata) {
  const SafetensorsIndex index(map_file(fixture("shapes.safetensors")).buffer);
  EXPECT_EQ(index.tensor("empty").sizes(), (Sizes{0, 4}));
  const Tensor scalar = index.tensor("s/cal\"ar\n\u00e9");
  EXPECT_EQ(scalar.sizes(), Sizes{});
  EXPECT_EQ(scalar.as<double>()[0], 7.0);
  EXPECT_TRUE(index.metadata().empty());
  const SafetensorsIndex other(map_file(fixture("metadata.safetensors")).buffer);
  EXPECT_EQ(other.metadata().at("format"), "np");
  EXPECT_EQ(other.find("__metadata__"), nullptr);
  EXPECT_EQ(message_of([&] { other.tensor("bias"); }, Code::not_found),
            "[safetensors] there is no tensor \"bias\" among 1");
}

TEST(Safetensors, CopiesWhatIsMisaligned) {
  const std::string file = contents(fixture("all_dtypes.safetensors"));
  for (size_t shift = 0; shift < 8; ++shift) {
    const SafetensorsIndex index(buffer_of(file, shift));
    EXPECT_EQ(values<double>(index, "f64")[1], -2.25);
    EXPECT_EQ(values<uint16_t>(index, "u16")[1], 258);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(index.tensor("f64").bytes().data()) % 8, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(index.tensor("c64").bytes().data()) % 8, 0u);
  }
}

TEST(Safetensors, AcceptsGapsButNothingBehindTheEnd) {
  const auto tensors = read_safetensors(buffer_of(file_of(
      R"({"b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
      "1234")));
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[1].name, "b");
  EXPECT_EQ(tensors[1].tensor.as<uint8_t>()[0], '4');
  EXPECT_TRUE(read_safetensors(buffer_of(file_of("{}"))).empty());
}

// ---------------------------------------------------------------------------------------------------------- refused

// An entry of the header with one field replaced.
std::string entry(std::string_view name, std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return std::string("\"")
      .append(name)
      .append("\":{\"dtype\":")
      .append(dtype)
      .append(",\"shape\":")
      .append(shape)
      .append(",\"data_offsets\":")
      .append(offsets)
      .append("}");
}

struct BadHeader {
  std::string entries;  // within the braces
  const char* message;  // behind `[safetensors] `; 8 bytes of data follow the header
  Code code = Code::bad_file;
};

const BadHeader bad_headers[] = {
    {entry("a", "\"F6\"", "[2]", "[0,8]"), R"(tensor "a" has the unknown dtype "F6")", Code::unsupported},
    {entry("a", "3", "[2]", "[0,8]"), R"(dtype of tensor "a" is "3", expected a string)"},
    {entry("a", "\"F32\"", "2", "[0,8]"), R"(shape of tensor "a" is "2", expected an array)"},
    {entry("a", "\"F32\"", "[2,-1]", "[0,8]"),
     R"(size of axis 1 of tensor "a" is -1, expected an integer from 0 to 2^63 - 1)"},
    {entry("a", "\"F32\"", "[2.0]", "[0,8]"),
     R"(size of axis 0 of tensor "a" is "2.0", expected an integer from 0 to 2^63 - 1)"},
    {entry("a", "\"F32\"", "[9223372036854775808]", "[0,8]"),
     R"(size of axis 0 of tensor "a" is "9223372036854775808", expected an integer from 0 to 2^63 - 1)"},
    {entry("a", "\"F32\"", "[\"2\"]", "[0,8]"),
     R"(size of axis 0 of tensor "a" is "\"2\"", expected an integer from 0 to 2^63 - 1)"},
    {entry("a", "\"F32\"", "[4294967296,4294967296]", "[0,8]"),
     R"(the sizes of axes 0 to 1 multiply to more than 2^63 - 1 elements (at "a"))", Code::limit},
    {entry("a", "\"F64\"", "[1152921504606846976]", "[0,8]"),
     R"(1152921504606846976 elements of f64 have more than 2^63 - 1 bytes (at "a"))", Code::limit},
    {entry("a", "\"F32\"", "[3]", "[0,8]"), R"(byte length of tensor "a" is 8, expected 12 (f32[3]))"},
    {entry("a", "\"F4\"", "[15]", "[0,8]"),
     R"(element count of tensor "a" is 15, expected a whole number of bytes of f4e2m1)"},
    {entry("a", "\"F32\"", "[2]", "8"), R"(data_offsets of tensor "a" is "8", expected an array)"},
    {entry("a", "\"F32\"", "[2]", "[0,4,8]"), R"(data_offsets of tensor "a" is "[0,4,8]", expected two numbers)"},
    {entry("a", "\"F32\"", "[2]", "[-8,0]"),
     R"(data_offsets of tensor "a" is -8, expected an integer from 0 to 2^63 - 1)"},
    {entry("a", "\"F32\"", "[2]", "[4,12]"),
     R"(data_offsets of tensor "a" is 4 to 12, expected a range within the 8 bytes of data)"},
    {entry("a", "\"F32\"", "[2]", "[8,0]"),
     R"(data_offsets of tensor "a" is 8 to 0, expected a range within the 8 bytes of data)"},
    {entry("a", "\"F32\"", "[1]", "[0,4]"), "size of the data section is 8, expected 4 (end of the last tensor)"},
    {"", "size of the data section is 8, expected 0 (end of the last tensor)"},
    {entry("a", "\"U8\"", "[6]", "[0,6]") + "," + entry("b", "\"U8\"", "[4]", "[4,8]"),
     R"(tensor "b" begins at 4, inside tensor "a" which ends at 6)"},
    {entry("a", "\"U8\"", "[4]", "[0,4]") + "," + entry("a", "\"U8\"", "[4]", "[4,8]"), R"(two tensors are named "a")"},
    {entry("a", "\"U8\"", "[4]", "[0,4]") + "," + entry("\\u0061", "\"U8\"", "[4]", "[4,8]"),
     R"(two tensors are named "a")"},
    {R"("a":7)", R"(entry of tensor "a" is "7", expected an object)"},
    {R"("a":{"shape":[2],"data_offsets":[0,8]})", R"(tensor "a" has no field "dtype")"},
    {R"("a":{"dtype":"F32","data_offsets":[0,8]})", R"(tensor "a" has no field "shape")"},
    {R"("a":{"dtype":"F32","shape":[2]})", R"(tensor "a" has no field "data_offsets")"},
    {R"("a":{"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]})", R"(tensor "a" has two fields "shape")"},
    {R"("a":{"dtype":"F32","shape":[2],"stride":1})", R"(tensor "a" has an unknown field "stride")"},
    {R"("__metadata__":[])", R"(__metadata__ is "[]", expected an object)"},
    {R"("__metadata__":{"k":1})", R"(__metadata__ of key "k" is "1", expected a string)"},
    {R"("__metadata__":{"k":"1","k":"2"})", R"(two entries of __metadata__ have the key "k")"},
    {R"("__metadata__":{},"__metadata__":{})", "header has two entries __metadata__"},
};

TEST(Safetensors, RefusesBadHeaders) {
  for (const BadHeader& row : bad_headers) {
    const Buffer file = buffer_of(file_of("{" + row.entries + "}", "12345678"));
    EXPECT_EQ(message_of([&] { SafetensorsIndex index(file); }, row.code), std::string("[safetensors] ") + row.message);
  }
}

TEST(Safetensors, RefusesBadFiles) {
  const auto message = [](std::string_view file) {
    return message_of([&] { SafetensorsIndex index(buffer_of(file)); }, Code::bad_file);
  };
  EXPECT_EQ(message(""), "[safetensors] file size is 0, expected at least 8 bytes");
  EXPECT_EQ(message("1234567"), "[safetensors] file size is 7, expected at least 8 bytes");
  EXPECT_EQ(message(std::string("\x03\0\0\0\0\0\0\0{}", 10)),
            "[safetensors] header length is 3, expected at most 2 (rest of the file)");
  EXPECT_EQ(message(std::string("\x01\xe1\xf5\x05\0\0\0\0{}", 10)),
            "[safetensors] header length is 100000001, expected at most 100000000");
  EXPECT_EQ(message("\xff\xff\xff\xff\xff\xff\xff\xff{}"),
            "[safetensors] header length is 18446744073709551615, expected at most 100000000");
  EXPECT_EQ(message(file_of("[]")), "[safetensors] header is \"[]\", expected an object");
  for (const char* header : {"", "{", "{]", "{} {}", "{\"a\xff\":1}", "nonsense"}) {
    EXPECT_EQ(message(file_of(header)).find("[safetensors] header is not valid JSON: "), 0u) << header;
  }
}

TEST(Safetensors, RefusesEveryTruncation) {
  const std::string file = contents(fixture("all_dtypes.safetensors"));
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_THROW(read_safetensors(buffer_of(file.substr(0, size))), Error) << size;
  }
}

TEST(Safetensors, RefusesBoolsThatAreNone) {
  const SafetensorsIndex index(buffer_of(file_of("{" + entry("a", "\"BOOL\"", "[3]", "[0,3]") + "}", "\1\1\2")));
  EXPECT_EQ(message_of([&] { index.tensor("a"); }, Code::bad_file),
            "[safetensors] bool element 2 is 2, expected 0 or 1 (at \"a\")");
}

TEST(Safetensors, LongAndUnprintableNamesStayReadableInMessages) {
  const std::string name = "\\u0007" + std::string(1000, 'x');
  const Buffer file = buffer_of(file_of("{\"" + name + "\":7}"));
  EXPECT_EQ(message_of([&] { SafetensorsIndex index(file); }, Code::bad_file),
            "[safetensors] entry of tensor \"\\x07" + std::string(79, 'x') + "\"... is \"7\", expected an object");
}

// ---------------------------------------------------------------------------------------------------------- written

TEST(Safetensors, WritesTheBytesOfThePackage) {
  const TemporaryFolder folder;
  for (const char* name : {"all_dtypes.safetensors", "shapes.safetensors"}) {
    auto tensors = read_safetensors(map_file(fixture(name)).buffer);
    std::reverse(tensors.begin(), tensors.end());
    write_safetensors(folder / name, tensors);
    EXPECT_EQ(contents(folder / name), contents(fixture(name))) << name;
  }
  EXPECT_EQ(folder.file_count(), 2u);
}

TEST(Safetensors, WritesMetadata) {
  const TemporaryFolder folder;
  const SafetensorsMetadata metadata = {{"a \"b\"", "i4[8]"}, {"c", ""}};
  write_safetensors(folder / "m.safetensors", std::vector<NamedTensor>{{"x", Tensor()}}, metadata);
  const SafetensorsIndex index(map_file(folder / "m.safetensors").buffer);
  EXPECT_EQ(index.metadata(), metadata);
  EXPECT_EQ(index.entries().size(), 1U);
}

TEST(Safetensors, RefusesToWriteWhatTheFormatCannotHold) {
  const TemporaryFolder folder;
  const auto message = [&](std::vector<NamedTensor> tensors, Code code) {
    return message_of([&] { write_safetensors(folder / "a", tensors); }, code);
  };
  const QuantScheme scheme;
  EXPECT_EQ(message({{"a", Tensor()}, {"a", Tensor()}}, Code::invalid_argument),
            "[safetensors] two tensors are named \"a\"");
  EXPECT_EQ(message({{"__metadata__", Tensor()}}, Code::invalid_argument),
            "[safetensors] a tensor cannot be named \"__metadata__\"");
  EXPECT_EQ(message({{"a\xff", Tensor()}}, Code::invalid_argument),
            "[safetensors] tensor name \"a\\xff\" is not valid UTF-8");
  EXPECT_EQ(message({{"a", Tensor::allocate(DType::i4, {2})}}, Code::unsupported),
            "[safetensors] tensor \"a\" is i4, which has no safetensors dtype");
  EXPECT_EQ(message({{"a", Tensor::allocate(DType::packed, {64}, scheme)}}, Code::unsupported),
            "[safetensors] tensor \"a\" is packed, which has no safetensors dtype");
  EXPECT_EQ(message({{"a", Tensor::allocate(DType::f4e2m1, {3})}}, Code::unsupported),
            "[safetensors] element count of tensor \"a\" is 3, expected a whole number of bytes of f4e2m1");
  EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace ingot::test
