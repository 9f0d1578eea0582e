#include "schema/generator/release.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace ingot::schema {
namespace {

constexpr std::string_view kHead = "// Ingot ", kDigest = ", digest ";

// FNV-1a: it finds accidents, not forgeries.
uint64_t digest(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

std::string version_of(const std::string& released_text) {
  const size_t end = released_text.find(kDigest);
  if (!released_text.starts_with(kHead) || end == std::string::npos) return {};
  return released_text.substr(kHead.size(), end - kHead.size());
}

}  // namespace

std::string released_text(const std::string& version, const std::string& schema_text) {
  return fmt::format("{}{}{}{:016x}\n{}", kHead, version, kDigest, digest(version + "\n" + schema_text), schema_text);
}

std::string release_error(const std::string& text, const std::string& version) {
  const std::string of = version_of(text);
  if (of.empty()) return "schema/released.fbs names no version in its first line: write it with ingot-schema --release";
  if (of != version) {
    return fmt::format("schema/released.fbs is that of Ingot {}, expected {}: run ingot-schema --release", of, version);
  }
  const std::string schema = text.substr(text.find('\n') + 1);
  if (text == released_text(of, schema)) return {};
  return fmt::format("schema/released.fbs is not what ingot-schema --release wrote for Ingot {}", of);
}

}  // namespace ingot::schema
