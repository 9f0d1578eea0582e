"""Writes models of the ops of com.microsoft for tests/import/runtime_models_test.cpp; runtime_model.py says how."""

import math

import numpy as np
import onnx
from onnx import helper, numpy_helper
from runtime_model import HIDDEN, MS, ROOT, Const, Model, codes, f32, outputs_of, real, rng, runtime_outputs


def norms():
    m = Model("norms")
    x, skip, gamma, beta, bias = real(2, 3, 8), real(2, 3, 8), real(8), real(8), real(8)
    m.add("SkipLayerNormalization", [x, skip, Const(gamma), Const(beta), Const(bias)], [1, 0, 0, 1], epsilon=1e-5)
    m.add("SkipLayerNormalization", [x, real(3, 8), Const(gamma)], open_axes=(0,))
    m.add("SkipSimplifiedLayerNormalization", [x, skip, Const(gamma), Const(bias)], [1, 0, 0, 1], epsilon=1e-6)
    m.add("SkipSimplifiedLayerNormalization", [x, skip, Const(gamma)])
    m.add("SimplifiedLayerNormalization", [x, Const(gamma)], 2, domain="", epsilon=1e-3, axis=-1)
    words, segments = np.int32([[3, 0, 4], [1, 1, 2]]), np.int32([[0, 0, 1], [1, 0, 1]])
    tables = [Const(real(5, 8)), Const(real(6, 8)), Const(real(2, 8)), Const(gamma), Const(beta)]
    mask = np.int32([[1, 1, 0], [1, 1, 1]])
    m.add("EmbedLayerNormalization", [words, segments, *tables, mask], 3, epsilon=1e-5)
    m.add("EmbedLayerNormalization", [words, None, tables[0], tables[1], None, *tables[3:], None, np.int32([[2, 1, 0], [5, 4, 3]])], 2)
    m.save()


def activations():
    m = Model("activations")
    x, bias = real(3, 8), real(8)
    m.add("BiasGelu", [x, Const(bias)], open_axes=(0,))
    m.add("FastGelu", [x])
    m.add("FastGelu", [x, Const(bias)])
    m.add("QuickGelu", [x])
    m.add("QuickGelu", [x], alpha=0.75)
    m.add("Gelu", [x])
    wide, wide_bias = real(2, 3, 8), real(8)
    left, right = np.split(wide.astype(np.float64) + wide_bias, 2, axis=-1)
    gelu = right / 2 * (1 + np.vectorize(math.erf)(right / 2**0.5))
    m.add("BiasSplitGelu", [wide, Const(wide_bias)], expected=[(left * gelu).astype(np.float32)])
    m.save()


def products():
    m = Model("products")
    m.add("FusedMatMul", [real(2, 3, 4), real(2, 4, 5)], alpha=0.5)
    m.add("FusedMatMul", [real(2, 4, 3), real(5, 4)], transA=1, transB=1)
    m.add("FusedGemm", [real(3, 4), Const(real(4, 5)), Const(real(5))], alpha=0.5, beta=2.0, activation="Relu")
    m.add("FusedGemm", [real(4, 3), Const(real(5, 4))], transA=1, transB=1, activation="LeakyRelu", activation_alpha=0.3)
    image, w = real(1, 4, 5, 6), Const(real(6, 2, 3, 3, scale=0.3))
    m.add("FusedConv", [image, w, Const(real(6))], group=2, pads=[1, 1, 1, 1], activation="HardSigmoid", activation_params=[0.3, 0.4])
    m.add("FusedConv", [image, w, Const(real(6)), real(1, 6, 2, 2)], group=2, strides=[2, 3], auto_pad="VALID", activation="Relu")
    m.add("FusedConv", [image, w], group=2, activation="Tanh")
    m.save()


