// .npz files: those of NumPy (tests/data/io/make.py), what libzip finds in ours, and archives that lie.
#include "program/io/npz.h"

#include <gtest/gtest.h>
#include <zip.h>

#include "program/io/mapped_file.h"
#include "program/io/npy.h"
#include "tests/program/io_support.h"

namespace ingot::test {
namespace {

std::vector<NamedTensor> read_fixture(const char* name) { return read_npz(map_file(fixture(name)).buffer); }

TEST(Npz, ReadsStoredArrays) {
  const auto tensors = read_fixture("stored.npz");
  ASSERT_EQ(tensors.size(), 14u);
  EXPECT_EQ(tensors[7].name, "i32");
  EXPECT_EQ(tensors[7].tensor.as<int32_t>()[1], 16909060);
  EXPECT_EQ(tensors[11].name, "f64");
  EXPECT_EQ(tensors[11].tensor.as<double>()[1], -2.25);
  EXPECT_EQ(tensors[13].name, "layer/\u00e9");
  EXPECT_EQ(tensors[13].tensor.as<float>()[0], 7.0f);
  EXPECT_TRUE(read_fixture("nothing.npz").empty());
}

TEST(Npz, ReadsDeflatedArrays) {
  const auto tensors = read_fixture("deflated.npz");
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(to_string(tensors[0].tensor.type()), "i64[2, 3, 4]");
  for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(tensors[0].tensor.as<int64_t>()[static_cast<size_t>(i)], i);
  EXPECT_EQ(to_string(tensors[1].tensor.type()), "u8[1048576]");
  EXPECT_EQ(tensors[1].tensor.as<uint8_t>().back(), 0);
}

TEST(Npz, StopsAtTheLimit) {
  const Buffer file = map_file(fixture("deflated.npz")).buffer;
  const uint64_t cube = 128 + 24 * 8, zeros = 128 + (1 << 20);
  EXPECT_EQ(read_npz(file, {.max_bytes = cube + zeros}).size(), 2u);
  EXPECT_EQ(message_of([&] { read_npz(file, {.max_bytes = cube + zeros - 1}); }, Code::limit),
            "[npz] size of \"zeros.npy\" is 1048704, expected at most 1048703 (rest of the limit)");
  EXPECT_EQ(message_of([&] { read_npz(file, {.max_bytes = 1}); }, Code::limit),
            "[npz] size of \"cube.npy\" is 320, expected at most 1 (rest of the limit)");
}

// ---------------------------------------------------------------------------------------------------------- refused

struct Entry {
  std::string name, bytes;
  int method = ZIP_CM_STORE;
};

// An archive by libzip.
std::string archive_of(const std::vector<Entry>& entries, const char* password = nullptr) {
  const TemporaryFolder folder;
  zip_t* archive = zip_open((folder / "a").c_str(), ZIP_CREATE, nullptr);
  for (const Entry& e : entries) {
    zip_source_t* source = zip_source_buffer(archive, e.bytes.data(), e.bytes.size(), 0);
    const zip_int64_t at = zip_file_add(archive, e.name.c_str(), source, 0);
    EXPECT_EQ(zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), e.method, 0), 0);
    if (password) zip_file_set_encryption(archive, static_cast<zip_uint64_t>(at), ZIP_EM_TRAD_PKWARE, password);
  }
  EXPECT_EQ(zip_close(archive), 0);
  return contents(folder / "a");
}

// The u32 at `offset` of the n-th record with this signature.
void patch(std::string& archive, std::string_view signature, size_t offset, uint32_t value, int n = 0) {
  size_t at = archive.find(signature);
  while (n-- > 0) at = archive.find(signature, at + 1);
  ASSERT_NE(at, std::string::npos);
  archive.replace(at + offset, 4, reinterpret_cast<const char*>(&value), 4);
}

constexpr std::string_view kDirectory = "PK\1\2";
constexpr size_t kCompressedAt = 20, kSizeAt = 24, kHeaderAt = 42;

std::string message(std::string_view archive, Code code = Code::bad_file) {
  return message_of([&] { read_npz(buffer_of(archive)); }, code);
}

const std::string f32 = contents(fixture("npy/f32.npy"));

