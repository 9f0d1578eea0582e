// The names by which kernels reach elements and their conversion (program/elements.h, program/convert.h).
#pragma once

#include "program/convert.h"
#include "program/elements.h"

namespace ingot::reference {

using elements::bits_storer;
using elements::bounds;
using elements::Complex;
using elements::convert;
using elements::domain;
using elements::Domain;
using elements::extremes;
using elements::loader;
using elements::Out;
using elements::round_to;
using elements::scalar_as;
using elements::storer;
using elements::view;
using elements::View;
using elements::view_bits;
using elements::with_domain;

}  // namespace ingot::reference