def attention():
    m = Model("attention")
    x, w, b = real(2, 3, 8), Const(real(8, 24, scale=0.5)), Const(real(24))
    m.add("Attention", [x, w, b], num_heads=2)
    m.add("Attention", [x, w, b, np.int32([[1, 1, 0], [0, 0, 0]])], num_heads=2, scale=0.3, mask_filter_value=-8.0)
    m.add("Attention", [x, w, b, np.int32([2, 3])], num_heads=4, mask_filter_value=-100.0)
    m.add("Attention", [x, w, b, np.int32(rng.integers(0, 2, (2, 3, 3)))], num_heads=2, unidirectional=1, mask_filter_value=-8.0)
    m.add("Attention", [x, w, b, None, real(2, 2, 2, 4, 4)], 2, num_heads=2, unidirectional=1)
    m.add("Attention", [x, w, b, None, None, real(1, 2, 3, 3)], num_heads=2)
    m.add("Attention", [x, Const(real(8, 20, scale=0.5)), Const(real(20))], num_heads=2, qkv_hidden_sizes=[8, 8, 4])
    scale = [Const(f32(0.02)), Const(f32(0.01))]
    m.add("QAttention", [codes(2, 3, 8), Const(codes(8, 24, dtype=np.int8)), Const(real(24)), *scale, None, Const(np.uint8(120)),
                         Const(np.int8(3))], num_heads=2)
    m.add("QAttention", [codes(2, 3, 8), Const(codes(8, 24, dtype=np.int8)), Const(real(24)), scale[0],
                         Const(np.abs(real(24, scale=0.01))), np.int32([2, 3]), Const(np.uint8(128)),
                         Const(np.zeros(24, np.int8))], num_heads=2)
    m.save()


def multi_head_attention():
    m = Model("multi_head_attention")
    q, k, v = real(2, 3, 8), real(2, 5, 8), real(2, 5, 12)
    m.add("MultiHeadAttention", [q, k, v], num_heads=2)
    m.add("MultiHeadAttention", [q, k, v, Const(real(28))], num_heads=4, scale=0.4)
    m.add("MultiHeadAttention", [q, k, v, None, np.int32([[1, 1, 0, 0, 1], [1, 0, 1, 1, 1]])], num_heads=2)
    m.add("MultiHeadAttention", [q, k, v, None, np.int32([4, 5])], num_heads=2, mask_filter_value=-50.0)
    m.add("MultiHeadAttention", [q, k, v, None, None, real(1, 2, 3, 5)], num_heads=2)
    same = real(2, 3, 8)
    m.add("MultiHeadAttention", [q, same, same], num_heads=2, unidirectional=1)
    m.add("MultiHeadAttention", [q, same, same, None, None, None, real(2, 2, 4, 4), real(2, 2, 4, 4)], 3, num_heads=2,
          unidirectional=1, open_axes=(1,))
    m.add("MultiHeadAttention", [q, real(2, 2, 5, 4), real(2, 2, 5, 4)], num_heads=2)
    # [B, S, N, parts, D] is the same in one tensor
    parts = real(2, 5, 2, 3, 4)
    apart = [np.ascontiguousarray(parts[:, :, :, i]).reshape(2, 5, 8) for i in range(3)]
    m.add("MultiHeadAttention", [parts], num_heads=2, expected=outputs_of("MultiHeadAttention", apart, num_heads=2))
    m.add("MultiHeadAttention", [q, np.ascontiguousarray(parts[:, :, :, 1:])], num_heads=2,
          expected=outputs_of("MultiHeadAttention", [q, *apart[1:]], num_heads=2))
    m.save()


def tables(count, half):
    angle = np.arange(count)[:, None] * 10.0 ** (-np.arange(half) / half)
    return [Const(np.cos(angle).astype(np.float32)), Const(np.sin(angle).astype(np.float32))]


