"""What kind of file is it? Asks Google's model magika, as an Ingot program.

    kinds.py inputs CONFIG OUT.npy FILE...         what the model reads of the files: their first and last bytes
    kinds.py answers CONFIG SCORES.npy FILE...     what it says about them
"""

import json
import pathlib
import sys

import numpy as np


def features(path, config):
    """As magika takes them: blanks at the ends left out, 256 where a file is short."""
    content, block, pad = path.read_bytes(), config["block_size"], config["padding_token"]
    first = content[:block].lstrip()[: config["beg_size"]]
    last = content[-block:].rstrip()[-config["end_size"] :]
    return [*first, *[pad] * (config["beg_size"] - len(first)), *[pad] * (config["end_size"] - len(last)), *last]


def main():
    verb, config, array, *files = sys.argv[1:]
    config = json.loads(pathlib.Path(config).read_text())
    if verb == "inputs":
        np.save(array, np.array([features(pathlib.Path(file), config) for file in files], np.int32))
        return
    width = max(map(len, files))
    for file, scores in zip(files, np.load(array)):
        best = int(np.argmax(scores))
        print(f"  {file:<{width}}  {config['target_labels_space'][best]:<12} {scores[best]:6.1%}")


if __name__ == "__main__":
    main()
