// .npy files: those of NumPy (tests/data/io/make.py), and every way to be no such file.
#include "program/io/npy.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "program/io/mapped_file.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

Tensor read_fixture(const std::string& name) { return read_npy(map_file(fixture("npy/" + name + ".npy")).buffer); }

template <class T>
std::vector<T> values(const Tensor& tensor) {
  return {tensor.as<T>().begin(), tensor.as<T>().end()};
}

std::string file_of(std::string_view header, std::string_view data = "", char major = 1, char minor = 0) {
  std::string file = "\x93NUMPY";
  const auto length = static_cast<uint32_t>(header.size());
  file.append({major, minor}).append(reinterpret_cast<const char*>(&length), major == 1 ? 2 : 4);
  return file.append(header).append(data);
}

// Little- and big-endian files of the same numbers.
TEST(Npy, ReadsEveryDType) {
  for (const std::string order : {"", "big_"}) {
    const auto read = [&](const char* name) { return read_fixture(order + name); };
    EXPECT_EQ(values<bool>(read("bool")), (std::vector<bool>{true, false, true}));
    EXPECT_EQ(values<uint8_t>(read("u8")), (std::vector<uint8_t>{0, 1, 255}));
    EXPECT_EQ(values<uint16_t>(read("u16")), (std::vector<uint16_t>{0, 258, 65535}));
    EXPECT_EQ(values<uint32_t>(read("u32")), (std::vector<uint32_t>{0, 16909060, 4294967295}));
    EXPECT_EQ(values<uint64_t>(read("u64")), (std::vector<uint64_t>{0, 72623859790382856, UINT64_MAX}));
    EXPECT_EQ(values<int8_t>(read("i8")), (std::vector<int8_t>{-128, -1, 127}));
    EXPECT_EQ(values<int16_t>(read("i16")), (std::vector<int16_t>{-32768, 258, 32767}));
    EXPECT_EQ(values<int32_t>(read("i32")), (std::vector<int32_t>{INT32_MIN, 16909060, INT32_MAX}));
    EXPECT_EQ(values<int64_t>(read("i64")), (std::vector<int64_t>{INT64_MIN, 72623859790382856, INT64_MAX}));
    EXPECT_EQ(values<float>(read("f32")), (std::vector<float>{1.5f, -2.25f, 3.4028234663852886e38f}));
    EXPECT_EQ(values<double>(read("f64")), (std::vector<double>{1.5, -2.25, 1.7976931348623157e308}));
    EXPECT_EQ(read("f16").dtype(), DType::f16);
    EXPECT_EQ(text_of(read("f16").bytes()), std::string("\x00\x3e\x80\xc0\xff\x7b", 6));
    const Tensor c64 = read("c64");
    EXPECT_EQ(to_string(c64.type()), "c64[3]");
    float parts[6];
    std::memcpy(parts, c64.bytes().data(), sizeof parts);
    EXPECT_EQ(std::vector(parts, parts + 6), (std::vector<float>{1.5f, -2.25f, 0, 0.5f, -1, 0}));
  }
}

TEST(Npy, ReadsEveryOrderAndVersion) {
  std::vector<int32_t> expected(24);
  std::iota(expected.begin(), expected.end(), 0);
  for (const char* name : {"cube", "cube_fortran", "cube_big_fortran", "version2", "version3"}) {
    const Tensor cube = read_fixture(name);
    EXPECT_EQ(to_string(cube.type()), "i32[2, 3, 4]") << name;
    EXPECT_EQ(values<int32_t>(cube), expected) << name;
  }
  EXPECT_EQ(to_string(read_fixture("empty").type()), "i16[0, 4]");
  EXPECT_EQ(read_fixture("scalar").sizes(), Sizes{});
  EXPECT_EQ(read_fixture("scalar").as<double>()[0], 7.0);
}

TEST(Npy, ReadsInPlaceOrCopiesWhatIsMisaligned) {
  const std::string file = contents(fixture("npy/f64.npy"));
  for (size_t shift = 0; shift < 8; ++shift) {
    const Buffer buffer = buffer_of(file, shift);
    const Tensor tensor = read_npy(buffer);
    EXPECT_EQ(tensor.bytes().data() == buffer.bytes.data() + 128, shift == 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.bytes().data()) % 8, 0u);
    EXPECT_EQ(tensor.as<double>()[1], -2.25);
  }
}