def group_query_attention():
    m = Model("group_query_attention")
    heads = dict(num_heads=4, kv_num_heads=2)
    none, angles, one = [None, None], tables(16, 8), [1, HIDDEN, HIDDEN]

    def new(batch, length):
        return [real(batch, length, 64), real(batch, length, 32), real(batch, length, 32)]

    # a first prompt
    prompt, ends = new(2, 3), [np.int32([2, 2]), Const(np.int32(3))]
    m.add("GroupQueryAttention", [*prompt, *none, *ends], 3, **heads)
    m.add("GroupQueryAttention", [*prompt, *none, *ends, *angles], 3, do_rotary=1, **heads)
    m.add("GroupQueryAttention", [real(1, 3, 128), None, None, *none, np.int32([2]), Const(np.int32(3)), *angles], 3, do_rotary=1,
          rotary_interleaved=1, scale=0.2, **heads)
    m.add("GroupQueryAttention", [*prompt, *none, *ends], one, local_window_size=2, **heads)
    m.add("GroupQueryAttention", [*prompt, *none, *ends, None, None, None, None, Const(real(4))], one, **heads)
    m.add("GroupQueryAttention", [*prompt, *none, *ends], one, smooth_softmax=1, **heads)
    # one more token behind a past of 4, which is shorter in the second row
    token, past = new(2, 1), [real(2, 2, 4, 16), real(2, 2, 4, 16)]
    even, odd = [np.int32([4, 4]), Const(np.int32(5))], [np.int32([4, 2]), Const(np.int32(5))]
    m.add("GroupQueryAttention", [*token, *past, *even, *angles], 3, do_rotary=1, **heads)
    m.add("GroupQueryAttention", [*token, *past, *odd, *angles], one, do_rotary=1, softcap=2.0, **heads)
    m.add("GroupQueryAttention", [*token, *past, *even], one, local_window_size=3, **heads)
    m.add("GroupQueryAttention", [*token, *past, *even, None, None, None, real(1, 4, 1, 5)], one, **heads)
    # several tokens behind a past
    more = [*new(1, 2), real(1, 2, 4, 16), real(1, 2, 4, 16), np.int32([5]), Const(np.int32(6)), *angles]
    m.add("GroupQueryAttention", [*more, np.int64([[4, 5]])], 3, do_rotary=1, **heads)
    m.add("GroupQueryAttention", [*prompt, *none, *ends], one, causal=0, **heads)
    m.save()


def open_sizes():
    """Sizes that are symbols, each of another name, as far as an op lets them be."""
    m = Model("open_attention", opset=23)
    both = dict(open_axes=(0, 1))
    q, k, v = real(2, 3, 8), real(2, 5, 8), real(2, 5, 12)
    m.add("Attention", [q, k, v], domain="", q_num_heads=2, kv_num_heads=2, **both)
    m.add("Attention", [q, real(2, 3, 8), real(2, 3, 8), None, real(2, 2, 4, 4), real(2, 2, 4, 4)], 3, domain="", q_num_heads=2,
          kv_num_heads=2, is_causal=1, open_axes=(0,))
    m.save()
    m = Model("open_sizes")
    m.add("Attention", [real(2, 3, 8), Const(real(8, 24)), Const(real(24)), np.int32([[1, 1, 0], [0, 1, 1]])], num_heads=2,
          unidirectional=1, **both)
    m.add("MultiHeadAttention", [q, k, v, None, np.int32([[1, 1, 0, 0, 1], [1, 0, 1, 1, 1]]), real(2, 2, 3, 5)], num_heads=2, open_axes=(0,))
    m.add("SkipLayerNormalization", [q, real(2, 3, 8), Const(real(8))], **both)
    m.add("MatMulNBits", [real(2, 3, 32), Const(codes(5, 2, 8)), Const(np.abs(real(5, 2)))], K=32, N=5, bits=4, block_size=16, **both)
    m.add("DynamicQuantizeMatMul", [real(2, 3, 8), Const(codes(8, 4, dtype=np.int8)), Const(f32(0.02))], **both)
    m.add("RotaryEmbedding", [real(2, 3, 16), np.int64([[0, 1, 2], [4, 2, 7]]), *tables(8, 4)], **both)
    m.add("LSTM", [real(4, 2, 3), Const(real(2, 20, 3)), Const(real(2, 20, 5)), Const(real(2, 40)), np.int32([4, 2])], 3, domain="",
          hidden_size=5, direction="bidirectional", **both)
    m.add("GRU", [real(4, 2, 3), Const(real(1, 15, 3)), Const(real(1, 15, 5)), None, None, real(1, 2, 5)], 2, domain="", hidden_size=5,
          linear_before_reset=1, open_axes=(1,))
    image = real(1, 2, 5, 7)
    m.add("Resize", [image, None, Const(np.float32([1, 1, 2, 0.7]))], domain="", mode="linear", open_axes=(2, 3))
    m.add("Resize", [image, None, None, Const(np.int64([1, 2, 8, 3]))], domain="", mode="cubic", open_axes=(2, 3))
    m.add("GridSample", [image, real(1, 3, 4, 2, scale=0.5)], domain="", open_axes=(1, 2))
    m.add("QuantizeLinear", [real(3, 4), Const(f32([0.02, 0.03, 0.01])), Const(np.int8([0, 3, -4]))], domain="", axis=0, open_axes=(1,))
    m.add("RoiAlign", [image, np.float32([[0, 0, 3, 4], [1, 1, 5, 4]]), np.int64([0, 0])], domain="", output_height=2, output_width=2,
          sampling_ratio=2, open_axes=(0,))
    m.add("NonMaxSuppression", [np.float32([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 10, 1, 11]]]), np.float32([[[0.9, 0.75, 0.6]]]),
                                Const(np.int64([3])), Const(f32([0.5])), Const(f32([0.0]))], domain="", open_axes=(1,))
    m.save()


