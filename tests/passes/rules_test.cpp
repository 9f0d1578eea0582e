// Every rule of canonicalize by itself: where it applies and what comes out, and what is near and stays as it is.
#include <gtest/gtest.h>

#include <algorithm>

#include "passes/canonicalize.h"
#include "tests/passes/passes_support.h"

namespace ingot::test {
namespace {

constexpr RuleCase kCases[] = {
    // ------------------------------------------------------------------------------------------------------ reshape
    {"reshape_of_reshape", "%x: f32[2, 3]", "%a = reshape %x {shape=[6]}; %y = reshape %a {shape=[3, 2]}",
     "%y = reshape %x {shape=[3, 2]}"},
    {"reshape_of_reshape", "%x: f32[S, 6]",
     "%a = reshape %x {shape=[6*S]}; %b = reshape %a {shape=[2, 3*S]}; %y = reshape %b {shape=[3, 2*S]}",
     "%y = reshape %x {shape=[3, 2*S]}"},
    // What others use stays, and is read all the same.
    {"reshape_of_reshape", "%x: f32[2, 3]",
     "%a = reshape %x {shape=[6]}; %y = reshape %a {shape=[3, 2]}; return %y, %a",
     "%a = reshape %x {shape=[6]}; %y = reshape %x {shape=[3, 2]}; return %y, %a"},
    {"reshape_of_reshape", "%x: f32[2, 3]", "%a = transpose %x {perm=[1, 0]}; %y = reshape %a {shape=[6]}", ""},
    {"reshape_of_swapped", "%x: f32[4*S, T, 8]",
     "%a = transpose %x {perm=[0, 2, 1]}; %y = reshape %a {shape=[S, 4, 8, T]}",
     "%0 = reshape %x {shape=[S, 4, T, 8]}; %y = transpose %0 {perm=[0, 1, 3, 2]}"},
    {"reshape_of_swapped", "%x: f32[2, 3, S, T]",
     "%a = transpose %x {perm=[0, 1, 3, 2]}; %y = reshape %a {shape=[6, T, S]}",
     "%0 = reshape %x {shape=[6, S, T]}; %y = transpose %0 {perm=[0, 2, 1]}"},
    {"reshape_of_swapped", "%x: f32[3, 4]", "%a = transpose %x {perm=[1, 0]}; %y = reshape %a {shape=[1, 4, 3]}",
     "%0 = reshape %x {shape=[1, 3, 4]}; %y = transpose %0 {perm=[0, 2, 1]}"},
    // Other matrices; other axes; rows that are joined with the matrices in front.
    {"reshape_of_swapped", "%x: f32[2, S, 4]", "%a = transpose %x {perm=[0, 2, 1]}; %y = reshape %a {shape=[2, S, 4]}",
     ""},
    {"reshape_of_swapped", "%x: f32[2, S, 4]",
     "%a = transpose %x {perm=[1, 2, 0]}; %y = reshape %a {shape=[1, S, 4, 2]}", ""},
    {"reshape_of_swapped", "%x: f32[2, S, 4]", "%a = transpose %x {perm=[0, 2, 1]}; %y = reshape %a {shape=[8, S]}",
     ""},
    {"reshape_of_swapped", "%x: f32[2, S, 1]", "%a = transpose %x {perm=[0, 2, 1]}; %y = reshape %a {shape=[2*S]}", ""},
    {"reshape_of_reduce", "%x: f32[S, 3, 8]",
     "%a = reduce_var %x {axes=[-1, 1], ddof=1}; %y = reshape %a {shape=[S, 1, 1]}",
     "%y = reduce_var %x {axes=[-1, 1], keepdims=true, ddof=1}"},
    {"reshape_of_reduce", "%x: f32[S, 3]", "%a = reduce_mean %x {axes=[0], dtype=f64}; %y = reshape %a {shape=[1, 3]}",
     "%y = reduce_mean %x {axes=[0], keepdims=true, dtype=f64}"},
    // A 1 elsewhere; one more; what would be reduced twice.
    {"reshape_of_reduce", "%x: f32[S, 3]", "%a = reduce_sum %x {axes=[1]}; %y = reshape %a {shape=[1, S]}", ""},
    {"reshape_of_reduce", "%x: f32[S, 3]", "%a = reduce_sum %x {axes=[1]}; %y = reshape %a {shape=[S, 1, 1]}", ""},
    {"reshape_of_reduce", "%x: f32[S, 3]",
     "%a = reduce_sum %x {axes=[1]}; %y = reshape %a {shape=[S, 1]}; return %y, %a", ""},
    {"reshape_same", "%x: f32[S, 3]", "%y = reshape %x {shape=[S, 3]}", "return %x"},
    {"reshape_same", "%x: f32[3, 3]", "%y = reshape %x {shape=[9]}", ""},
    {"reshape_of_full", "%x: f32[S, 2]",
     "%a = full {shape=[S, 2], value=3}; %b = reshape %a {shape=[2*S]}; return %b, %x",
     "%b = full {shape=[2*S], value=3}; return %b, %x"},
    {"reshape_of_full", "%x: f32[4]", "%a = iota {length=4}; %y = reshape %a {shape=[2, 2]}", ""},
    // ---------------------------------------------------------------------------------------------------- transpose
    {"transpose_identity", "%x: f32[2, 3]", "%y = transpose %x {perm=[0, 1]}", "return %x"},
    {"transpose_identity", "%x: f32[2, 2]", "%y = transpose %x {perm=[1, 0]}", ""},
    {"transpose_of_transpose", "%x: f32[2, 3, 4]",
     "%a = transpose %x {perm=[2, 0, 1]}; %y = transpose %a {perm=[0, 2, 1]}", "%y = transpose %x {perm=[2, 1, 0]}"},
    {"transpose_of_transpose", "%x: f32[2, 3]", "%a = reshape %x {shape=[3, 2]}; %y = transpose %a {perm=[1, 0]}", ""},
    {"transpose_of_full", "%x: f32[2]", "%a = full {shape=[2, 3], value=7, dtype=i8}; %y = transpose %a {perm=[1, 0]}",
     "%y = full {shape=[3, 2], value=7, dtype=i8}"},
    {"transpose_of_full", "%x: f32[2, 3]", "%y = transpose %x {perm=[1, 0]}", ""},
    // ---------------------------------------------------------------------------------------------------- broadcast
    {"broadcast_same", "%x: f32[S, 1]", "%y = broadcast %x {shape=[S, 1]}", "return %x"},
    {"broadcast_same", "%x: f32[S, 1]", "%y = broadcast %x {shape=[S, 2]}", ""},
    {"broadcast_of_broadcast", "%x: f32[1]", "%a = broadcast %x {shape=[3, 1]}; %y = broadcast %a {shape=[2, 3, 4]}",
     "%y = broadcast %x {shape=[2, 3, 4]}"},
    {"broadcast_of_broadcast", "%x: f32[2]", "%a = reshape %x {shape=[2, 1]}; %y = broadcast %a {shape=[2, 3]}", ""},
    {"broadcast_of_full", "%x: f32[S]", "%a = full {shape=[], value=0.5}; %y = broadcast %a {shape=[S]}",
     "%y = full {shape=[S], value=0.5}"},
    {"broadcast_of_full", "%x: f32[S]", "%y = broadcast @one {shape=[S]}", ""},
    {"binary_of_broadcast", "%x: f32[S, 3], %b: f32[3]", "%a = broadcast %b {shape=[S, 3]}; %y = sub %a, %x",
     "%y = sub %b, %x"},
    {"binary_of_broadcast", "%x: f32[S, 3], %b: f16[3]", "%a = broadcast %b {shape=[S, 3]}; %y = div %x, %a",
     "%y = div %x, %b"},
    // Here the broadcast gives the result its shape.
    {"binary_of_broadcast", "%x: f32[S, 1], %b: f32[3]", "%a = broadcast %b {shape=[S, 3]}; %y = add %a, %x", ""},
    {"compare_of_broadcast", "%x: f32[2, 3], %b: f32[3]", "%a = broadcast %b {shape=[2, 3]}; %y = lt %a, %x",
     "%y = lt %b, %x"},
    {"compare_of_broadcast", "%x: f32[3], %b: f32[3]", "%a = broadcast %b {shape=[2, 3]}; %y = lt %a, %x", ""},
    // --------------------------------------------------------------------------------------------- slice, concatenate
    {"slice_of_everything", "%x: f32[S, 3]", "%y = slice %x {axes=[0, 1], starts=[0, 0], stops=[S, 3]}", "return %x"},
    {"slice_of_everything", "%x: f32[1]", "%y = slice %x {axes=[0], starts=[0], stops=[1], steps=[2]}", "return %x"},
    {"slice_of_everything", "%x: f32[3]", "%y = slice %x {axes=[0], starts=[0], stops=[3], steps=[2]}", ""},
    {"slice_of_everything", "%x: f32[3]", "%y = slice %x {axes=[0], starts=[1], stops=[3]}", ""},
    {"slice_by_default", "%x: f32[S, 8]", "%y = slice %x {axes=[-1], starts=[0], stops=[4], steps=[1]}",
     "%y = slice %x {axes=[1], starts=[0], stops=[4]}"},
    {"slice_by_default", "%x: f32[S, 8]", "%y = slice %x {axes=[0, 1], starts=[0, 0], stops=[S, 4]}",
     "%y = slice %x {axes=[1], starts=[0], stops=[4]}"},
    {"slice_by_default", "%x: f32[7, 8, 9]",
     "%y = slice %x {axes=[2, 0, 1], starts=[1, 2, 0], stops=[9, 7, 8], steps=[1, 3, 1]}",
     "%y = slice %x {axes=[0, 2], starts=[2, 1], stops=[7, 9], steps=[3, 1]}"},
    {"slice_by_default", "%x: f32[S, 8]", "%y = slice %x {axes=[1], starts=[0], stops=[4]}", ""},
    {"slice_by_default", "%x: f32[S, 8]", "%y = slice %x {axes=[1], starts=[0], stops=[8], steps=[2]}", ""},
    {"slice_of_slice", "%x: f32[9, 8]",
     "%a = slice %x {axes=[-2], starts=[2], stops=[9]}; "
     "%y = slice %a {axes=[1, 0], starts=[3, 1], stops=[4, 5]}",
     "%y = slice %x {axes=[0, 1], starts=[3, 3], stops=[7, 4]}"},
    {"slice_of_slice", "%x: f32[9]",
     "%a = slice %x {axes=[0], starts=[1], stops=[9], steps=[2]}; "
     "%y = slice %a {axes=[0], starts=[1], stops=[3]}",
     ""},
    {"concatenate_of_one", "%x: f32[3]", "%y = concatenate [%x]", "return %x"},
    {"concatenate_of_one", "%x: f32[3]", "%y = concatenate [%x, %x]", ""},
    {"concatenate_of_concatenate", "%x: f32[2, 3], %z: f32[2, 1]",
     "%a = concatenate [%x, %z] {axis=1}; %y = concatenate [%a, %x] {axis=-1}",
     "%y = concatenate [%x, %z, %x] {axis=-1}"},
    {"concatenate_of_concatenate", "%x: f32[2, 2]", "%a = concatenate [%x, %x]; %y = concatenate [%a, %a] {axis=1}",
     ""},
    // The inner one converts i64 to f16, which is not what i64 to f32 is.
    {"concatenate_of_concatenate", "%x: i64[2], %z: f16[2], %v: f32[2]",
     "%a = concatenate [%x, %z]; %y = concatenate [%a, %v]", ""},
    {"concatenate_of_concatenate", "%x: f32[2]", "%a = concatenate [%x, %x]; %y = concatenate [%a, %x]; return %y, %a",
     ""},
    // ------------------------------------------------------------------------------------------ what moves nothing
    {"pad_by_nothing", "%x: f32[S]", "%y = pad %x {before=[0], after=[0], value=2}", "return %x"},
    {"pad_by_nothing", "%x: f32[S]", "%y = pad %x {before=[0], after=[1]}", ""},
    {"ensure_shape_proven", "%x: f32[S, 2]", "%y = ensure_shape %x {shape=[S, 2]}", "return %x"},
    {"ensure_shape_proven", "%x: f32[S, 2], %z: f32[T]", "%y = ensure_shape %x {shape=[T, 2]}", ""},
    {"ensure_shape_of_moved", "%x: f32[2, S + K, 8], %z: f32[S, T]",
     "%a = reshape %x {shape=[2, 1, S + K, 8]}; %y = ensure_shape %a {shape=[2, 1, T, 8]}",
     "%0 = ensure_shape %x {shape=[2, T, 8]}; %y = reshape %0 {shape=[2, 1, T, 8]}"},
    {"ensure_shape_of_moved", "%x: f32[2, 1, S, 8], %z: f32[T]",
     "%a = broadcast %x {shape=[2, 4, S, 8]}; %y = ensure_shape %a {shape=[2, 4, T, 8]}",
     "%0 = ensure_shape %x {shape=[2, 1, T, 8]}; %y = broadcast %0 {shape=[2, 4, T, 8]}"},
    // A size that x has not, or twice; one of two that are the same.
    {"ensure_shape_of_moved", "%x: f32[S, 4], %z: f32[T]",
     "%a = reshape %x {shape=[4*S]}; %y = ensure_shape %a {shape=[T]}", ""},
    {"ensure_shape_of_moved", "%x: f32[1, 8], %z: f32[S, T]",
     "%a = broadcast %x {shape=[S, 8]}; %y = ensure_shape %a {shape=[T, 8]}", ""},
    {"ensure_shape_of_moved", "%x: f32[S, S], %z: f32[T]",
     "%a = reshape %x {shape=[1, S, S]}; %y = ensure_shape %a {shape=[1, T, S]}", ""},
    {"ensure_shape_of_moved", "%x: f32[S, 4], %z: f32[T]",
     "%a = reshape %x {shape=[4, S]}; %y = ensure_shape %a {shape=[4, T]}; return %y, %a", ""},
    {"tile_once", "%x: f32[S, 2]", "%y = tile %x {repeats=[1, 1]}", "return %x"},
    {"tile_once", "%x: f32[S, 2]", "%y = tile %x {repeats=[1, 2]}", ""},
    {"repeat_once", "%x: f32[S, 2]", "%y = repeat %x {count=1, axis=1}", "return %x"},
    {"repeat_once", "%x: f32[S, 2]", "%y = repeat %x {count=2}", ""},
    {"flip_of_nothing", "%x: f32[1, 2]", "%y = flip %x {axes=[0]}", "return %x"},
    {"flip_of_nothing", "%x: f32[1, 2]", "%y = flip %x {axes=[0, 1]}", ""},
    {"flip_of_flip", "%x: f32[2, 3, 4]", "%a = flip %x {axes=[0, -1]}; %y = flip %a {axes=[2, 1]}",
     "%y = flip %x {axes=[0, 1]}"},
    {"flip_of_flip", "%x: f32[4]", "%a = roll %x {shifts=[1], axes=[0]}; %y = flip %a {axes=[0]}", ""},
    {"roll_of_nothing", "%x: f32[1, 2]", "%y = roll %x {shifts=[3, 0], axes=[0, 1]}", "return %x"},
    {"roll_of_nothing", "%x: f32[1, 2]", "%y = roll %x {shifts=[1], axes=[1]}", ""},
    {"matmul_of_transpose", "%x: f32[S, 3], %z: f32[4, 3]", "%a = transpose %z {perm=[1, 0]}; %y = matmul %x, %a",
     "%y = matmul %x, %z {transpose_b=true}"},
    {"matmul_of_transpose", "%x: f32[2, 3, S], %z: f32[S, 4]",
     "%a = transpose %x {perm=[0, 2, 1]}; %b = transpose %z {perm=[1, 0]}; "
     "%y = matmul %a, %b {transpose_a=true, transpose_b=true}",
     "%y = matmul %x, %z"},
    {"matmul_of_transpose", "%x: f32[2, 3, S], %z: f32[3, 4]", "%a = transpose %x {perm=[0, 2, 1]}; %y = matmul %a, %z",
     "%y = matmul %x, %z {transpose_a=true}"},
    {"matmul_of_transpose", "%x: f32[3, 2, 2], %z: f32[3, 4]", "%a = transpose %x {perm=[2, 1, 0]}; %y = matmul %a, %z",
     ""},
    // ------------------------------------------------------------------------------------------------------- einsum
    {"einsum_as_matmul", "%x: f32[S, 3], %z: f32[3, 4]", "%y = einsum [%x, %z] {equation=\"ij,jk->ik\"}",
     "%y = matmul %x, %z"},
    {"einsum_as_matmul", "%x: f32[2, 3, S, 8], %z: f16[2, 3, T, 8]",
     "%y = einsum [%x, %z] {equation=\"bhsd,bhtd->bhst\"}", "%y = matmul %x, %z {transpose_b=true}"},
    // The second operand has the rows; axes in another order, of the operands and of the result.
    {"einsum_as_matmul", "%x: f32[2, 3, S], %z: f32[2, T, 3]", "%y = einsum [%x, %z] {equation=\"bks,btk->bts\"}",
     "%y = matmul %z, %x"},
    {"einsum_as_matmul", "%x: f32[2, 3, S], %z: f32[2, 3, T]", "%y = einsum [%x, %z] {equation=\"bks,bkt->bst\"}",
     "%y = matmul %x, %z {transpose_a=true}"},
    {"einsum_as_matmul", "%x: f32[2, S, 3, 8], %z: f32[2, T, 3, 8]",
     "%y = einsum [%x, %z] {equation=\"bshd,bthd->bhst\"}",
     "%0 = transpose %x {perm=[0, 2, 1, 3]}; %1 = transpose %z {perm=[0, 2, 1, 3]}; "
     "%y = matmul %0, %1 {transpose_b=true}"},
    {"einsum_as_matmul", "%x: f32[2, 3, S, T], %z: f32[2, T, 3, 8]",
     "%y = einsum [%x, %z] {equation=\"bhst,bthd->bshd\"}",
     "%0 = transpose %z {perm=[0, 2, 1, 3]}; %1 = matmul %x, %0; %y = transpose %1 {perm=[0, 2, 1, 3]}"},
    {"einsum_as_matmul", "%x: f32[1, S, 8], %z: f32[5, 8, T]", "%y = einsum [%x, %z] {equation=\"...ij,...jk->...ik\"}",
     "%y = matmul %x, %z"},
    // Two labels that are summed, one of a single operand, none; two labels of one operand; a diagonal; three operands.
    {"einsum_as_matmul", "%x: f32[S, 3, 4], %z: f32[3, 4, T]", "%y = einsum [%x, %z] {equation=\"iab,abj->ij\"}", ""},
    {"einsum_as_matmul", "%x: f32[S, 3], %z: f32[S, T]", "%y = einsum [%x, %z] {equation=\"bk,bt->bt\"}", ""},
    {"einsum_as_matmul", "%x: f32[S], %z: f32[T]", "%y = einsum [%x, %z] {equation=\"i,j->ij\"}", ""},
    {"einsum_as_matmul", "%x: f32[2, S, 3], %z: f32[3, T]", "%y = einsum [%x, %z] {equation=\"bsk,kt->bst\"}", ""},
    {"einsum_as_matmul", "%x: f32[S, 3], %z: f32[3]", "%y = einsum [%x, %z] {equation=\"ij,j->i\"}", ""},
    {"einsum_as_matmul", "%x: f32[3, 3, S], %z: f32[3, T]", "%y = einsum [%x, %z] {equation=\"kks,kt->st\"}", ""},
    {"einsum_as_matmul", "%x: f32[S, 3], %z: f32[3, 4]", "%y = einsum [%x, %z, %z] {equation=\"ij,jk,jk->ik\"}", ""},
    // ------------------------------------------------------------------------------------------------------- dtypes
    {"cast_same", "%x: f16[3]", "%y = cast %x {dtype=f16}", "return %x"},
    {"cast_same", "%x: i8[3]", "%y = cast %x {dtype=i8, saturate=true}", "return %x"},
    // An infinity becomes 65504.
    {"cast_same", "%x: f16[3]", "%y = cast %x {dtype=f16, saturate=true}", ""},
    {"cast_of_cast", "%x: f16[3]", "%a = cast %x {dtype=f32, saturate=true}; %y = cast %a {dtype=f64}", ""},
    {"cast_same", "%x: f16[3]", "%y = cast %x {dtype=bf16}", ""},
    {"cast_of_cast", "%x: f16[3]", "%a = cast %x {dtype=f32}; %y = cast %a {dtype=bf16}", "%y = cast %x {dtype=bf16}"},
    {"cast_of_cast", "%x: u8[3]", "%a = cast %x {dtype=bf16}; %y = cast %a {dtype=i8, saturate=true}",
     "%y = cast %x {dtype=i8, saturate=true}"},
    {"cast_of_cast", "%x: i32[3]", "%a = cast %x {dtype=f64}; %y = cast %a {dtype=i8}", "%y = cast %x {dtype=i8}"},
    {"cast_of_cast", "%x: f8e4m3[3]", "%a = cast %x {dtype=f16}; %y = cast %a {dtype=f32}", "%y = cast %x {dtype=f32}"},
    {"cast_of_cast", "%x: f32[3]", "%a = cast %x {dtype=f16}; %y = cast %a {dtype=f32}", ""},
    {"cast_of_cast", "%x: f16[3]", "%a = cast %x {dtype=bf16}; %y = cast %a {dtype=f32}", ""},
    {"cast_of_cast", "%x: i32[3]", "%a = cast %x {dtype=f32}; %y = cast %a {dtype=i32}", ""},
    {"cast_of_cast", "%x: u8[3]", "%a = cast %x {dtype=i8}; %y = cast %a {dtype=i32}", ""},
    {"cast_of_cast", "%x: i8[3]", "%a = cast %x {dtype=u16}; %y = cast %a {dtype=i32}", ""},
    // -1.0 saturates to 0 in u64, -1 wraps around.
    {"cast_of_cast", "%x: i8[3]", "%a = cast %x {dtype=f32}; %y = cast %a {dtype=u64}", ""},
    {"full_as_stored", "%x: f32[3]", "%y = full {shape=[3], value=2, dtype=f16}",
     "%y = full {shape=[3], value=2.0, dtype=f16}"},
    {"full_as_stored", "%x: f32[3]", "%y = full {shape=[3], value=0.1}",
     "%y = full {shape=[3], value=0.10000000149011612}"},
    {"full_as_stored", "%x: f32[3]", "%y = full {shape=[3], value=-0.0}", ""},
    {"full_as_stored", "%x: f32[3]", "%y = full {shape=[3], value=nan}", ""},
    {"full_as_stored", "%x: f32[3]", "%y = full {shape=[3], value=1e6, dtype=f16}", ""},
    {"full_as_stored", "%x: f32[3]", "%y = full {shape=[3], value=9007199254740993}", ""},
    {"full_as_stored", "%x: f32[3]", "%y = full {shape=[3], value=2, dtype=i8}", ""},
    {"bitcast_same", "%x: f32[3]", "%y = bitcast %x {dtype=f32}", "return %x"},
    {"bitcast_same", "%x: f32[3]", "%y = bitcast %x {dtype=i32}", ""},
    {"bitcast_of_bitcast", "%x: f32[3]", "%a = bitcast %x {dtype=i32}; %y = bitcast %a {dtype=u32}",
     "%y = bitcast %x {dtype=u32}"},
    {"bitcast_of_bitcast", "%x: f32[3]", "%a = cast %x {dtype=i32}; %y = bitcast %a {dtype=u32}", ""},
    // ------------------------------------------------------------------------------------------------------ algebra
    {"neutral_operand", "%x: i8[S]", "%c = full {shape=[], value=0, dtype=i8}; %y = add %c, %x", "return %x"},
    {"neutral_operand", "%x: f32[S]", "%c = full {shape=[], value=-0.0}; %y = add %x, %c", "return %x"},
    {"neutral_operand", "%x: f32[S]", "%c = full {shape=[], value=0.0}; %y = sub %x, %c", "return %x"},
    {"neutral_operand", "%x: bf16[S]", "%c = full {shape=[1], value=1, dtype=bf16}; %y = mul %x, %c", "return %x"},
    {"neutral_operand", "%x: f32[S]", "%c = full {shape=[], value=1}; %y = div %x, %c", "return %x"},
    {"neutral_operand", "%x: i32[S]", "%c = full {shape=[], value=1, dtype=i32}; %y = floor_div %x, %c", "return %x"},
    {"neutral_operand", "%x: f32[S]", "%c = full {shape=[], value=1}; %y = pow %x, %c", "return %x"},
    {"neutral_operand", "%x: bool[S]", "%c = full {shape=[], value=true, dtype=bool}; %y = logical_and %c, %x",
     "return %x"},
    {"neutral_operand", "%x: u8[S]", "%c = full {shape=[], value=0, dtype=u8}; %y = shift_left %x, %c", "return %x"},
    // -0 + 0 is 0, -0 - -0 is 0.
    {"neutral_operand", "%x: f32[S]", "%c = full {shape=[], value=0.0}; %y = add %x, %c", ""},
    {"neutral_operand", "%x: f32[S]", "%c = full {shape=[], value=0, dtype=i32}; %y = add %x, %c", ""},
    {"neutral_operand", "%x: f32[S]", "%c = full {shape=[], value=-0.0}; %y = sub %x, %c", ""},
    {"neutral_operand", "%x: i32[S]", "%c = full {shape=[], value=0, dtype=i32}; %y = sub %c, %x", ""},
    {"neutral_operand", "%x: c64[S]", "%c = full {shape=[], value=1, dtype=c64}; %y = mul %x, %c", ""},
    {"neutral_operand", "%x: f32[S]", "%c = full {shape=[], value=1}; %y = floor_div %x, %c", ""},
    // The number widens the dtype, or stretches the shape.
    {"neutral_operand", "%x: f16[S]", "%c = full {shape=[], value=1}; %y = mul %x, %c", ""},
    {"neutral_operand", "%x: f32[1]", "%c = full {shape=[3], value=1}; %y = mul %x, %c", ""},
    // A weight may be replaced.
    {"neutral_operand", "%x: f32[S]", "%y = mul %x, @one", ""},
    {"absorbing_operand", "%x: i8[S]", "%c = full {shape=[2, 1], value=0, dtype=i16}; %y = mul %x, %c",
     "%y = full {shape=[2, S], value=0, dtype=i16}"},
    {"absorbing_operand", "%x: bool[S]", "%c = full {shape=[], value=true, dtype=bool}; %y = logical_or %c, %x",
     "%y = full {shape=[S], value=1, dtype=bool}"},
    {"absorbing_operand", "%x: f32[S]", "%c = full {shape=[], value=0}; %y = mul %x, %c", ""},
    {"itself_twice", "%x: f32[S]", "%y = max %x, %x", "return %x"},
    {"itself_twice", "%x: f32[S]", "%y = add %x, %x", ""},
    {"itself_twice", "%x: f32[S], %z: f32[S]", "%y = max %x, %z", ""},
    {"difference_of_itself", "%x: i64[S]", "%y = sub %x, %x", "%y = full {shape=[S], value=0, dtype=i64}"},
    {"difference_of_itself", "%x: f32[S]", "%y = sub %x, %x", ""},
    {"div_by_power_of_two", "%x: f16[S]", "%c = full {shape=[], value=-8, dtype=f16}; %y = div %x, %c",
     "%0 = full {shape=[], value=-0.125, dtype=f16} loc(name=\"y\"); %y = mul %x, %0"},
    {"div_by_power_of_two", "%x: f32[S]", "%c = full {shape=[], value=3}; %y = div %x, %c", ""},
    {"div_by_power_of_two", "%x: f32[S]", "%c = full {shape=[], value=0}; %y = div %x, %c", ""},
    // 2^-16 is no normal number of f16.
    {"div_by_power_of_two", "%x: f16[S]", "%c = full {shape=[], value=32768, dtype=f16}; %y = div %x, %c", ""},
    {"div_by_power_of_two", "%x: f32[S]", "%c = full {shape=[], value=2}; %y = div %c, %x", ""},
    {"sum_with_negative", "%x: f32[S], %z: f32[S]", "%a = neg %z; %y = add %x, %a", "%y = sub %x, %z"},
    {"sum_with_negative", "%x: f32[S], %z: f32[S]", "%a = neg %z; %y = add %a, %x", "%y = sub %x, %z"},
    {"sum_with_negative", "%x: f32[S], %z: f32[S]", "%a = neg %z; %y = sub %x, %a", "%y = add %x, %z"},
    {"sum_with_negative", "%x: f32[S], %z: f32[S]", "%a = neg %z; %y = sub %a, %x", ""},
    // In u8, -1 is 255.
    {"sum_with_negative", "%x: i32[S], %z: u8[S]", "%a = neg %z; %y = add %x, %a", ""},
    {"undone", "%x: f32[S]", "%a = neg %x; %y = neg %a", "return %x"},
    {"undone", "%x: f32[S]", "%a = reciprocal %x; %y = reciprocal %a", ""},
    {"done_already", "%x: f32[S]", "%a = floor %x; %b = round %a; return %b", "%a = floor %x; return %a"},
    {"done_already", "%x: i32[S]", "%y = ceil %x", "return %x"},
    {"done_already", "%x: f32[S]", "%a = sqrt %x; %b = sqrt %a; return %b", ""},
    {"of_either_sign", "%x: f32[S]", "%a = neg %x; %y = abs %a", "%y = abs %x"},
    {"of_either_sign", "%x: i8[S]", "%a = abs %x; %y = square %a", "%y = square %x"},
    {"of_either_sign", "%x: c64[S]", "%a = abs %x; %y = square %a", ""},
    {"of_either_sign", "%x: f32[S]", "%a = neg %x; %y = sin %a", ""},
    // In u8, |-1| is 255.
    {"of_either_sign", "%x: u8[S]", "%a = neg %x; %y = abs %a", ""},
    {"select_of_equals", "%x: f32[S], %c: bool[S]", "%y = select %c, %x, %x", "return %x"},
    {"select_of_equals", "%x: f32[S], %c: bool[2, S]", "%y = select %c, %x, %x", ""},
    {"select_by_constant", "%x: f32[S], %z: f32[S]",
     "%c = full {shape=[], value=false, dtype=bool}; %y = select %c, %x, %z", "return %z"},
    {"select_by_constant", "%x: f16[S], %z: f32[S]",
     "%c = full {shape=[], value=true, dtype=bool}; %y = select %c, %x, %z", ""},
    // -------------------------------------------------------------------------------------------- sizes, control flow
    {"iota_by_default", "%x: f32[S]", "%y = iota {length=S, start=0, step=1}", "%y = iota {length=S}"},
    {"iota_by_default", "%x: f32[S]", "%y = iota {length=S, dtype=f16, start=2, step=1.0}",
     "%y = iota {length=S, dtype=f16, start=2}"},
    {"iota_by_default", "%x: f32[S]", "%y = iota {length=S, dtype=f32, start=-0.0, step=-1}", ""},
    {"size_of_literal", "%x: f32[S]", "%y = size_of {size=3, dtype=i32}", "%y = full {shape=[], value=3, dtype=i32}"},
    {"size_of_literal", "%x: f32[S]", "%y = size_of {size=S}", ""},
    {"size_arithmetic", "%x: f32[S, T]", "%a = size_of {size=S}; %b = size_of {size=T}; %y = mul %a, %b",
     "%y = size_of {size=S*T}"},
    {"size_arithmetic", "%x: f32[S, T]",
     "%a = size_of {size=S}; %b = full {shape=[], value=2, dtype=i64}; %y = floor_div %a, %b",
     "%y = size_of {size=S/2}"},
    // It may wrap around; it may be negative; it may be a division by 0.
    {"size_arithmetic", "%x: f32[U]", "%a = size_of {size=U}; %y = add %a, %a", ""},
    {"size_arithmetic", "%x: f32[S, T]", "%a = size_of {size=S}; %b = size_of {size=T}; %y = sub %a, %b", ""},
    {"size_arithmetic", "%x: f32[S, K]", "%a = size_of {size=S}; %b = size_of {size=K}; %y = rem %a, %b", ""},
    {"size_arithmetic", "%x: f32[S]",
     "%a = size_of {size=S, dtype=i32}; %b = size_of {size=S, dtype=i32}; %y = add %a, %b", ""},
    {"if_by_constant", "%x: f32[3]",
     "%c = full {shape=[], value=false, dtype=bool}; %y = if %c, [%x] {on_true=@double, on_false=@square_it}",
     "%y = call [%x] {graph=@square_it}"},
    {"if_by_constant", "%x: f32[3], %c: bool[]", "%y = if %c, [%x] {on_true=@double, on_false=@square_it}", ""},
};

const Rule& rule_named(std::string_view name) {
  const auto rules = canonical_rules();
  const auto found = std::ranges::find(rules, name, &Rule::name);
  EXPECT_NE(found, rules.end()) << name;
  return *found;
}

TEST(Rules, ApplyWhereTheyShouldAndNowhereElse) {
  for (const RuleCase& row : kCases) {
    SCOPED_TRACE(fmt::format("{}: {}", row.rule, row.before));
    const Program before = program_of(row.inputs, row.before);
    size_t applied = 0;
    const RewriteOptions options{.on_applied = [&](const Rule&, const Graph&, const Node&) { ++applied; }};
    const Program after = rewrite(before, std::span(&rule_named(row.rule), 1), options);
    if (row.after.empty()) {
      EXPECT_EQ(applied, 0U);
      EXPECT_EQ(text_of(after), text_of(before));
    } else {
      EXPECT_GT(applied, 0U);
      EXPECT_EQ(plain_text_of(after), plain_text_of(program_of(row.inputs, row.after)));
    }
  }
}

TEST(Rules, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kCases, canonical_rules()); }

}  // namespace
}  // namespace ingot::test