TEST(Npz, RefusesWhatIsNoArchive) {
  EXPECT_EQ(message(""), "[npz] cannot open the archive: Not a zip archive");
  EXPECT_EQ(message("not an archive"), "[npz] cannot open the archive: Not a zip archive");
  EXPECT_EQ(message(archive_of({{"a.txt", "text"}})), "[npz] name of an entry is \"a.txt\", expected NAME.npy");
  EXPECT_EQ(message(archive_of({{"a.npy", "text"}})),
            "[npy] magic is \"text\", expected \"\\x93NUMPY\" (at \"a.npy\")");
  std::string twice = archive_of({{"a.npy", f32}, {"b.npy", f32}});
  for (size_t at; (at = twice.find("b.npy")) != std::string::npos;) twice[at] = 'a';
  EXPECT_EQ(message(twice), "[npz] two tensors have one name: \"a\"");
}

TEST(Npz, RefusesOtherCompressionAndEncryption) {
  std::string archive = archive_of({{"a.npy", f32}});
  patch(archive, kDirectory, 10, 98);  // method, and a time of 0
  EXPECT_EQ(message(archive, Code::unsupported),
            "[npz] compression of \"a.npy\" is method 98, expected stored or deflated");
  EXPECT_EQ(message(archive_of({{"a.npy", f32}}, "secret"), Code::unsupported), "[npz] \"a.npy\": is encrypted");
}

TEST(Npz, RefusesSizesThatLie) {
  const std::string honest = archive_of({{"a.npy", f32}});
  ASSERT_EQ(read_npz(buffer_of(honest)).size(), 1u);
  std::string archive = honest;
  patch(archive, kDirectory, kSizeAt, 0xfffffff0);
  EXPECT_EQ(message(archive), "[npz] size of \"a.npy\" is 4294967280, expected at most 140 from 140 compressed bytes");
  archive = honest;
  patch(archive, kDirectory, kSizeAt, 100);
  EXPECT_EQ(message(archive), "[npy] header length is 118, expected at most 90 (rest of the file) (at \"a.npy\")");
  archive = honest;
  patch(archive, kDirectory, kSizeAt, 136);
  EXPECT_EQ(message(archive), "[npy] byte length of the elements is 8, expected 12 (f32[3]) (at \"a.npy\")");
  archive = honest;
  patch(archive, kDirectory, kCompressedAt, 5000);
  EXPECT_EQ(message(archive), "[npz] compressed size of \"a.npy\" is 5000, expected at most " +
                                  std::to_string(honest.size()) + " (rest of the file)");
}

// A deflated entry that unpacks to more, or less, than it declares is read no further than that.
TEST(Npz, RefusesBombs) {
  const std::string large(1 << 20, '\0');
  std::string archive = archive_of({{"a.npy", f32 + large, ZIP_CM_DEFLATE}});
  EXPECT_EQ(message(archive), "[npy] byte length of the elements is 1048588, expected 12 (f32[3]) (at \"a.npy\")");
  patch(archive, kDirectory, kSizeAt, 140);
  EXPECT_EQ(message(archive), "[npz] \"a.npy\": has more bytes than the 140 that the archive declares (at \"a.npy\")");
  const std::string header = npy_prefix(Tensor::allocate(DType::u8, {1 << 20}));
  archive = archive_of({{"a.npy", header + large.substr(1), ZIP_CM_DEFLATE}});
  patch(archive, kDirectory, kSizeAt, (1 << 20) + 128);
  EXPECT_EQ(message(archive),
            "[npz] \"a.npy\": has fewer bytes than the 1048704 that the archive declares (at \"a.npy\")");
}

// The elements are broken, which only reading them can show.
TEST(Npz, IndexReadsHeadersAlone) {
  std::string archive = archive_of({{"a.npy", f32}, {"b.npy", f32}});
  archive[archive.find("\x93NUMPY") + 135] ^= 1;
  const Buffer file = buffer_of(archive);
  NpzIndex index(file, {.max_bytes = 279});
  ASSERT_EQ(index.entries().size(), 2u);
  EXPECT_EQ(index.entries()[0].name, "a");
  EXPECT_EQ(to_string(index.entries()[0].type), "f32[3]");
  EXPECT_EQ(index.tensor(index.entries()[1]).elements(), 3);
  EXPECT_EQ(message_of([&] { index.tensor(index.entries()[0]); }, Code::limit),
            "[npz] size of \"a.npy\" is 140, expected at most 139 (rest of the limit)");
  NpzIndex whole(file);
  EXPECT_EQ(message_of([&] { whole.tensor(whole.entries()[0]); }, Code::bad_file),
            "[npz] cannot read \"a.npy\": CRC error (at \"a.npy\")");
}