def decoder():
    """How exporters feed a cache: lengths are counted in the mask."""
    feeds = {"x": real(2, 1, 128), "mask": np.int64([[1, 1, 1, 1, 1], [1, 1, 1, 1, 1]]), "past_k": real(2, 2, 4, 16), "past_v": real(2, 2, 4, 16)}
    shapes = {"x": ["batch", "new", 128], "mask": ["batch", "total"], "past_k": ["batch", 2, "past", 16], "past_v": ["batch", 2, "past", 16]}
    cos, sin = tables(16, 8)
    constants = {"cos": cos.array, "sin": sin.array, "axis": np.int64([1]), "one": np.int64(1), "one1": np.int64([1])}
    node = helper.make_node
    nodes = [
        node("ReduceSum", ["mask", "axis"], ["counts"], keepdims=0),
        node("Sub", ["counts", "one1"], ["ends"]),
        node("Cast", ["ends"], ["seqlens"], to=onnx.TensorProto.INT32),
        node("Shape", ["mask"], ["mask_shape"]),
        node("Gather", ["mask_shape", "one"], ["total64"], axis=0),
        node("Cast", ["total64"], ["total"], to=onnx.TensorProto.INT32),
        node("GroupQueryAttention", ["x", "", "", "past_k", "past_v", "seqlens", "total", "cos", "sin"], ["y", "k", "v"], domain=MS,
             num_heads=4, kv_num_heads=2, do_rotary=1),
    ]
    inputs = [helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), shapes[name]) for name, array in feeds.items()]
    outputs = [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["batch", "new", 64])]
    outputs += [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, ["batch", 2, "total", 16]) for name in "kv"]
    graph = helper.make_graph(nodes, "g", inputs, outputs, [numpy_helper.from_array(array, name) for name, array in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(MS, 1)], ir_version=10)
    (ROOT / "decoder.onnx").write_bytes(model.SerializeToString())
    np.savez_compressed(ROOT / "decoder.npz", **feeds, **dict(zip("ykv", runtime_outputs(model, ["y", "k", "v"], feeds))))


def rotary():
    m = Model("rotary")
    where = np.int64([[0, 1, 2], [4, 2, 7]])
    m.add("RotaryEmbedding", [real(2, 3, 16), where, *tables(8, 4)])
    m.add("RotaryEmbedding", [real(2, 2, 3, 8), where, *tables(8, 4)], interleaved=1)
    m.add("RotaryEmbedding", [real(2, 3, 16), np.int64([3]), *tables(8, 4)])
    m.add("RotaryEmbedding", [real(2, 3, 16), where, *tables(8, 2)], num_heads=2, rotary_embedding_dim=4)
    m.save()


def scale_of(x):
    return Const(f32(x))


