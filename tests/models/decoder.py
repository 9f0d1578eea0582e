"""A transformer decoder in the text form, run on Ingot and in NumPy.

    tests/models/decoder.py [--build build/dev] [--engine ENGINE[:MODE]]...

Two layers with what current language models have: rms_norm, rope, grouped heads, silu(gate)·up, and keys and values in
states, which `prefill` fills from a prompt and `decode` goes on with token by token. The weights are random, of a fixed
seed. BUILD/decoder gets the program (decoder.txt) and its weights (decoder.safetensors); BUILD/bin/decoder generates
tokens from it, forks the session on the way and goes on with both. The tokens must be those of NumPy in float64, which
keeps no cache and computes the whole sequence for each; the logits of the last step agree to 1e-4.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ["reference", "mlx:eager", "mlx:lazy", "mlx:compiled"]
LAYERS, WIDTH, HEADS, KV_HEADS, HEAD, INNER, WORDS, CONTEXT = 2, 64, 4, 2, 16, 160, 96, 64
PROMPT, BEFORE_FORK, AFTER_FORK, OTHER = [7, 42, 3, 3, 90, 15, 64], 8, 12, 11
CLOSE = 1e-4

# ------------------------------------------------------------------------------------------------------------- weights


def make_weights():
    random = np.random.default_rng(17)

    def matrix(*sizes):
        return (random.standard_normal(sizes) / sizes[0] ** 0.5).astype(np.float32)

    weights = {"embed": random.standard_normal((WORDS, WIDTH)).astype(np.float32), "head": matrix(WIDTH, WORDS)}
    weights["norm"] = random.uniform(0.5, 1.5, WIDTH).astype(np.float32)
    for i in range(LAYERS):
        for name in ("norm_attention", "norm_mlp"):
            weights[f"{name}{i}"] = random.uniform(0.5, 1.5, WIDTH).astype(np.float32)
        weights[f"q{i}"], weights[f"o{i}"] = matrix(WIDTH, HEADS * HEAD), matrix(HEADS * HEAD, WIDTH)
        weights[f"k{i}"], weights[f"v{i}"] = matrix(WIDTH, KV_HEADS * HEAD), matrix(WIDTH, KV_HEADS * HEAD)
        weights[f"gate{i}"], weights[f"up{i}"] = matrix(WIDTH, INNER), matrix(WIDTH, INNER)
        weights[f"down{i}"] = matrix(INNER, WIDTH)
    return weights


def write_safetensors(path, tensors):
    header, at = {}, 0
    for name, array in tensors.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    head = json.dumps(header).encode()
    head += b" " * (-len(head) % 8)
    path.write_bytes(len(head).to_bytes(8, "little") + head + b"".join(array.tobytes() for array in tensors.values()))


# ------------------------------------------------------------------------------------------------------------- program


def heads_text(x, name, weight, count, size):
    return f"""  %{name}_rows = matmul %{x}, @{weight}
  %{name}_split = reshape %{name}_rows {{shape=[1, {size}, {count}, {HEAD}]}}
  %{name} = transpose %{name}_split {{perm=[0, 2, 1, 3]}}
"""


def layer_text(i, x, size):
    text = f"  %a{i} = rms_norm %{x}, @norm_attention{i}\n"
    for name, count in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS)):
        text += heads_text(f"a{i}", f"{name}{i}", f"{name}{i}", count, size)
    return text + f"""  %qr{i} = rope %q{i}, %positions
  %kr{i} = rope %k{i}, %positions
  %keys{i} = state_update %kr{i}, [%before] {{state=@keys{i}, axes=[2]}}
  %values{i} = state_update %v{i}, [%before] {{state=@values{i}, axes=[2]}}
  %seen{i} = attention %qr{i}, %keys{i}, %values{i}, _, _, %lengths {{causal=lower_right}}
  %rows{i} = transpose %seen{i} {{perm=[0, 2, 1, 3]}}
  %joined{i} = reshape %rows{i} {{shape=[1, {size}, {HEADS * HEAD}]}}
  %o{i} = matmul %joined{i}, @o{i}
  %h{i} = add %{x}, %o{i}
  %m{i} = rms_norm %h{i}, @norm_mlp{i}
  %gate{i} = matmul %m{i}, @gate{i}
  %up{i} = matmul %m{i}, @up{i}
  %silu{i} = silu %gate{i}
  %glu{i} = mul %silu{i}, %up{i}
  %down{i} = matmul %glu{i}, @down{i}
  %x{i + 1} = add %h{i}, %down{i}
"""


def method_text(name, size):
    """A method on `size` tokens: the token that follows them, and the logits that say so."""
    text = f"""
