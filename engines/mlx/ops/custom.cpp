// STUB
#include "engines/mlx/lowering.h"
#include "program/error.h"

namespace ingot::mlx_engine {
namespace {

array emit(const op::Custom&, Frame&) { throw Error(Code::unsupported, "STUB"); }  // STUB

}  // namespace

INGOT_LOWERINGS(custom)

}  // namespace ingot::mlx_engine
