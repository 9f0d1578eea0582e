// Weights whose contents no file stores: zeros, and those that the host fills.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "program/builder.h"
#include "tests/file/damage.h"
#include "tests/file/programs.h"

namespace ingot::test {
namespace {

TensorType f32(Shape shape) { return {DType::f32, std::move(shape), {}}; }

Program unstored() {
  ProgramBuilder p;
  const QuantScheme scheme{QuantMethod::symmetric, 4, 16, DType::f16};
  const WeightId missing = p.declare_weight("missing", f32({2, 3}));
  const WeightId zeros = p.zero_weight("zeros", f32({1 << 20, 1 << 10}));
  p.zero_weight("packed", {DType::packed, {3, 32}, scheme});
  p.declare_weight("empty", f32({0, 3}));
  const WeightId stored = p.weight("stored", Tensor::of<float>({2}, {1, 2}));
  p.state("s", p.program().weights[zeros.id].type, zeros);
  GraphBuilder& f = p.method("f");
  f.output("a", f.weight(missing));
  f.output("b", f.weight(stored));
  return p.build();
}

TEST(MissingWeights, GoThroughAFileThatStoresNothingForThem) {
  const std::vector<std::byte> file = write_program(unstored());
  EXPECT_EQ(difference(read_program(Buffer::copy_of(file)), unstored()), "");
  EXPECT_EQ(file_facts(file).segment_bytes, 8u);
  check_hashes(read_program(Buffer::copy_of(file)));
}

TEST(MissingWeights, StayOutOfTheFileBeside) {
  const TemporaryFolder folder;
  save_program(unstored(), folder / "p.ingot", {.weights = WeightPlacement::beside, .beside_from = 0});
  const Program program = load_program(folder / "p.ingot");
  EXPECT_TRUE(program.weights[0].is_missing());
  EXPECT_TRUE(program.weights[1].zeros);
  ASSERT_TRUE(program.weights[4].external.has_value());
  EXPECT_EQ(program.weights[4].external->tensor, "stored");
}

// Version 1 would take them for weights of no bytes.
TEST(MissingWeights, NeedAReaderThatKnowsThem) {
  const FileFacts facts = file_facts(write_program(unstored()));
  EXPECT_EQ(facts.format_version, 2u);
  EXPECT_EQ(facts.minimum_reader, 2u);
  EXPECT_EQ(file_facts(write_program(small_program())).minimum_reader, 1u);
}

// A weight of type f32[] with these fields.
std::string refusal_of(uint64_t bytes, uint64_t hash, const char* beside, uint8_t contents) {
  flatbuffers::FlatBufferBuilder b;
  const auto types = b.CreateVector(std::vector{fbs::CreateTensorType(b, fbs::DType_f32)});
  const fbs::TypeRef type(0);
  const auto name = b.CreateString("w"), file = beside ? b.CreateString(beside) : 0;
  const auto weight =
      fbs::CreateWeight(b, name, &type, 0, bytes, hash, 0, file, file, static_cast<fbs::WeightContents>(contents));
  const auto weights = b.CreateVector(std::vector{weight});
  b.Finish(fbs::CreateProgram(b, 0, 0, types, weights), fbs::ProgramIdentifier());
  return Damage(b).refusal(Code::bad_file);
}

TEST(MissingWeights, HaveNoPlace) {
  const std::string where = "weights[0] is contents that are stored, expected ";
  const std::string end = " contents (at weights[0] \"w\")";
  for (const auto& [contents, word] : {std::pair(1, "zeros"), std::pair(2, "none")}) {
    EXPECT_EQ(refusal_of(4, 0, nullptr, static_cast<uint8_t>(contents)), where + word + end);
    EXPECT_EQ(refusal_of(0, 7, nullptr, static_cast<uint8_t>(contents)), where + word + end);
    EXPECT_EQ(refusal_of(0, 0, "a.safetensors", static_cast<uint8_t>(contents)), where + word + end);
  }
  EXPECT_EQ(refusal_of(0, 0, nullptr, 3), "weights[0].contents is 3, expected a value of WeightContents");
}

}  // namespace
}  // namespace ingot::test
