from ingot import DType, ops
from ingot.ops import GridMode, GridPadding, ResizeCoordinates, ResizeMode, ResizeRounding
from support import Bench

from .registry import example


@example(ops.Resize)
def resize(b: Bench) -> None:
    x = b.f32(2, b.s, b.t)
    for mode in ResizeMode:
        b.g.resize(x, [1, -1], [2 * b.s, 5], mode=mode)
    for coordinates in ResizeCoordinates:
        crops = coordinates is ResizeCoordinates.tf_crop_and_resize
        b.g.resize(x, [2], [7], coordinates=coordinates, roi=[0.25, 1.5] if crops else [], extrapolation=-1.5)
    for rounding in ResizeRounding:
        b.g.resize(b.input(DType.u8, [b.s]), [0], [7], mode=ResizeMode.nearest, rounding=rounding)
    b.g.resize(
        x, [1], [3], scales=[0.75], mode=ResizeMode.cubic, cubic_coefficient=-0.5, exclude_outside=True, antialias=True
    )
    b.g.resize(x, [1, 2], [3, b.t], b.f32(2))
    crop = ResizeCoordinates.tf_crop_and_resize
    b.g.resize(x, [1], [3], b.input(DType.f64, [1]), b.f32(2), coordinates=crop)
    b.g.resize(x, [1], [3], region=b.f32(2), coordinates=crop)


@example(ops.GridSample)
def grid_sample(b: Bench) -> None:
    for mode in GridMode:
        b.g.grid_sample(b.f32(b.s, 3, 4, 5), b.f32(b.s, 7, 2), mode=mode, align_corners=True)
    for padding in GridPadding:
        b.g.grid_sample(b.f32(b.s, 3, 4), b.f32(b.s, 7, 2, 1), padding=padding)


@example(ops.RoiAlign)
def roi_align(b: Bench) -> None:
    x, rois, batch = b.f32(b.s, 3, 8, 8), b.f32(b.t, 4), b.i64(b.t)
    b.g.roi_align_avg(x, rois, batch, height=2, width=3, sampling=2, scale=0.25)
    b.g.roi_align_max(x, rois, batch, half_pixel=False)


@example(ops.RoiPool)
def roi_pool(b: Bench) -> None:
    b.g.roi_pool(b.f32(b.s, 3, 8, 8), b.f32(b.t, 5), 2, 3, scale=0.25)


@example(ops.Nms)
def nms(b: Bench) -> None:
    boxes, scores = b.f32(b.s, b.t, 4), b.f32(b.s, 2, b.t)
    b.g.nms(boxes, scores, b.n, b.t + 1, b.f32(), b.input(DType.f16, []), center=True)
