// Rotary embeddings, by halves and by neighbours.
#include "tests/passes/recognize_support.h"

namespace ingot::test {
namespace {

constexpr RuleCase kRope[] = {
    {"rope_table", "%x: f32[2, 4, S, 8], %g: f32[S, 4]",
     "%f = concatenate [%g, %g] {axis=-1}; %c = cos %f; %s = sin %f; %a = slice %x {axes=[3], starts=[0], stops=[4]}; "
     "%b = slice %x {axes=[-1], starts=[4], stops=[8]}; %n = neg %b; %t = concatenate [%n, %a] {axis=-1}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     "%f = concatenate [%g, %g] {axis=-1}; %c = cos %f; %s = sin %f; "
     "%0 = slice %c {axes=[-1], starts=[0], stops=[4]}; %1 = slice %s {axes=[-1], starts=[0], stops=[4]}; "
     "%y = rope_table %x, %0, %1"},
    {"rope_table", "%x: f32[2, 4, S, 8], %g: f32[2, S, 4]",
     "%f = concatenate [%g, %g] {axis=2}; %k = full {shape=[], value=2}; %c = cos %f; %d = mul %c, %k; "
     "%e = reshape %d {shape=[2, 1, S, 8]}; %s = sin %f; %u = reshape %s {shape=[2, 1, S, 8]}; "
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[3], starts=[4], stops=[8]}; %n = neg %b; "
     "%t = concatenate [%n, %a] {axis=3}; %p = mul %x, %e; %q = mul %u, %t; %y = add %q, %p",
     "%f = concatenate [%g, %g] {axis=2}; %k = full {shape=[], value=2}; %c = cos %f; %d = mul %c, %k; "
     "%e = reshape %d {shape=[2, 1, S, 8]}; %s = sin %f; %u = reshape %s {shape=[2, 1, S, 8]}; "
     "%0 = slice %e {axes=[-1], starts=[0], stops=[4]}; %1 = slice %u {axes=[-1], starts=[0], stops=[4]}; "
     "%y = rope_table %x, %0, %1"},
    // Of a part of x.
    {"rope_table", "%x: f32[2, 4, S, 12], %g: f32[S, 4]",
     "%f = concatenate [%g, %g] {axis=-1}; %c = cos %f; %s = sin %f; %r = slice %x {axes=[3], starts=[2], stops=[10]}; "
     "%a = slice %x {axes=[3], starts=[2], stops=[6]}; %b = slice %x {axes=[3], starts=[6], stops=[10]}; %n = neg %b; "
     "%t = concatenate [%n, %a] {axis=-1}; %p = mul %r, %c; %q = mul %t, %s; %y = add %p, %q",
     "%f = concatenate [%g, %g] {axis=-1}; %c = cos %f; %s = sin %f; %r = slice %x {axes=[3], starts=[2], stops=[10]}; "
     "%0 = slice %c {axes=[-1], starts=[0], stops=[4]}; %1 = slice %s {axes=[-1], starts=[0], stops=[4]}; "
     "%y = rope_table %r, %0, %1"},
    {"rope_table", "%x: f32[2, 4, S, 12], %g: f32[S, 4]",
     "%f = concatenate [%g, %g] {axis=-1}; %c = cos %f; %s = sin %f; %r = slice %x {axes=[3], starts=[0], stops=[8]}; "
     "%a = slice %x {axes=[3], starts=[2], stops=[6]}; %b = slice %x {axes=[3], starts=[6], stops=[10]}; %n = neg %b; "
     "%t = concatenate [%n, %a] {axis=-1}; %p = mul %r, %c; %q = mul %t, %s; %y = add %p, %q",
     ""},
    // Tables whose halves may differ; the halves the other way round; not negated.
    {"rope_table", "%x: f32[2, 4, S, 8], %c: f32[S, 8], %s: f32[S, 8]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[3], starts=[4], stops=[8]}; %n = neg %b; "
     "%t = concatenate [%n, %a] {axis=-1}; %p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     ""},
    {"rope_table", "%x: f32[2, 4, S, 8], %g: f32[S, 4]",
     "%f = concatenate [%g, %g] {axis=-1}; %c = cos %f; %s = sin %f; %a = slice %x {axes=[3], starts=[0], stops=[4]}; "
     "%b = slice %x {axes=[-1], starts=[4], stops=[8]}; %n = neg %a; %t = concatenate [%n, %b] {axis=-1}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     ""},
    {"rope_table", "%x: f32[2, 4, S, 8], %g: f32[S, 4]",
     "%f = concatenate [%g, %g] {axis=-1}; %c = cos %f; %s = sin %f; %a = slice %x {axes=[3], starts=[0], stops=[4]}; "
     "%b = slice %x {axes=[-1], starts=[4], stops=[8]}; %t = concatenate [%b, %a] {axis=-1}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     ""},
    // ----------------------------------------------------------------------------------------- x and x turned, interleaved
    {"rope_table_interleaved", "%x: f32[2, S, 8], %g: f32[S, 4]",
     "%e = reshape %g {shape=[S, 4, 1]}; %h = broadcast %e {shape=[S, 4, 2]}; %f = reshape %h {shape=[S, 8]}; %c = cos "
     "%f; %s = sin %f; "
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; %n = neg %b; "
     "%i = reshape %n {shape=[2, S, 4, 1]}; %j = reshape %a {shape=[2, S, 4, 1]}; %k = concatenate [%i, %j] {axis=3}; "
     "%t = reshape %k {shape=[2, S, 8]}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     "%e = reshape %g {shape=[S, 4, 1]}; %h = broadcast %e {shape=[S, 4, 2]}; %f = reshape %h {shape=[S, 8]}; %c = cos "
     "%f; %s = sin %f; "
     "%0 = slice %c {axes=[-1], starts=[0], stops=[8], steps=[2]}; "
     "%1 = slice %s {axes=[-1], starts=[0], stops=[8], steps=[2]}; %y = rope_table %x, %0, %1 {interleaved=true}"},
    {"rope_table_interleaved", "%x: f32[2, S, 8], %g: f32[S, 4]",
     "%e = reshape %g {shape=[S, 4, 1]}; %h = tile %e {repeats=[1, 1, 2]}; %f = reshape %h {shape=[S, 8]}; %c = cos "
     "%f; %s = sin %f; "
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; %n = neg %b; "
     "%i = reshape %n {shape=[2, S, 4, 1]}; %j = reshape %a {shape=[2, S, 4, 1]}; %k = concatenate [%i, %j] {axis=3}; "
     "%t = reshape %k {shape=[2, S, 8]}; "
     "%p = mul %x, %c; %q = mul %s, %t; %y = add %q, %p",
     "%e = reshape %g {shape=[S, 4, 1]}; %h = tile %e {repeats=[1, 1, 2]}; %f = reshape %h {shape=[S, 8]}; %c = cos "
     "%f; %s = sin %f; "
     "%0 = slice %c {axes=[-1], starts=[0], stops=[8], steps=[2]}; "
     "%1 = slice %s {axes=[-1], starts=[0], stops=[8], steps=[2]}; %y = rope_table %x, %0, %1 {interleaved=true}"},
    {"rope_table_interleaved", "%x: f32[2, S, 8], %g: f32[S, 4]",
     "%e = reshape %g {shape=[S, 4, 1]}; %h = concatenate [%e, %e] {axis=2}; %f = reshape %h {shape=[1, S, 8]}; %c = "
     "cos %f; %s = sin %f; "
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; %n = neg %b; "
     "%i = reshape %n {shape=[2, S, 4, 1]}; %j = reshape %a {shape=[2, S, 4, 1]}; %k = concatenate [%i, %j] {axis=3}; "
     "%t = reshape %k {shape=[2, S, 8]}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     "%e = reshape %g {shape=[S, 4, 1]}; %h = concatenate [%e, %e] {axis=2}; %f = reshape %h {shape=[1, S, 8]}; %c = "
     "cos %f; %s = sin %f; "
     "%0 = slice %c {axes=[-1], starts=[0], stops=[8], steps=[2]}; "
     "%1 = slice %s {axes=[-1], starts=[0], stops=[8], steps=[2]}; %y = rope_table %x, %0, %1 {interleaved=true}"},
    {"rope_table_interleaved", "%x: f32[2, S, 8], %g: f32[S, 4]",
     "%f = repeat %g {count=2, axis=-1}; %c = cos %f; %s = sin %f; "
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; %n = neg %b; "
     "%i = reshape %n {shape=[2, S, 4, 1]}; %j = reshape %a {shape=[2, S, 4, 1]}; %k = concatenate [%i, %j] {axis=3}; "
     "%t = reshape %k {shape=[2, S, 8]}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     "%f = repeat %g {count=2, axis=-1}; %c = cos %f; %s = sin %f; "
     "%0 = slice %c {axes=[-1], starts=[0], stops=[8], steps=[2]}; "
     "%1 = slice %s {axes=[-1], starts=[0], stops=[8], steps=[2]}; %y = rope_table %x, %0, %1 {interleaved=true}"},
    // Tables that repeat as halves do, or not at all; x₁ negated; not negated.
    {"rope_table_interleaved", "%x: f32[2, S, 8], %g: f32[S, 4]",
     "%f = concatenate [%g, %g] {axis=-1}; %c = cos %f; %s = sin %f; "
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; %n = neg %b; "
     "%i = reshape %n {shape=[2, S, 4, 1]}; %j = reshape %a {shape=[2, S, 4, 1]}; %k = concatenate [%i, %j] {axis=3}; "
     "%t = reshape %k {shape=[2, S, 8]}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     ""},
    {"rope_table_interleaved", "%x: f32[2, S, 8], %c: f32[S, 8], %s: f32[S, 8]",
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; %n = neg %b; "
     "%i = reshape %n {shape=[2, S, 4, 1]}; %j = reshape %a {shape=[2, S, 4, 1]}; %k = concatenate [%i, %j] {axis=3}; "
     "%t = reshape %k {shape=[2, S, 8]}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     ""},
    {"rope_table_interleaved", "%x: f32[2, S, 8], %g: f32[S, 4]",
     "%f = repeat %g {count=2, axis=-1}; %c = cos %f; %s = sin %f; "
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; %n = neg %a; "
     "%i = reshape %n {shape=[2, S, 4, 1]}; %j = reshape %b {shape=[2, S, 4, 1]}; %k = concatenate [%i, %j] {axis=3}; "
     "%t = reshape %k {shape=[2, S, 8]}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     ""},
    {"rope_table_interleaved", "%x: f32[2, S, 8], %g: f32[S, 4]",
     "%f = repeat %g {count=2, axis=-1}; %c = cos %f; %s = sin %f; "
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; "
     "%i = reshape %b {shape=[2, S, 4, 1]}; %j = reshape %a {shape=[2, S, 4, 1]}; %k = concatenate [%i, %j] {axis=3}; "
     "%t = reshape %k {shape=[2, S, 8]}; "
     "%p = mul %x, %c; %q = mul %t, %s; %y = add %p, %q",
     ""},
    // ------------------------------------------------------------------------------------------------- pair by pair
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     "%y = rope_table %x, %c, %s"},
    // Factors and summands the other way round, x₂ negated.
    {"rope_of_halves", "%x: f16[2, 4, S, 8], %c: f16[2, 1, S, 4], %s: f16[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; %n = neg %b; "
     "%p = mul %c, %a; %q = mul %s, %n; %l = add %q, %p; %u = mul %c, %b; %v = mul %s, %a; %m = add %v, %u; "
     "%y = concatenate [%l, %m] {axis=-1}",
     "%y = rope_table %x, %c, %s"},
    // Of a part of x, between others.
    {"rope_of_halves", "%x: f32[2, S, 12], %z: f32[2, S, 3], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[2], starts=[2], stops=[6]}; %b = slice %x {axes=[2], starts=[6], stops=[10]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%z, %l, %m, %z] {axis=2}",
     "%0 = slice %x {axes=[-1], starts=[2], stops=[10]}; %1 = rope_table %0, %c, %s; "
     "%y = concatenate [%z, %1, %z] {axis=2}"},
    // Signs exchanged; sin and cos exchanged in one half; the halves exchanged; other tables in one half.
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = add %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = sub %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %q, %p; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %s; %v = mul %a, %c; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%b = slice %x {axes=[3], starts=[0], stops=[4]}; %a = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%m, %l] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 4], %d: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %d; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    // One number for all pairs, which rope_table would take for the first; tables of a wider dtype; halves that are no
    // neighbours; of two values; along another axis.
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 1], %s: f32[S, 1]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f16[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f32[2, 4, S, 10], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[6], stops=[10]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %z: f32[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %z {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    {"rope_of_halves", "%x: f32[2, S, 4, 8], %c: f32[4, 4], %s: f32[4, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[4]}; %b = slice %x {axes=[-1], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=2}",
     ""},
    // Neighbours as halves.
    {"rope_of_halves", "%x: f32[2, 4, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[3], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[3], starts=[1], stops=[8], steps=[2]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%y = concatenate [%l, %m] {axis=3}",
     ""},
    // ------------------------------------------------------------------------------------------------- interleaved
    {"rope_interleaved", "%x: f32[2, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[2, S, 4, 1]}; %j = reshape %m {shape=[2, S, 4, 1]}; "
     "%k = concatenate [%i, %j] {axis=-1}; %y = reshape %k {shape=[2, S, 8]}",
     "%0 = rope_table %x, %c, %s {interleaved=true}; %k = reshape %0 {shape=[2, S, 4, 2]}; "
     "%y = reshape %k {shape=[2, S, 8]}"},
    // Of a part of x.
    {"rope_interleaved", "%x: f32[S, 9], %c: f32[S, 3], %s: f32[S, 3]",
     "%a = slice %x {axes=[1], starts=[1], stops=[7], steps=[2]}; "
     "%b = slice %x {axes=[1], starts=[2], stops=[7], steps=[2]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[S, 3, 1]}; %j = reshape %m {shape=[S, 3, 1]}; %y = concatenate [%i, %j] {axis=2}",
     "%0 = slice %x {axes=[-1], starts=[1], stops=[7]}; %1 = rope_table %0, %c, %s {interleaved=true}; "
     "%y = reshape %1 {shape=[S, 3, 2]}"},
    // Pairs split, and taken.
    {"rope_interleaved", "%x: f32[S, 3, 2], %c: f32[S, 3], %s: f32[S, 3]",
     "%d = slice %x {axes=[2], starts=[0], stops=[1]}; %e = slice %x {axes=[2], starts=[1], stops=[2]}; "
     "%a = reshape %d {shape=[S, 3]}; %b = reshape %e {shape=[S, 3]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[S, 3, 1]}; %j = reshape %m {shape=[S, 3, 1]}; %y = concatenate [%i, %j] {axis=2}",
     "%0 = reshape %x {shape=[S, 6]}; %1 = rope_table %0, %c, %s {interleaved=true}; %y = reshape %1 {shape=[S, 3, "
     "2]}"},
    {"rope_interleaved", "%x: f32[S, 3, 2], %c: f32[S, 3], %s: f32[S, 3]",
     "%d = full {shape=[], value=0, dtype=i64}; %e = full {shape=[], value=1, dtype=i64}; "
     "%a = take %x, %d {axis=2}; %b = take %x, %e {axis=-1}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[S, 3, 1]}; %j = reshape %m {shape=[S, 3, 1]}; %y = concatenate [%i, %j] {axis=2}",
     "%0 = reshape %x {shape=[S, 6]}; %1 = rope_table %0, %c, %s {interleaved=true}; %y = reshape %1 {shape=[S, 3, "
     "2]}"},
    // Odd before even; two steps apart; more odd than even; the sign of the other; halves side by side.
    {"rope_interleaved", "%x: f32[2, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%b = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%a = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[2, S, 4, 1]}; %j = reshape %m {shape=[2, S, 4, 1]}; %y = concatenate [%i, %j] {axis=-1}",
     ""},
    {"rope_interleaved", "%x: f32[2, S, 11], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[3], stops=[11], steps=[2]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[2, S, 4, 1]}; %j = reshape %m {shape=[2, S, 4, 1]}; %y = concatenate [%i, %j] {axis=-1}",
     ""},
    {"rope_interleaved", "%x: f32[2, S, 3], %c: f32[S, 2], %s: f32[S, 2]",
     "%a = slice %x {axes=[2], starts=[0], stops=[3], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[3], steps=[2]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[2, S, 2, 1]}; %j = reshape %m {shape=[2, S, 2, 1]}; %y = concatenate [%i, %j] {axis=-1}",
     ""},
    {"rope_interleaved", "%x: f32[2, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = add %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = sub %u, %v; "
     "%i = reshape %l {shape=[2, S, 4, 1]}; %j = reshape %m {shape=[2, S, 4, 1]}; %y = concatenate [%i, %j] {axis=-1}",
     ""},
    {"rope_interleaved", "%x: f32[2, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[2], starts=[0], stops=[4]}; %b = slice %x {axes=[2], starts=[4], stops=[8]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[2, S, 4, 1]}; %j = reshape %m {shape=[2, S, 4, 1]}; %y = concatenate [%i, %j] {axis=-1}",
     ""},
    // Twice the same of a pair; three of which two are taken; on top of each other.
    {"rope_interleaved", "%x: f32[S, 3, 2], %c: f32[S, 3], %s: f32[S, 3]",
     "%d = full {shape=[], value=1, dtype=i64}; %e = full {shape=[], value=1, dtype=i64}; "
     "%a = take %x, %d {axis=2}; %b = take %x, %e {axis=-1}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[S, 3, 1]}; %j = reshape %m {shape=[S, 3, 1]}; %y = concatenate [%i, %j] {axis=2}",
     ""},
    {"rope_interleaved", "%x: f32[S, 3, 3], %c: f32[S, 3], %s: f32[S, 3]",
     "%d = slice %x {axes=[2], starts=[0], stops=[1]}; %e = slice %x {axes=[2], starts=[1], stops=[2]}; "
     "%a = reshape %d {shape=[S, 3]}; %b = reshape %e {shape=[S, 3]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[S, 3, 1]}; %j = reshape %m {shape=[S, 3, 1]}; %y = concatenate [%i, %j] {axis=2}",
     ""},
    {"rope_interleaved", "%x: f32[2, S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = slice %x {axes=[2], starts=[0], stops=[8], steps=[2]}; "
     "%b = slice %x {axes=[2], starts=[1], stops=[8], steps=[2]}; "
     "%p = mul %a, %c; %q = mul %b, %s; %l = sub %p, %q; %u = mul %b, %c; %v = mul %a, %s; %m = add %u, %v; "
     "%i = reshape %l {shape=[2, S, 1, 4]}; %j = reshape %m {shape=[2, S, 1, 4]}; %y = concatenate [%i, %j] {axis=2}",
     ""},
    // ------------------------------------------------------------------------------------------------------- in part
    {"rope_of_part", "%x: f32[S, 8], %c: f32[S, 3], %s: f32[S, 3]",
     "%a = slice %x {axes=[1], starts=[0], stops=[6]}; %b = slice %x {axes=[1], starts=[6], stops=[8]}; "
     "%r = rope_table %a, %c, %s {interleaved=true}; %y = concatenate [%r, %b] {axis=1}",
     "%y = rope_table %x, %c, %s {interleaved=true}"},
    // The rest of another; not all the rest; the rest in front.
    {"rope_of_part", "%x: f32[S, 8], %z: f32[S, 8], %c: f32[S, 3], %s: f32[S, 3]",
     "%a = slice %x {axes=[1], starts=[0], stops=[6]}; %b = slice %z {axes=[1], starts=[6], stops=[8]}; "
     "%r = rope_table %a, %c, %s; %y = concatenate [%r, %b] {axis=1}",
     ""},
    {"rope_of_part", "%x: f32[S, 8], %c: f32[S, 3], %s: f32[S, 3]",
     "%a = slice %x {axes=[1], starts=[0], stops=[6]}; %b = slice %x {axes=[1], starts=[6], stops=[7]}; "
     "%r = rope_table %a, %c, %s; %y = concatenate [%r, %b] {axis=1}",
     ""},
    {"rope_of_part", "%x: f32[S, 8], %c: f32[S, 3], %s: f32[S, 3]",
     "%a = slice %x {axes=[1], starts=[2], stops=[8]}; %b = slice %x {axes=[1], starts=[0], stops=[2]}; "
     "%r = rope_table %a, %c, %s; %y = concatenate [%b, %r] {axis=1}",
     ""},
    {"rope_table_of_casts", "%x: f16[S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = cast %x {dtype=f32}; %r = rope_table %a, %c, %s; %y = cast %r {dtype=f16}", "%y = rope_table %x, %c, %s"},
    {"rope_table_of_casts", "%x: f16[S, 8], %c: f32[S, 4], %s: f32[S, 4]",
     "%a = cast %x {dtype=f32}; %r = rope_table %a, %c, %s; %y = cast %r {dtype=bf16}", ""},
};

TEST(RecognizeRope, EachRule) { expect_each(kRope, rope_rules()); }
TEST(RecognizeRope, EachHasAMatchAndANearMiss) { expect_match_and_near_miss(kRope, rope_rules()); }

}  // namespace
}  // namespace ingot::test
