#include "program/io/npz.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "program/error.h"
#include "program/io/atomic_write.h"
#include "program/io/npy.h"

namespace ingot {

namespace {

constexpr std::string_view kSuffix = ".npy";

struct DiscardArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};
struct FreeSource {
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using ZipArchive = std::unique_ptr<zip_t, DiscardArchive>;
using EntryReader = std::unique_ptr<zip_file_t, CloseEntry>;
using ZipSource = std::unique_ptr<zip_source_t, FreeSource>;

// libzip's report about one call.
class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;

  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

Error failed(Code code, std::string_view what, std::string_view reason) {
  return Error(code, fmt::format("{}: {}", what, reason)).in_op("npz");
}

// ---------------------------------------------------------------------------------------------------------- reading

ZipArchive open_archive(const Buffer& file) {
  // No bytes at all would be an archive without entries to libzip.
  if (file.bytes.empty()) throw failed(Code::bad_file, "cannot open the archive", "Not a zip archive");
  ZipError error;
  ZipSource source(zip_source_buffer_create(file.bytes.data(), file.bytes.size(), 0, error.get()));
  if (!source) throw failed(Code::bad_file, "cannot open the archive", error.text());
  ZipArchive archive(zip_open_from_source(source.get(), ZIP_RDONLY, error.get()));
  if (!archive) throw failed(Code::bad_file, "cannot open the archive", error.text());
  static_cast<void>(source.release());  // the archive owns it now
  return archive;
}

std::string tensor_name(std::string_view entry) {
  if (entry.ends_with(kSuffix)) return std::string(entry.substr(0, entry.size() - kSuffix.size()));
  throw Error::mismatch(Code::bad_file, "npz", "name of an entry", quote(entry), "NAME.npy");
}

// What the archive says of an entry, checked before anything is read.
zip_stat_t examine(zip_t* archive, uint64_t index, uint64_t compressed_left) {
  zip_stat_t entry;
  if (zip_stat_index(archive, index, 0, &entry) != 0) {
    throw failed(Code::bad_file, fmt::format("cannot examine entry {}", index), zip_strerror(archive));
  }
  if (entry.encryption_method != ZIP_EM_NONE) {
    throw failed(Code::unsupported, quote(entry.name), "is encrypted");
  }
  if (entry.comp_method != ZIP_CM_STORE && entry.comp_method != ZIP_CM_DEFLATE) {
    throw Error::mismatch(Code::unsupported, "npz", fmt::format("compression of {}", quote(entry.name)),
                          fmt::format("method {}", entry.comp_method), "stored or deflated");
  }
  if (entry.comp_size > compressed_left) {
    throw Error::mismatch(Code::bad_file, "npz", fmt::format("compressed size of {}", quote(entry.name)),
                          std::to_string(entry.comp_size),
                          fmt::format("at most {} (rest of the file)", compressed_left));
  }
  return entry;
}

// Deflate spends at least one bit on 129 bytes: 1032 to 1.
void check_size(const zip_stat_t& entry) {
  const uint64_t most = entry.comp_method == ZIP_CM_STORE ? entry.comp_size : entry.comp_size * 1032;
  if (entry.size <= most) return;
  throw Error::mismatch(Code::bad_file, "npz", fmt::format("size of {}", quote(entry.name)), std::to_string(entry.size),
                        fmt::format("at most {} from {} compressed bytes", most, entry.comp_size));
}

// The uncompressed bytes of one entry, from the first on.
class EntryBytes {
 public:
  EntryBytes(zip_t* archive, uint64_t number, std::string name)
      : reader_(zip_fopen_index(archive, number, 0)), name_(std::move(name)) {
    if (!reader_) throw failed(Code::bad_file, fmt::format("cannot read {}", quote(name_)), zip_strerror(archive));
  }

