// The cases are worth as much as they cover: every op under each of its names, each attribute somewhere at another value
// than its default, each value of an enum.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "gen/test_paths.h"
#include "program/text.h"
#include "program/text/fields.h"
#include "tests/support/case.h"
#include "tests/support/fields.h"

namespace ingot {
namespace {

using nlohmann::json;
using Names = std::set<std::string>;

std::string name_of(const Op& op, const FieldFacts& facts) {
  return fmt::format("{}.{}", kOpFacts[op.index()].mnemonic, facts.name);
}

template <class F>
void add_values(const std::string& name, const F& field, Names& names) {
  if constexpr (SchemaEnum<F>) names.insert(fmt::format("{}={}", name, to_string(field)));
}

// What one node shows: attributes that differ from their default, values of enums, operands that may be absent.
void add(const Op& op, Names& names) {
  names.insert(mnemonic(op));
  test::visit_with_defaults(op, [&]<class F>(const FieldFacts& facts, const F& field, const F& standard) {
    const std::string name = name_of(op, facts);
    add_values(name, field, names);
    if constexpr (std::same_as<F, std::optional<Ref>>) names.insert(name + (field ? " given" : " absent"));
    if (field != standard) names.insert(name);
  });
}

template <SchemaEnum E>
void want_values(const std::string& name, Names& names) {
  for (const std::string_view value : EnumNames<E>::names) names.insert(fmt::format("{}={}", name, value));
}

void want(const Op& op, Names& names) {
  visit_fields(op, [&]<class F>(const FieldFacts& facts, const F&) {
    const std::string name = name_of(op, facts);
    if constexpr (SchemaEnum<F> && !std::same_as<F, DType>) want_values<F>(name, names);
    if constexpr (std::same_as<F, std::optional<Ref>>) names.insert({name + " given", name + " absent"});
    if constexpr (!text::OperandField<F>) {
      if (!facts.spelled && !facts.required) names.insert(name);
    }
  });
}

TEST(ReferenceCases, CoverEveryAttribute) {
  Names seen, wanted;
  for (const std::string& family : test::case_families()) {
    const std::string path = fmt::format("{}/tests/data/reference/{}.json", test::source_dir, family);
    for (const json& row : json::parse(std::ifstream(path))) {
      for (const Graph& graph : parse(row.at("program").get<std::string>()).graphs) {
        for (const Node& node : graph.nodes) add(node.op, seen);
      }
    }
  }
  for (const Mnemonic& name : kMnemonics) wanted.insert(std::string(name.name));
  for (size_t opcode = 0; opcode < kOpCount; ++opcode) want(make_op(static_cast<Opcode>(opcode)), wanted);
  for (const char* no_value : {"custom", "custom.attributes", "fake_quantize.gradient"}) wanted.erase(no_value);
  for (const std::string& name : wanted)
    EXPECT_TRUE(seen.contains(name)) << "no case in tests/reference/make_<family>.py has " << name;
}

}  // namespace
}  // namespace ingot
