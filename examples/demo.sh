#!/usr/bin/env bash
# What Ingot does, in one minute: text becomes a verified file, the file runs, a damaged file is refused.
# Needs `ingot` and a Python with NumPy ($PYTHON) on the path; scripts/demo sees to both.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$(dirname "$0")"/digits/* "$work"
cd "$work"

show() {
  printf '\n$ %s\n' "$*"
  "$@" 2>&1
}

echo
echo "A classifier of handwritten digits, written by hand as text with its weights beside it, becomes one file:"
show ingot convert digits.ingot.txt --embed-weights -o digits.ingot
show ingot inspect --summary digits.ingot

echo
echo "It reads ten images that it was not trained on; labels.npy says what they are:"
show ingot run digits.ingot -i images=@images.npy -o @answers.npz --expect digit=@labels.npy
"${PYTHON:-python3}" show.py answers.npz

echo
echo "A file with one byte changed is refused:"
cp digits.ingot damaged.ingot
printf '\x2a' | dd of=damaged.ingot bs=1 seek=900 conv=notrunc status=none
show ingot verify damaged.ingot || echo "exit code $?"
