"""Shows images.npy as characters, with the answers of the program beneath: show.py ANSWERS.npz"""

import pathlib
import sys

import numpy as np

SHADES = " .:-=+*#%@"
PER_ROW = 5


def main():
    images = np.load(pathlib.Path(__file__).parent / "images.npy")
    answers = np.load(sys.argv[1])
    for start in range(0, len(images), PER_ROW):
        row = images[start : start + PER_ROW]
        for y in range(row.shape[1]):
            print("  " + "   ".join("".join(SHADES[int(v) * 9 // 16] * 2 for v in image[y]) for image in row))
        captions = zip(answers["digit"][start:], answers["confidence"][start : start + PER_ROW])
        print("  " + "   ".join(f"{f'{digit}, {sure:.0%} sure':^16}" for digit, sure in captions) + "\n")


if __name__ == "__main__":
    main()
