#include "program/op.h"

#include <stdexcept>

namespace ingot {
namespace {

struct Actions {
  void* (*make)();
  void* (*copy)(const void* data);
  void (*destroy)(void* data);
  bool (*equal)(const void* a, const void* b);
};

template <class O>
constexpr Actions actions_on = {
    []() -> void* { return new O{}; },
    [](const void* data) -> void* { return new O(*static_cast<const O*>(data)); },
    [](void* data) { delete static_cast<O*>(data); },
    [](const void* a, const void* b) { return *static_cast<const O*>(a) == *static_cast<const O*>(b); },
};

// By opcode.
#define INGOT_ACTIONS(O) actions_on<op::O>,
constexpr Actions actions[] = {INGOT_ALL_OPS(INGOT_ACTIONS)};
static_assert(std::size(actions) == kOpCount);

}  // namespace

Op::Op(const Op& other) : data_(actions[other.index()].copy(other.data_)), opcode_(other.opcode_) {}

Op::~Op() {
  if (data_) actions[index()].destroy(data_);
}

bool Op::operator==(const Op& other) const {
  return opcode_ == other.opcode_ && actions[index()].equal(data_, other.data_);
}

Op make_op(Opcode opcode) {
  if (static_cast<size_t>(opcode) >= kOpCount) throw std::out_of_range("no such opcode");
  return {actions[static_cast<size_t>(opcode)].make(), opcode};
}

}  // namespace ingot
