"""Makes the fixtures of this folder and the seeds of fuzz/corpus/{npy,safetensors}: pip install numpy safetensors."""

import json
import pathlib
import struct

import numpy as np
import safetensors

HERE = pathlib.Path(__file__).parent
CORPUS = HERE.parents[2] / "fuzz" / "corpus"

# What the tests expect, element by element.
ARRAYS = {
    "bool": np.array([True, False, True]),
    "u8": np.array([0, 1, 255], np.uint8),
    "u16": np.array([0, 258, 65535], np.uint16),
    "u32": np.array([0, 16909060, 4294967295], np.uint32),
    "u64": np.array([0, 72623859790382856, 18446744073709551615], np.uint64),
    "i8": np.array([-128, -1, 127], np.int8),
    "i16": np.array([-32768, 258, 32767], np.int16),
    "i32": np.array([-2147483648, 16909060, 2147483647], np.int32),
    "i64": np.array([-9223372036854775808, 72623859790382856, 9223372036854775807], np.int64),
    "f16": np.array([1.5, -2.25, 65504], np.float16),
    "f32": np.array([1.5, -2.25, 3.4028234663852886e38], np.float32),
    "f64": np.array([1.5, -2.25, 1.7976931348623157e308], np.float64),
    "c64": np.array([1.5 - 2.25j, 0.5j, -1], np.complex64),
}
# Dtypes that NumPy lacks: name in the safetensors package, elements, bytes.
RAW = {
    "bf16": ("bfloat16", 3, bytes.fromhex("803f 10c0 7f7f")),
    "f8e4m3": ("float8_e4m3fn", 3, bytes.fromhex("38 b8 7e")),
    "f8e5m2": ("float8_e5m2", 3, bytes.fromhex("3c bc 7b")),
    "f8e8m0": ("float8_e8m0fnu", 3, bytes.fromhex("7f 80 fe")),
    "f4e2m1": ("float4_e2m1fn_x2", 2, bytes.fromhex("21 f7")),  # the package doubles the 2
}


def write(name, data):
    path = HERE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def spec(dtype, shape, array):
    return safetensors.TensorSpec(dtype=dtype, shape=shape, data_ptr=array.ctypes.data, data_len=array.nbytes)


def make_safetensors():
    raw = {name: np.frombuffer(data, np.uint8) for name, (_, _, data) in RAW.items()}
    specs = {name: spec(str(a.dtype), list(a.shape), a) for name, a in ARRAYS.items()}
    specs |= {name: spec(RAW[name][0], [RAW[name][1]], a) for name, a in raw.items()}
    write("all_dtypes.safetensors", safetensors.serialize(specs))
    matrix, scalar, empty = np.arange(6, dtype=np.float32).reshape(2, 3), np.array(7.0), np.zeros((0, 4), np.int16)
    shapes = {"matrix": matrix, "s/cal\"ar\n\u00e9": scalar, "empty": empty}
    specs = {name: spec(str(a.dtype), list(a.shape), a) for name, a in shapes.items()}
    write("shapes.safetensors", safetensors.serialize(specs))
    write("metadata.safetensors", safetensors.serialize({"matrix": specs["matrix"]}, {"format": "np"}))


def write_npy(name, array, version=None):
    path = HERE / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "wb") as file:
        np.lib.format.write_array(file, np.asanyarray(array), version=version, allow_pickle=True)


def make_npy():
    for name, array in ARRAYS.items():
        write_npy(f"npy/{name}.npy", array)
        write_npy(f"npy/big_{name}.npy", array.astype(array.dtype.newbyteorder(">")))
    cube = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    write_npy("npy/cube.npy", cube)
    write_npy("npy/cube_fortran.npy", np.asfortranarray(cube))
    write_npy("npy/cube_big_fortran.npy", np.asfortranarray(cube.astype(">i4")))
    write_npy("npy/scalar.npy", np.array(7.0))
    write_npy("npy/empty.npy", np.zeros((0, 4), np.int16))
    write_npy("npy/version2.npy", cube, (2, 0))
    write_npy("npy/version3.npy", cube, (3, 0))
    write_npy("npy/structured.npy", np.zeros(2, [("a", "<f4"), ("b", "<i4")]))
    write_npy("npy/object.npy", np.array([None], object))
    write_npy("npy/string.npy", np.array(["ab"]))
    write_npy("npy/bytes.npy", np.array([b"ab"]))
    write_npy("npy/void.npy", np.zeros(2, "V2"))
    write_npy("npy/datetime.npy", np.array(["2020-01-01"], "datetime64[D]"))
    write_npy("npy/complex128.npy", np.zeros(2, np.complex128))


def make_npz():
    np.savez(HERE / "stored.npz", **ARRAYS, **{"layer/\u00e9": np.float32(7)})
    np.savez_compressed(HERE / "deflated.npz", cube=np.arange(24).reshape(2, 3, 4), zeros=np.zeros(1 << 20, np.uint8))
    np.savez(HERE / "nothing.npz")


def safetensors_file(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def make_corpus():
    entry = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}
    seeds = {
        "empty": safetensors_file({}),
        "one": safetensors_file({"a": entry}, bytes(8)),
        "misaligned": safetensors_file(b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}} ', bytes(8)),
        "overlap": safetensors_file({"a": entry, "b": entry}, bytes(8)),
        "escape": safetensors_file(b'{"\\u0061\\n":{"dtype":"U8","shape":[],"data_offsets":[0,1]}}', b"x"),
        "product": safetensors_file({"a": entry | {"shape": [1 << 40, 1 << 40, 0], "data_offsets": [0, 0]}}),
        "length": struct.pack("<Q", (1 << 64) - 1) + b"{}",
        "bool": safetensors_file({"a": {"dtype": "BOOL", "shape": [2], "data_offsets": [0, 2]}}, b"\1\2"),
    }
    for name in ("all_dtypes", "shapes", "metadata"):
        seeds[name] = (HERE / f"{name}.safetensors").read_bytes()
    save_corpus("safetensors", seeds)
    npy = {path.stem: path.read_bytes() for path in (HERE / "npy").glob("*.npy") if not path.stem.startswith("big_")}
    npy["big_c64"] = (HERE / "npy" / "big_c64.npy").read_bytes()
    npy["python2"] = (HERE / "npy" / "cube.npy").read_bytes().replace(b"(2, 3, 4)", b"(2L,3L,4)")
    save_corpus("npy", npy)


def save_corpus(folder, seeds):
    (CORPUS / folder).mkdir(parents=True, exist_ok=True)
    for name, data in seeds.items():
        (CORPUS / folder / name).write_bytes(data)


if __name__ == "__main__":
    make_safetensors()
    make_npy()
    make_npz()
    make_corpus()
