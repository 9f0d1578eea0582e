"""Trains the digit classifier of this example and writes its weights and a few test images.

Needs numpy, scikit-learn (whose digits data set it uses) and safetensors. Deterministic; run it by hand:
    python examples/digits/train.py
"""

import pathlib

import numpy as np
from safetensors.numpy import save_file
from sklearn.datasets import load_digits

HERE = pathlib.Path(__file__).parent
HIDDEN = 32


def train(x, labels, steps=3000, rate=0.5):
    rng = np.random.default_rng(7)
    w1, b1 = rng.normal(0, 0.2, (64, HIDDEN)), np.zeros(HIDDEN)
    w2, b2 = rng.normal(0, 0.2, (HIDDEN, 10)), np.zeros(10)
    target = np.eye(10)[labels]
    for _ in range(steps):
        hidden = np.maximum(x @ w1 + b1, 0)
        logits = hidden @ w2 + b2
        p = np.exp(logits - logits.max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        error = (p - target) / len(x)
        back = (error @ w2.T) * (hidden > 0)
        w2 -= rate * (hidden.T @ error)
        b2 -= rate * error.sum(0)
        w1 -= rate * (x.T @ back)
        b1 -= rate * back.sum(0)
    return {"w1": w1, "b1": b1, "w2": w2, "b2": b2}


def main():
    data = load_digits()
    x, labels = data.data / 16.0, data.target
    weights = train(x[:1500], labels[:1500])
    hidden = np.maximum(x @ weights["w1"] + weights["b1"], 0)
    guess = (hidden @ weights["w2"] + weights["b2"]).argmax(1)
    print(f"accuracy on {len(x) - 1500} images it has not seen: {(guess[1500:] == labels[1500:]).mean():.3f}")
    save_file({k: v.astype(np.float32) for k, v in weights.items()}, HERE / "digits.safetensors")
    # One image of each digit from the unseen ones, in the range 0 to 16 of the data set.
    chosen = [int(1500 + np.flatnonzero(labels[1500:] == digit)[1]) for digit in range(10)]
    np.save(HERE / "images.npy", data.images[chosen].astype(np.uint8))
    np.save(HERE / "labels.npy", labels[chosen].astype(np.int64))


if __name__ == "__main__":
    main()
