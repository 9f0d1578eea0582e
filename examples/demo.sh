#!/usr/bin/env bash
# What Ingot does, in a minute: a real ONNX model becomes a verified file, and the file answers.
#   demo.sh [FILE...]    the files to ask about; by default some of this tree
# Needs `ingot`, and a Python ($PYTHON) with NumPy and the package magika; scripts/demo sees to them.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

show() {
  printf '\n$ %s\n' "$*"
  "$@" 2>&1
}

files=("$@")
if [ ${#files[@]} -eq 0 ]; then
  cd "$here/.."
  files=(README.md CMakeLists.txt examples/demo.sh examples/average.cpp zig/src/enums.zig python/ingot/var.py
         tests/data/reference/norm.json "$(command -v ingot)")
fi
model=$("$python" -c 'import importlib.util; print(importlib.util.find_spec("magika").submodule_search_locations[0])')/models/standard_v3_3
kinds=$here/file_kinds/kinds.py

echo
echo "The model of magika, which knows 214 kinds of files, as its authors publish it:"
show ingot import "$model/model.onnx" -o "$work/magika.ingot"
show ingot inspect --summary "$work/magika.ingot" | head -8

echo
echo "What are these files?"
"$python" "$kinds" inputs "$model/config.min.json" "$work/bytes.npy" "${files[@]}"
show ingot run "$work/magika.ingot" -i "bytes=@$work/bytes.npy" -o "target_label=@$work/scores.npy"
"$python" "$kinds" answers "$model/config.min.json" "$work/scores.npy" "${files[@]}"

echo
echo "A program with one byte changed is refused:"
printf '\x2a' | dd of="$work/magika.ingot" bs=1 seek=900 conv=notrunc status=none
show ingot verify "$work/magika.ingot" || echo "exit code $?"
