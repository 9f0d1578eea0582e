"""Writes engines/gguf_codebooks.h: the words of the GGUF methods that store indices into a codebook.

  python scripts/gguf_codebooks.py

Needs the package gguf, which publishes the codebooks as numbers. The words are facts of the file format and do not
change: the header is kept, and this says where it is from.
"""

import pathlib

import numpy as np
from gguf import quants

HEADER = pathlib.Path(__file__).resolve().parent.parent / "engines" / "gguf_codebooks.h"

HEAD = """\
// The codebooks of GGUF's iq1, iq2 and iq3 methods, made by scripts/gguf_codebooks.py.
//
// Element k of a word is its bits 2k and 2k+1 (iq1, iq2: eight elements) or 4k to 4k+2 (iq3: four), which number the
// levels of the method from the lowest.
#pragma once

#include <cstdint>

namespace ingot::gguf {

// clang-format off
"""

FOOT = """\
// clang-format on

}  // namespace ingot::gguf
"""

BOOKS = {"iq2_xxs": quants.IQ2_XXS, "iq2_xs": quants.IQ2_XS, "iq2_s": quants.IQ2_S, "iq3_xxs": quants.IQ3_XXS, "iq3_s": quants.IQ3_S, "iq1": quants.IQ1_S}


def words(book):
    """Each row of the codebook as one number."""
    book.init_grid()
    rows = book.grid.reshape(book.grid_shape)
    levels = np.searchsorted(book.grid_map, rows)
    width = 16 // rows.shape[1]
    return [sum(int(level) << width * k for k, level in enumerate(row)) for row in levels]


def lines(numbers, each=14):
    for at in range(0, len(numbers), each):
        yield "    " + " ".join(f"0x{number:04x}," for number in numbers[at : at + each])


def main():
    text = HEAD
    for name, book in BOOKS.items():
        numbers = words(book)
        text += f"inline constexpr uint16_t {name}_words[{len(numbers)}] = {{\n" + "\n".join(lines(numbers)) + "\n};\n"
    HEADER.write_text(text + FOOT)


main()