  // How many it got: fewer at the end, where libzip compares the checksum.
  uint64_t read(std::span<std::byte> into) {
    const zip_int64_t got = into.empty() ? 0 : zip_fread(reader_.get(), into.data(), into.size());
    if (got >= 0) return static_cast<uint64_t>(got);
    throw failed(Code::bad_file, fmt::format("cannot read {}", quote(name_)), zip_file_strerror(reader_.get()));
  }

 private:
  EntryReader reader_;
  std::string name_;
};

// Enough for every array that NumPy writes and Ingot can use: a small entry must not inflate to a large header either.
constexpr size_t kMaxHeader = size_t{1} << 16;
constexpr size_t kMaxRank = 64;

// The first bytes of an entry, to the end of the header.
std::vector<std::byte> read_start(zip_t* archive, uint64_t number, const zip_stat_t& entry) {
  EntryBytes bytes(archive, number, entry.name);
  std::vector<std::byte> start(std::min<uint64_t>(kNpyStart, entry.size));
  start.resize(bytes.read(start));
  const size_t end = npy_header_end(start), already = start.size();
  if (end > kMaxHeader) {
    throw Error::mismatch(Code::limit, "npz", fmt::format("header of {}", quote(entry.name)),
                          fmt::format("{} bytes", end), fmt::format("at most {}", kMaxHeader));
  }
  start.resize(std::min<uint64_t>(std::max(end, already), entry.size));
  start.resize(already + bytes.read(std::span(start).subspan(already)));
  return start;
}

TensorType read_type(zip_t* archive, uint64_t number, const zip_stat_t& entry) try {
  TensorType type = npy_type(read_start(archive, number, entry), entry.size);
  if (type.shape.size() <= kMaxRank) return type;
  throw Error::mismatch(Code::limit, "npz", "rank", std::to_string(type.shape.size()),
                        fmt::format("at most {}", kMaxRank));
} catch (Error& error) {
  throw error.at_node(quote(entry.name));
}

// Exactly the declared size, and then the end.
Buffer read_entry(zip_t* archive, const NpzIndex::Entry& entry) {
  EntryBytes reader(archive, entry.number, entry.name + std::string(kSuffix));
  Tensor bytes = Tensor::allocate(DType::u8, {static_cast<int64_t>(entry.bytes)});
  std::byte beyond;
  const bool whole = reader.read(bytes.mutable_bytes()) == entry.bytes;
  if (whole && reader.read({&beyond, 1}) == 0) return bytes.buffer();
  throw failed(
      Code::bad_file, quote(entry.name + std::string(kSuffix)),
      fmt::format("has {} bytes than the {} that the archive declares", whole ? "more" : "fewer", entry.bytes));
}

}  // namespace

struct NpzIndex::Archive {
  ZipArchive zip;
  Buffer file;  // which the archive reads
};

NpzIndex::~NpzIndex() = default;

NpzIndex::NpzIndex(const Buffer& file, const NpzLimits& limits)
    : archive_(std::make_unique<Archive>(open_archive(file), file)), bytes_left_(limits.max_bytes) {
  zip_t* zip = archive_->zip.get();
  const auto count = static_cast<uint64_t>(zip_get_num_entries(zip, 0));
  std::set<std::string> names;
  uint64_t compressed_left = file.bytes.size();  // entries that share bytes would exceed it
  for (uint64_t i = 0; i < count; ++i) {
    const zip_stat_t entry = examine(zip, i, compressed_left);
    const std::string name = tensor_name(entry.name);
    if (!names.insert(name).second) throw failed(Code::bad_file, "two tensors have one name", quote(name));
    check_size(entry);
    compressed_left -= entry.comp_size;
    entries_.push_back({name, read_type(zip, i, entry), i, entry.size});
  }
}

Tensor NpzIndex::tensor(const Entry& entry) {
  const std::string file = quote(entry.name + std::string(kSuffix));
  if (entry.bytes > bytes_left_) {
    throw Error::mismatch(Code::limit, "npz", fmt::format("size of {}", file), std::to_string(entry.bytes),
                          fmt::format("at most {} (rest of the limit)", bytes_left_));
  }
  bytes_left_ -= entry.bytes;
  try {
    return read_npy(read_entry(archive_->zip.get(), entry));
  } catch (Error& error) {
    throw error.at_node(file);
  }
}

std::vector<NamedTensor> read_npz(const Buffer& file, const NpzLimits& limits) {
  NpzIndex index(file, limits);
  std::vector<NamedTensor> tensors;
  for (const NpzIndex::Entry& entry : index.entries()) tensors.push_back({entry.name, index.tensor(entry)});
  return tensors;
}

// ---------------------------------------------------------------------------------------------------------- writing

namespace {

// The archive reads `prefix` and the tensor's bytes when it is closed: both must outlive it.
void add(zip_t* archive, const NamedTensor& t, std::string& prefix) {
  prefix = npy_prefix(t.tensor);
  const auto bytes = t.tensor.bytes();
  zip_buffer_fragment_t parts[] = {
      {reinterpret_cast<zip_uint8_t*>(prefix.data()), prefix.size()},
      {reinterpret_cast<zip_uint8_t*>(const_cast<std::byte*>(bytes.data())), bytes.size()}};
  ZipError error;
  ZipSource source(zip_source_buffer_fragment_create(parts, bytes.empty() ? 1 : 2, 0, error.get()));
  if (!source) throw failed(Code::limit, fmt::format("cannot write {}", quote(t.name)), error.text());
  const std::string name = t.name + std::string(kSuffix);
  const zip_int64_t index = zip_file_add(archive, name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
  if (index < 0) {
    throw failed(Code::invalid_argument, fmt::format("cannot write {}", quote(t.name)), zip_strerror(archive));
  }
  static_cast<void>(source.release());
  const auto at = static_cast<zip_uint64_t>(index);
  constexpr zip_uint16_t first_of_january_1980 = (1 << 5) | 1;  // the earliest that a zip can say
  if (zip_set_file_compression(archive, at, ZIP_CM_STORE, 0) != 0 ||
      zip_file_set_dostime(archive, at, 0, first_of_january_1980, 0) != 0) {
    throw failed(Code::limit, fmt::format("cannot write {}", quote(t.name)), zip_strerror(archive));
  }
}

// The directory of nothing: libzip deletes an archive without entries.
void write_empty(const std::filesystem::path& path) {
  std::string end = "PK\x05\x06";
  end.resize(22, '\0');
  AtomicFile file(path);
  file.append(end);
  file.commit();
}

void copy_to_file(zip_source_t* source, const std::filesystem::path& path) {
  AtomicFile file(path);
  std::vector<std::byte> chunk(size_t{1} << 20);
  if (zip_source_open(source) != 0) throw failed(Code::limit, "cannot write the archive", "out of memory");
  for (;;) {
    const zip_int64_t got = zip_source_read(source, chunk.data(), chunk.size());
    if (got < 0) throw failed(Code::limit, "cannot write the archive", zip_error_strerror(zip_source_error(source)));
    if (got == 0) break;
    file.append(std::span(chunk).first(static_cast<size_t>(got)));
  }
  file.commit();
}

}  // namespace

void write_npz(const std::filesystem::path& path, std::span<const NamedTensor> tensors) {
  check_names_differ("npz", tensors);
  if (tensors.empty()) return write_empty(path);
  std::vector<std::string> prefixes(tensors.size());
  ZipError error;
  const ZipSource target(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!target) throw failed(Code::limit, "cannot write the archive", error.text());
  ZipArchive archive(zip_open_from_source(target.get(), ZIP_TRUNCATE, error.get()));
  if (!archive) throw failed(Code::limit, "cannot write the archive", error.text());
  zip_source_keep(target.get());  // the archive frees one reference, `target` the other
  for (size_t i = 0; i < tensors.size(); ++i) add(archive.get(), tensors[i], prefixes[i]);
  if (zip_close(archive.get()) != 0) throw failed(Code::limit, "cannot write the archive", zip_strerror(archive.get()));
  static_cast<void>(archive.release());
  copy_to_file(target.get(), path);
}

}  // namespace ingot