method {name}(%tokens: i64[1, {size}]) -> (token, logits) {{
  %before = state_read {{state=@length}}
  %count = size_of {{size={size}}}
  %after = add %before, %count
  %length = state_write %after {{state=@length}}
  %lengths = reshape %after {{shape=[1]}}
  %steps = iota {{length={size}}}
  %positions = add %steps, %before
  %x0 = take @embed, %tokens
"""
    text += "".join(layer_text(i, f"x{i}", size) for i in range(LAYERS))
    return text + f"""  %last = slice %x{LAYERS} {{axes=[1], starts=[{size} - 1], stops=[{size}]}}
  %normed = rms_norm %last, @norm
  %all = matmul %normed, @head
  %logits = reshape %all {{shape=[{WORDS}]}}
  %token = argmax %logits
  return %token, %logits
}}
"""


def program_text(weights):
    text = f"ingot 1\n\nsymbol S in 1..{CONTEXT}\n\n"
    for name, array in weights.items():
        shape = ", ".join(map(str, array.shape))
        text += f'weight @{name} : f32[{shape}] = file "decoder.safetensors" tensor "{name}"\n'
    text += "state @length : i64[] = zeros\n"
    for i in range(LAYERS):
        for name in ("keys", "values"):
            text += f"state @{name}{i} : f32[1, {KV_HEADS}, {CONTEXT}, {HEAD}] = zeros\n"
    return text + method_text("prefill", "S") + method_text("decode", "1")


# --------------------------------------------------------------------------------------------------------------- NumPy


def rms_norm(x, weight):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * weight


def rope(x):
    """On [heads, tokens, HEAD]."""
    angles = np.arange(x.shape[1])[:, None] * 10000.0 ** (-np.arange(0, HEAD, 2) / HEAD)
    a, b = x[..., : HEAD // 2], x[..., HEAD // 2 :]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles)], -1)


def attention(q, k, v):
    k, v = (np.repeat(x, HEADS // KV_HEADS, 0) for x in (k, v))
    scores = q @ k.swapaxes(1, 2) / HEAD**0.5
    scores = np.where(np.tri(q.shape[1], dtype=bool), scores, -np.inf)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    return scores / scores.sum(-1, keepdims=True) @ v


def logits_of(tokens, w):
    """The logits behind the last of the tokens."""
    x = w["embed"][tokens]
    for i in range(LAYERS):
        normed = rms_norm(x, w[f"norm_attention{i}"])
        q, k, v = ((normed @ w[f"{n}{i}"]).reshape(len(tokens), -1, HEAD).swapaxes(0, 1) for n in "qkv")
        x = x + attention(rope(q), rope(k), v).swapaxes(0, 1).reshape(len(tokens), -1) @ w[f"o{i}"]
        normed = rms_norm(x, w[f"norm_mlp{i}"])
        gate = normed @ w[f"gate{i}"]
        x = x + gate / (1 + np.exp(-gate)) * (normed @ w[f"up{i}"]) @ w[f"down{i}"]
    return rms_norm(x[-1], w["norm"]) @ w["head"]


def generate(tokens, count, w):
    """The `count` likeliest tokens that follow, and the logits of the last."""
    tokens, new, logits = list(tokens), [], None
    for _ in range(count):
        logits = logits_of(tokens, w)
        second, first = np.sort(logits)[-2:]
        assert first - second > 10 * CLOSE, "rounding could choose another token: take another seed"
        new.append(int(np.argmax(logits)))
        tokens.append(new[-1])
    return new, logits


def expected_lines(weights):
    """By name, what BUILD/bin/decoder must print: tokens, and logits."""
    w = {name: array.astype(np.float64) for name, array in weights.items()}
    start, _ = generate(PROMPT, BEFORE_FORK, w)
    on, on_logits = generate(PROMPT + start, AFTER_FORK, w)
    other, other_logits = generate([*PROMPT, *start[:-1], OTHER], AFTER_FORK, w)
    assert on != other
    return {"start": start, "original": on, "fork": on, "other": other, "original logits": on_logits,
            "fork logits": on_logits, "other logits": other_logits}


# ---------------------------------------------------------------------------------------------------------------- main


def check(target, tool, folder, expected):
    given = [",".join(map(str, PROMPT)), *map(str, (BEFORE_FORK, AFTER_FORK, OTHER))]
    done = subprocess.run([tool, folder / "decoder.txt", target, *given], stdout=subprocess.PIPE, text=True, check=True)
    lines = dict(line.split(": ") for line in done.stdout.splitlines())
    if lines.keys() != expected.keys():
        sys.exit(f"{target}: it prints {', '.join(lines)}, expected {', '.join(expected)}")
    for name, wanted in expected.items():
        got = np.array(lines[name].split(), dtype=np.float64)
        if got.shape != np.shape(wanted) or not np.allclose(got, wanted, CLOSE, CLOSE if "logits" in name else 0):
            sys.exit(f"{target}: {name} is {lines[name]}, expected {' '.join(map(str, wanted))}")
    print(f"{target}: {' '.join(lines[name] for name in ('start', 'original'))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/dev")
    parser.add_argument("--engine", action="append", help="default: all, in all modes")
    options = parser.parse_args()
    folder = options.build / "decoder"
    folder.mkdir(exist_ok=True)
    weights = make_weights()
    write_safetensors(folder / "decoder.safetensors", weights)
    (folder / "decoder.txt").write_text(program_text(weights))
    expected = expected_lines(weights)
    for target in options.engine or TARGETS:
        check(target, options.build / "bin/decoder", folder, expected)


if __name__ == "__main__":
    main()