TEST(Npy, ReadsOtherSpellingsOfTheHeader) {
  const auto read = [](std::string_view header) {
    return read_npy(buffer_of(file_of(header, std::string_view("\1\0\1", 3))));
  };
  EXPECT_EQ(to_string(read("{\"shape\":(3L,),\"fortran_order\":True,\"descr\":\"|?\"}").type()), "bool[3]");
  EXPECT_EQ(to_string(read("{'descr':'<u1','fortran_order':False,'shape':(1,3,),}  \n").type()), "u8[1, 3]");
}

// A million axes of size 1 cost no more than their header.
TEST(Npy, ManyAxes) {
  std::string shape = "(";
  for (int i = 0; i < 1'000'000; ++i) shape += "1,";
  const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': " + shape + "65536), }";
  const Tensor tensor = read_npy(buffer_of(file_of(header, std::string(65536, 'x'), 2)));
  EXPECT_EQ(tensor.sizes().size(), 1'000'001u);
  EXPECT_EQ(tensor.elements(), 65536);
}

// ---------------------------------------------------------------------------------------------------------- refused

struct BadFixture {
  const char* name;
  const char* dtype;
};

TEST(Npy, RefusesDTypesByName) {
  const BadFixture rows[] = {
      {"object", R"("|O" (object))"}, {"string", R"("<U2" (string))"},        {"bytes", R"("|S2" (byte string))"},
      {"void", R"("|V2" (void))"},    {"datetime", R"("<M8[D]" (datetime))"}, {"complex128", R"("<c16" (complex128))"},
  };
  for (const BadFixture& row : rows) {
    EXPECT_EQ(message_of([&] { read_fixture(row.name); }, Code::unsupported),
              std::string("[npy] dtype is ") + row.dtype + ", expected a number of at most 64 bits or bool");
  }
  EXPECT_EQ(message_of([] { read_fixture("structured"); }, Code::unsupported)
                .find(R"([npy] dtype is structured ("[('a', '<f4'), ('b', '<i4')], 'fortran_order')"),
            0u);
}

struct BadHeader {
  const char* header;
  const char* message;
  Code code = Code::bad_file;
};

constexpr BadHeader bad_headers[] = {
    {"", "byte 0 of the header is the end, expected '{'"},
    {"[]", "byte 0 of the header is \"[\", expected '{'"},
    {"{descr", "byte 1 of the header is \"d\", expected a key, in quotes"},
    {"{'descr", "byte 1 of the header is an unterminated string, expected a closing quote"},
    {"{'descr' '<f4'", "byte 9 of the header is \"'\", expected ':'"},
    {"{'descr': <f4", "byte 10 of the header is \"<\", expected a dtype, in quotes"},
    {"{'descr': '<f4' 'shape'", "byte 16 of the header is \"'\", expected ','"},
    {"{'order': 'C'}",
     "byte 9 of the header is an unknown key \"order\", expected 'descr', 'fortran_order' or 'shape'"},
    {"{'fortran_order': 1}", "byte 18 of the header is \"1\", expected True or False"},
    {"{'shape': 3}", "byte 10 of the header is \"3\", expected '('"},
    {"{'shape': (3)}", "byte 12 of the header is \")\", expected ','"},
    {"{'shape': (3, x)}", "byte 14 of the header is \"x\", expected an integer from 0 to 2^63 - 1"},
    {"{'shape': (3, -1)}", "byte 14 of the header is \"-\", expected an integer from 0 to 2^63 - 1"},
    {"{'shape': (9223372036854775808,)}",
     "byte 11 of the header is a size that overflows, expected an integer from 0 to 2^63 - 1"},
    {"{'shape': (3,", "byte 13 of the header is the end, expected an integer from 0 to 2^63 - 1"},
    {"{'shape': (), 'shape': ()}", "byte 22 of the header is a second 'shape', expected each key once"},
    {"{'fortran_order': False, 'shape': ()}", "header has no 'descr'"},
    {"{'descr': '<f4', 'shape': ()}", "header has no 'fortran_order'"},
    {"{'descr': '<f4', 'fortran_order': False}", "header has no 'shape'"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", "byte 54 of the header is \"x\", expected the end"},
    {"{'descr': '|f4', 'fortran_order': False, 'shape': ()}",
     "dtype is \"|f4\", expected one with its byte order, '<' or '>'"},
    {"{'descr': 'f4', 'fortran_order': False, 'shape': ()}",
     "dtype is \"f4\", expected one with its byte order, '<' or '>'"},
    {"{'descr': '', 'fortran_order': False, 'shape': ()}",
     "dtype is \"\" (unknown), expected a number of at most 64 bits or bool", Code::unsupported},
    {"{'descr': '<f3', 'fortran_order': False, 'shape': ()}",
     "dtype is \"<f3\" (unknown), expected a number of at most 64 bits or bool", Code::unsupported},
    {"{'descr': '<f16', 'fortran_order': False, 'shape': ()}",
     "dtype is \"<f16\" (float128), expected a number of at most 64 bits or bool", Code::unsupported},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': ()}", "byte length of the elements is 5, expected 4 (f32[])"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
     "byte length of the elements is 5, expected 8 (f32[2])"},
    {"{'descr': '|b1', 'fortran_order': False, 'shape': (5,)}", "bool element 4 is 5, expected 0 or 1"},
    {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
     "the sizes of axes 0 to 1 multiply to more than 2^63 - 1 elements", Code::limit},
};

