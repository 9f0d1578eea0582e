#include <fmt/format.h>
#include <xxhash.h>

#include "cli/tensors.h"
#include "program/builder.h"
#include "program/error.h"
#include "runtime/session.h"

namespace ingot::cli {
namespace {

// Values by a program of one draw, so that they are those of the documented generator on every machine.
Var draw(GraphBuilder& f, Var key, const TensorType& type) {
  const Kind of = kind(type.dtype);
  if (of == Kind::real || of == Kind::complex || of == Kind::storage) {
    return f.cast(f.random_normal(key, type.shape), type.dtype, {.saturate = of == Kind::storage});
  }
  const Var words = f.random_bits(key, type.shape, {.dtype = DType::u32});
  const uint32_t choices = of == Kind::boolean ? 2 : 100;
  return f.cast(f.rem(words, f.scalar(choices, DType::u32)), type.dtype);
}

}  // namespace

Tensor random_tensor(const TensorType& type, std::string_view name, uint64_t seed) {
  if (type.dtype == DType::packed)
    throw Error(Code::unsupported, fmt::format("random values of {} (quantize a random f32 tensor)", to_string(type)));
  const uint64_t mixed = XXH3_64bits_withSeed(name.data(), name.size(), seed);
  ProgramBuilder program;
  GraphBuilder& f = program.method("draw");
  const Tensor key = Tensor::of<uint32_t>({2}, {static_cast<uint32_t>(mixed), static_cast<uint32_t>(mixed >> 32)});
  f.output("y", draw(f, f.weight(program.weight("key", key)), type));
  Session session(compile(program.build(), {.engine = "reference"}));
  return session.run({}).front().tensor;
}

}  // namespace ingot::cli
