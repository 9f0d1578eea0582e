// Numbers of linear algebra that every engine has to agree on.
//
// Threads    pure. Failure  none.
#pragma once

#include "gen/enums.h"

namespace ingot {

// The distance from 1 to the next number.
constexpr double epsilon(DType dtype) {
  switch (dtype) {
    case DType::f16: return 0x1p-10;
    case DType::bf16: return 0x1p-7;
    case DType::f64: return 0x1p-52;
    default: return 0x1p-23;  // f32, c64
  }
}

// Padé's approximant of e^x of order 13: numerator and denominator are even ± odd, by powers of x². Its coefficients
// are whole numbers after multiplication by 26!/13!.
inline constexpr double kPade[] = {64764752532480000,
                                   32382376266240000,
                                   7771770303897600,
                                   1187353796428800,
                                   129060195264000,
                                   10559470521600,
                                   670442572800,
                                   33522128640,
                                   1323241920,
                                   40840800,
                                   960960,
                                   16380,
                                   182,
                                   1};
// Up to this norm it is exact to rounding (Higham 2005).
inline constexpr double kPadeNorm = 5.371920351148152;

}  // namespace ingot
