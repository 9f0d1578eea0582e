from ingot import DType, ops
from ingot.ops import LossReduction
from support import Bench

from .registry import example


@example(ops.SoftmaxCrossEntropy)
def softmax_cross_entropy(b: Bench) -> None:
    logits, labels = b.f32(b.s, 5, b.t), b.input(DType.i32, [b.s, b.t])
    b.g.softmax_cross_entropy(logits, labels, b.f32(5), axis=1, ignore=-100, smoothing=0.1)
    b.g.softmax_cross_entropy(logits, labels, axis=-2, reduction=LossReduction.none)
    b.g.softmax_cross_entropy(b.f32(b.s, 5), b.f32(b.s, 5), reduction=LossReduction.sum)


@example(ops.Loss)
def loss(b: Bench) -> None:
    x, target = b.f32(b.s, 3), b.f32(b.s, 3)
    b.g.mse_loss(x, target, b.f32(3))
    b.g.l1_loss(x, target, reduction=LossReduction.none)
    b.g.huber_loss(x, target, delta=0.5)
    b.g.smooth_l1_loss(x, target, delta=2.0, reduction=LossReduction.sum)
    b.g.bce_loss(x, target)
    b.g.bce_logits_loss(x, b.input(DType.bool, [b.s, 3]))
    b.g.kl_div_loss(x, target)
    b.g.hinge_loss(x, target)
