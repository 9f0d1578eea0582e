// The .ingot file: a Program on disk.
//
// Layout     little-endian throughout.
//            1. The header, 64 bytes:
//                 8  magic: 0x89 "INGOT" CR LF, so that a transfer in text mode is noticed
//                 4  format version
//                 4  lowest reader version that understands the file
//                 4  byte-order mark 0x01020304
//                 4  header size, 64
//                 8  offset of the FlatBuffer, 64
//                 8  its size
//                 8  offset of the weight segments, a multiple of 16 KiB; 0 when there are none
//                 8  their size, to the last byte of the last one; the file ends there
//                 8  XXH3-64 of header (with this field 0) and FlatBuffer
//            2. The FlatBuffer, root table Program of schema/ingot.fbs, file identifier "INGT". Its tables are not
//               shared. A size is a sum of products: in `dims` the right operand of add and both operands of mul are
//               single terms.
//            3. Zeros up to the next multiple of 16 KiB.
//            4. The segments, each the bytes of a weight, each at a multiple of 16 KiB from the first. Weights of equal
//               contents share one; weights of zeros and weights without contents have none. Segments are mapped, not
//               read: loading costs metadata only.
// Versions   1, and 2 for a program with weights of zeros or without contents, which readers of version 1 do not know.
// Ownership  weights of a loaded Program view the mapped file or the given Buffer, and keep it alive.
// Threads    free functions without shared state: any number of threads.
// Failure    Code::bad_file for bytes that are no valid file, with the place in the FlatBuffer
//            (`graphs[1].nodes[17].x is 99, expected an id below 12`); Code::version for a file that needs a newer
//            reader; Code::limit past the limits; not_found and io as the system says. Then whatever `verify` throws.
//            A failed or killed save leaves the old program, with its weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "program/program.h"
#include "program/verify.h"

namespace ingot {

// --------------------------------------------------------------------------------------------------------- reading

struct LoadOptions {
  Limits limits;
  bool verify = true;  // false: the caller does it, before anything else sees the Program
};

Program load_program(const std::filesystem::path& path, const LoadOptions& options = {});

// From memory. Files with weights are looked for in `folder`; when it is empty, none may be named. Bytes that do not lie
// on a multiple of 64 are copied.
Program read_program(const Buffer& bytes, const std::filesystem::path& folder = {}, const LoadOptions& options = {});

// Whether the bytes begin as a .ingot file does.
bool is_program_file(std::span<const std::byte> bytes);

// Loading trusts the stored hashes, so as not to read every weight: this computes them, and throws Code::bad_file where
// one differs.
void check_hashes(const Program& program);

struct FileFacts {
  uint32_t format_version = 0;
  uint32_t minimum_reader = 0;
  uint64_t file_bytes = 0;
  uint64_t metadata_bytes = 0;  // the FlatBuffer
  uint64_t segment_bytes = 0;
  uint64_t checksum = 0;
};

// From the header alone.
FileFacts file_facts(const std::filesystem::path& path);
FileFacts file_facts(std::span<const std::byte> bytes);

// --------------------------------------------------------------------------------------------------------- writing

enum class WeightPlacement {
  keep,    // where Weight::external says; the rest inside
  inside,  // all in the program's own file
  // Large ones in a safetensors file next to the program, PROGRAM-DIGEST.safetensors, named by its contents: old weights
  // are never loaded with a new program, nor new ones with an old program. A later save removes the files of this form
  // that the program no longer names.
  beside,
};

struct SaveOptions {
  WeightPlacement weights = WeightPlacement::keep;
  uint64_t beside_from = 1 << 20;  // bytes of the smallest weight that goes beside
  // Waits until the disk has it. What can be made again need not: a file that a loss of power damaged is refused.
  bool durable = true;
};

// The same Program gives the same bytes. Does not verify: whoever loads does.
void save_program(const Program& program, const std::filesystem::path& path, const SaveOptions& options = {});
// The same in memory, placement `keep`.
std::vector<std::byte> write_program(const Program& program);

}  // namespace ingot