TEST(Npz, RefusesLargeHeaders) {
  const auto with_shape = [](size_t axes) {
    std::string dict = "{'descr': '|u1', 'fortran_order': False, 'shape': (";
    for (size_t i = 0; i < axes; ++i) dict += "1,";
    dict += ")}";
    const auto length = static_cast<uint32_t>(dict.size());
    return std::string("\x93NUMPY\2\0", 8) + std::string(reinterpret_cast<const char*>(&length), 4) + dict + "x";
  };
  const auto refused = [&](size_t axes) {
    return message(archive_of({{"a.npy", with_shape(axes), ZIP_CM_DEFLATE}}), Code::limit);
  };
  EXPECT_EQ(read_npz(buffer_of(archive_of({{"a.npy", with_shape(64)}}))).size(), 1u);
  EXPECT_EQ(refused(65), "[npz] rank is 65, expected at most 64 (at \"a.npy\")");
  EXPECT_EQ(refused(40'000), "[npz] header of \"a.npy\" is 80065 bytes, expected at most 65536 (at \"a.npy\")");
}

TEST(Npz, RefusesEntriesThatShareBytes) {
  std::string archive = archive_of({{"a.npy", f32}, {"b.npy", f32}, {"c.npy", f32}});
  const auto large = static_cast<uint32_t>(archive.size() / 2);
  for (const int n : {0, 1, 2}) {
    patch(archive, kDirectory, kCompressedAt, large, n);
    patch(archive, kDirectory, kSizeAt, large, n);
    patch(archive, kDirectory, kHeaderAt, 0, n);
  }
  EXPECT_EQ(message(archive).find("[np"), 0u);
}

TEST(Npz, RefusesBrokenBytes) {
  std::string archive = archive_of({{"a.npy", f32}});
  archive[archive.find("\x93NUMPY") + 135] ^= 1;
  EXPECT_EQ(message(archive), "[npz] cannot read \"a.npy\": CRC error (at \"a.npy\")");
}

// ---------------------------------------------------------------------------------------------------------- written

// Libzip opens the archive and finds NumPy's own bytes in it.
TEST(Npz, WritesWhatNumPyWouldStore) {
  const TemporaryFolder folder;
  auto tensors = read_fixture("stored.npz");
  tensors.push_back({"empty", Tensor::allocate(DType::i16, {0, 4})});
  write_npz(folder / "a.npz", tensors);
  zip_t* archive = zip_open((folder / "a.npz").c_str(), ZIP_RDONLY | ZIP_CHECKCONS, nullptr);
  ASSERT_NE(archive, nullptr);
  for (const char* name : {"bool", "u8", "u64", "i16", "f16", "f32", "f64", "c64", "empty"}) {
    zip_stat_t entry;
    ASSERT_EQ(zip_stat(archive, (std::string(name) + ".npy").c_str(), 0, &entry), 0) << name;
    EXPECT_EQ(entry.comp_method, ZIP_CM_STORE);
    std::string bytes(entry.size, '\0');
    zip_file_t* file = zip_fopen_index(archive, entry.index, 0);
    EXPECT_EQ(zip_fread(file, bytes.data(), bytes.size()), static_cast<zip_int64_t>(bytes.size()));
    zip_fclose(file);
    EXPECT_EQ(bytes, contents(fixture(std::string("npy/") + name + ".npy"))) << name;
  }
  EXPECT_GE(zip_name_locate(archive, "layer/\u00e9.npy", 0), 0);
  zip_discard(archive);
}

TEST(Npz, WritesTheSameBytesTwice) {
  const TemporaryFolder folder;
  const auto tensors = read_fixture("deflated.npz");
  write_npz(folder / "a.npz", tensors);
  write_npz(folder / "b.npz", tensors);
  EXPECT_EQ(contents(folder / "a.npz"), contents(folder / "b.npz"));
  EXPECT_EQ(folder.file_count(), 2u);
  write_npz(folder / "c.npz", {});
  EXPECT_EQ(contents(folder / "c.npz"), contents(fixture("nothing.npz")));
}

TEST(Npz, RefusesToWriteWhatItCannotHold) {
  const TemporaryFolder folder;
  const auto message = [&](std::vector<NamedTensor> tensors, Code code) {
    return message_of([&] { write_npz(folder / "a", tensors); }, code);
  };
  EXPECT_EQ(message({{"a", Tensor()}, {"a", Tensor()}}, Code::invalid_argument), "[npz] two tensors are named \"a\"");
  EXPECT_EQ(message({{"a", Tensor::allocate(DType::bf16, {2})}}, Code::unsupported),
            "[npy] bf16 has no .npy dtype; write a .safetensors file instead");
  EXPECT_EQ(message({{"a\xff", Tensor()}}, Code::invalid_argument), "[npz] cannot write \"a\\xff\": Invalid argument");
  EXPECT_EQ(folder.file_count(), 0u);
}

}  // namespace
}  // namespace ingot::test