def quantized():
    m = Model("quantized")
    for dtype, zero in ((np.uint8, 128), (np.int8, 4)):
        a, b = codes(2, 3, 4, dtype=dtype), codes(3, 1, dtype=dtype)
        z = [Const(dtype(zero)), Const(dtype(zero + 7)), Const(dtype(zero - 3))]
        m.add("QLinearAdd", [a, scale_of(0.021), z[0], b, scale_of(0.013), z[1], scale_of(0.033), z[2]])
        m.add("QLinearMul", [a, scale_of(0.021), z[0], b, scale_of(0.013), z[1], scale_of(0.033), z[2]])
        m.add("QLinearSigmoid", [a, scale_of(0.031), z[0], scale_of(0.0041), z[1]])
        m.add("QLinearLeakyRelu", [a, scale_of(0.031), z[0], scale_of(0.027), z[1]], alpha=0.2)
        m.add("QLinearConcat", [scale_of(0.03), z[0], a, scale_of(0.02), z[1], codes(2, 2, 4, dtype=dtype), scale_of(0.05), z[2]], axis=1)
        image = codes(1, 4, 5, 6, dtype=dtype)
        m.add("QLinearAveragePool", [image, scale_of(0.03141), z[0], scale_of(0.02347), z[1]], kernel_shape=[3, 2], pads=[1, 0, 1, 1], strides=[2, 1])
        m.add("QLinearAveragePool", [image, scale_of(0.03141), z[0], scale_of(0.02347), z[1]], kernel_shape=[2, 2], pads=[1, 1, 0, 0],
              count_include_pad=1, ceil_mode=1)
        m.add("QLinearGlobalAveragePool", [image, scale_of(0.031), z[0], scale_of(0.0071), z[1]])
    m.add("QLinearGlobalAveragePool", [codes(1, 5, 6, 4), scale_of(0.031), Const(np.uint8(9)), scale_of(0.0071), Const(np.uint8(3))],
          channels_last=1)
    m.add("QLinearSoftmax", [codes(2, 3, 4), scale_of(0.05), Const(np.uint8(9)), scale_of(1 / 256), Const(np.uint8(0))], axis=-1, opset=13)
    m.add("QLinearSoftmax", [codes(2, 3, 4), scale_of(0.05), Const(np.uint8(9)), scale_of(1 / 256), Const(np.uint8(0))], axis=1, opset=12)
    m.add("QuantizeLinear", [real(3, 4), scale_of(0.02), Const(np.uint8(7))])
    m.add("DequantizeLinear", [codes(3, 4), Const(np.abs(real(3))), Const(codes(3))], axis=0)
    m.save()


def quantized_products():
    m = Model("quantized_products")
    a, b = codes(2, 3, 8), codes(8, 4, dtype=np.int8)
    columns = Const(np.abs(real(4, scale=0.02)))
    m.add("MatMulIntegerToFloat", [a, Const(b), scale_of(0.03), columns, Const(np.uint8(111)), Const(codes(4, dtype=np.int8)), Const(real(4))])
    m.add("MatMulIntegerToFloat", [a, Const(b), scale_of(0.03), scale_of(0.01)])
    m.add("DynamicQuantizeMatMul", [real(3, 8), Const(b), columns, Const(codes(4, dtype=np.int8)), Const(real(4))])
    m.add("DynamicQuantizeMatMul", [real(3, 8), Const(b), scale_of(0.02)])
    bias = Const(rng.integers(-900, 900, 4).astype(np.int32))
    m.add("QGemm", [codes(3, 8), scale_of(0.03), Const(np.uint8(120)), Const(b), columns, Const(np.zeros(4, np.int8)), bias, scale_of(0.21),
                    Const(np.uint8(100))])
    m.add("QGemm", [codes(8, 3), scale_of(0.03), Const(np.uint8(120)), Const(codes(4, 8, dtype=np.int8)), scale_of(0.02), Const(np.int8(5))],
          transA=1, transB=1, alpha=0.5)
    m.save()