TEST(Npy, RefusesBadHeaders) {
  for (const BadHeader& row : bad_headers) {
    const Buffer file = buffer_of(file_of(row.header, std::string_view("\0\1\0\1\5", 5)));
    EXPECT_EQ(message_of([&] { read_npy(file); }, row.code), std::string("[npy] ") + row.message) << row.header;
  }
}

TEST(Npy, RefusesBadFiles) {
  const auto message = [](std::string_view file, Code code = Code::bad_file) {
    return message_of([&] { read_npy(buffer_of(file)); }, code);
  };
  EXPECT_EQ(message(""), R"([npy] magic is "", expected "\x93NUMPY")");
  EXPECT_EQ(message("PK\3\4 an archive"), R"([npy] magic is "PK\x03\x04 a", expected "\x93NUMPY")");
  EXPECT_EQ(message("\x93NUMPY\1"), "[npy] file size is 7, expected at least 10 bytes");
  EXPECT_EQ(message(std::string("\x93NUMPY\1\0\2", 9)), "[npy] file size is 9, expected at least 10 bytes");
  EXPECT_EQ(message(std::string("\x93NUMPY\2\0\2\0", 10)), "[npy] file size is 10, expected at least 12 bytes");
  EXPECT_EQ(message(std::string("\x93NUMPY\1\0\5\0{}", 12)),
            "[npy] header length is 5, expected at most 2 (rest of the file)");
  EXPECT_EQ(message("\x93NUMPY\2" + std::string("\0\xff\xff\xff\xff{}", 7)),
            "[npy] header length is 4294967295, expected at most 2 (rest of the file)");
  EXPECT_EQ(message(file_of("{}", "", 4), Code::version), "[npy] version is 4.0, expected 1.0, 2.0 or 3.0");
  EXPECT_EQ(message(file_of("{}", "", 1, 1), Code::version), "[npy] version is 1.1, expected 1.0, 2.0 or 3.0");
}

TEST(Npy, RefusesEveryTruncation) {
  for (const char* name : {"npy/f32.npy", "npy/cube_fortran.npy", "npy/version2.npy"}) {
    const std::string file = contents(fixture(name));
    for (size_t size = 0; size < file.size(); ++size) {
      EXPECT_THROW(read_npy(buffer_of(file.substr(0, size))), Error) << name << " " << size;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------- written

TEST(Npy, WritesTheBytesOfNumPy) {
  const TemporaryFolder folder;
  for (const char* name : {"bool", "u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "f16", "f32", "f64", "c64",
                           "cube", "scalar", "empty"}) {
    write_npy(folder / name, read_fixture(name));
    EXPECT_EQ(contents(folder / name), contents(fixture(std::string("npy/") + name + ".npy"))) << name;
  }
}

TEST(Npy, WritesVersion2WhereTheHeaderIsLong) {
  const std::string prefix = npy_prefix(Tensor::allocate(DType::u8, Sizes(30'000, 1)));
  EXPECT_EQ(prefix.substr(0, 8), std::string("\x93NUMPY\2\0", 8));
  EXPECT_EQ(prefix.size() % 64, 0u);
  uint32_t length;
  std::memcpy(&length, prefix.data() + 8, 4);
  EXPECT_EQ(length, prefix.size() - 12);
  const Tensor tensor = read_npy(buffer_of(prefix + "x"));
  EXPECT_EQ(tensor.sizes(), Sizes(30'000, 1));
}

TEST(Npy, RefusesToWriteWhatNumPyLacks) {
  const TemporaryFolder folder;
  for (const DType dtype : {DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::f8e8m0, DType::f4e2m1, DType::i4}) {
    EXPECT_EQ(message_of([&] { write_npy(folder / "a", Tensor::allocate(dtype, {2})); }, Code::unsupported),
              "[npy] " + std::string(to_string(dtype)) + " has no .npy dtype; write a .safetensors file instead");
  }
  EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace ingot::test