def blocks():
    m = Model("blocks", opset=21)
    for bits in (2, 4, 8):
        k, n, block = 40, 5, 16
        count = -(-k // block)
        weight = Const(codes(n, count, block * bits // 8))
        scales = Const(np.abs(real(n, count, scale=0.1)))
        m.add("MatMulNBits", [real(2, 3, k), weight, scales], K=k, N=n, bits=bits, block_size=block)
        m.add("MatMulNBits", [real(3, k), weight, scales, Const(codes(n, -(-count * bits // 8)))], K=k, N=n, bits=bits, block_size=block)
    m.add("MatMulNBits", [real(3, 32), Const(codes(5, 2, 8)), Const(np.abs(real(5, 2))), None, None, Const(real(5))],
          K=32, N=5, bits=4, block_size=16, accuracy_level=1)
    rows = np.int64([[1, 4], [0, 2]])
    m.add("GatherBlockQuantized", [Const(codes(6, 16)), rows, Const(np.abs(real(6, 2)))], block_size=16, bits=4)
    m.add("GatherBlockQuantized", [Const(codes(6, 16)), rows, Const(np.abs(real(6, 2))), Const(codes(6, 1))], block_size=16, bits=4)
    m.add("GatherBlockQuantized", [Const(codes(6, 32)), rows, Const(np.abs(real(6, 2)))], block_size=16, bits=8)
    m.save()


def image_numbers():
    """Scales, regions, limits and thresholds that the model is called with."""
    m = Model("image_numbers", opset=19)
    image = real(1, 2, 5, 10)
    spatial = dict(domain="", open_axes=(2, 3))
    m.add("Resize", [image, None, f32([1, 1, 2, 0.7])], mode="linear", **spatial)
    m.add("Resize", [image, None, f32([1.6, 0.3])], mode="cubic", axes=[2, 3], cubic_coeff_a=-0.5, domain="")
    m.add("Resize", [image, None, f32([0.7, 0.5])], mode="linear", antialias=1, axes=[3, 2], domain="")
    m.add("Resize", [image, f32([0, 0, 0.25, -0.5, 1, 1, 0.75, 1]), None, Const(np.int64([1, 2, 4, 6]))], mode="linear",
          coordinate_transformation_mode="tf_crop_and_resize", extrapolation_value=2.5, **spatial)
    m.add("Resize", [image, f32([0, 0, 0.25, 0, 1, 1, 0.75, 1]), f32([1, 1, 2, 1.5])], mode="nearest",
          coordinate_transformation_mode="tf_crop_and_resize", domain="")
    for policy in ("not_larger", "not_smaller"):
        m.add("Resize", [image, None, None, np.int64([7, 8])], mode="linear", axes=[2, 3], keep_aspect_ratio_policy=policy, domain="")
        m.add("Resize", [image, None, None, Const(np.int64([9, 9]))], mode="nearest", axes=[2, 3], keep_aspect_ratio_policy=policy, **spatial)
    boxes = f32([[[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, -0.1, 1, 0.9], [0, 10, 1, 11], [0, 10.1, 1, 11.1], [0, 100, 1, 101]]])
    scores = f32([[[0.9, 0.75, 0.6, 0.95, 0.5, 0.3]]])
    for most, overlap, least in (([3], [0.5], [0.0]), (2, 0.25, 0.35), ([-1], [0.5], [0.0]), ([9], [1.0], [0.5])):
        m.add("NonMaxSuppression", [boxes, scores, np.int64(most), f32(overlap), f32(least)], domain="")
    m.add("NonMaxSuppression", [boxes, scores, np.int64([2])], domain="")
    m.save()
    m = Model("upsample_numbers", opset=9)
    m.add("Upsample", [image, f32([1, 1, 2.5, 1.2])], mode="linear", **spatial)
    m.add("Upsample", [image, f32([1, 1, 2, 3])], mode="nearest", domain="")
    m.save()


if __name__ == "__main__":
    for make in (norms, activations, products, attention, multi_head_attention, group_query_attention, open_sizes, decoder,
                 rotary, quantized, quantized_products, blocks, image_numbers):
        make()
