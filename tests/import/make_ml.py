"""Writes models of the ops of ai.onnx.ml for tests/import/runtime_models_test.cpp; runtime_model.py says how."""

import numpy as np
from onnx import numpy_helper
from runtime_model import ML, Model, real


def ml_features():
    m = Model("ml_features")
    x = real(3, 4)
    m.add("ArrayFeatureExtractor", [x, np.int64([[2, 0, 2]])], domain=ML)
    m.add("Binarizer", [x], domain=ML, threshold=0.25)
    m.add("FeatureVectorizer", [real(2, 3), real(2, 2)], domain=ML, inputdimensions=[3, 2])
    holes = x.copy()
    holes[0, 1] = holes[2, 3] = np.nan
    m.add("Imputer", [holes], domain=ML, imputed_value_floats=[1.0, 2.0, 3.0, 4.0], replaced_value_float=np.nan)
    m.add("Imputer", [np.int64([[1, -1], [-1, 3]])], domain=ML, imputed_value_int64s=[7], replaced_value_int64=-1)
    m.add("Normalizer", [x], domain=ML, norm="L1")
    m.add("Normalizer", [x], domain=ML, norm="L2")
    m.add("Normalizer", [np.abs(x)], domain=ML, norm="MAX")
    m.add("Normalizer", [np.zeros((2, 3), np.float32)], domain=ML, norm="L2")
    m.add("OneHotEncoder", [np.int64([[1, 5], [3, 4]])], domain=ML, cats_int64s=[1, 3, 4])
    m.add("Scaler", [x], domain=ML, offset=[1.0, 2.0, -1.0, 0.5], scale=[2.0, 0.5, 1.0, 3.0])
    m.add("Scaler", [np.int64([[1, 2], [3, 4]])], domain=ML, offset=[1.0], scale=[0.5])
    m.add("LabelEncoder", [np.int64([[3, 1], [9, 2]])], domain=ML, keys_int64s=[1, 2, 3], values_floats=[0.5, 1.5, 2.5], default_float=-1.0)
    m.add("LabelEncoder", [np.float32([1.5, np.nan, 8])], domain=ML, keys_floats=[1.5, 2.5, 3.0], values_int64s=[10, 20, 30], default_int64=7)
    m.save()


def ml_linear():
    m = Model("ml_linear")
    x = real(5, 3)
    w = [float(v) for v in real(9)]
    for transform in ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO"):
        m.add("LinearRegressor", [x], domain=ML, coefficients=w, intercepts=[0.1, -0.2, 0.3], targets=3, post_transform=transform)
        m.add("LinearClassifier", [x], 2, domain=ML, coefficients=w, intercepts=[0.1, -0.2, 0.3], classlabels_ints=[4, 7, 2],
              multi_class=1, post_transform=transform)
    m.add("LinearRegressor", [x], domain=ML, coefficients=w[:3])
    m.add("LinearClassifier", [x], 2, domain=ML, coefficients=w[:6], intercepts=[0.1, -0.1], classlabels_ints=[0, 1], post_transform="LOGISTIC")
    vectors = [float(v) for v in real(12)]
    for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
        m.add("SVMRegressor", [x], domain=ML, coefficients=w[:4], support_vectors=vectors, n_supports=4, rho=[0.25],
              kernel_type=kernel, kernel_params=[0.5, 0.75, 2.0])
    m.add("SVMRegressor", [x], domain=ML, coefficients=w[:3], rho=[0.25], kernel_type="LINEAR", kernel_params=[0.0, 0.0, 0.0])
    m.add("SVMRegressor", [x], domain=ML, coefficients=w[:4], support_vectors=vectors, n_supports=4, rho=[-0.5], one_class=1,
          kernel_type="RBF", kernel_params=[0.5, 0.0, 0.0])
    m.save()


# Three trees over three features: two levels, one level, and a leaf alone.
TREES = dict(
    nodes_treeids=[0, 0, 0, 0, 0, 1, 1, 1, 2], nodes_nodeids=[0, 1, 2, 3, 4, 0, 1, 2, 0], nodes_featureids=[0, 1, 0, 0, 0, 2, 0, 0, 0],
    nodes_truenodeids=[1, 3, 0, 0, 0, 1, 0, 0, 0], nodes_falsenodeids=[2, 4, 0, 0, 0, 2, 0, 0, 0],
    nodes_values=[0.1, -0.3, 0.0, 0.0, 0.0, 0.2, 0.0, 0.0, 0.0])
MODES = ["BRANCH_LEQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"]


def votes(kind, ids, weights):
    places = [(0, 2), (0, 3), (0, 4), (1, 1), (1, 2), (2, 0)]
    return {f"{kind}_treeids": [t for t, _ in places], f"{kind}_nodeids": [n for _, n in places], f"{kind}_ids": ids, f"{kind}_weights": weights}


def ml_trees():
    m = Model("ml_trees")
    x = real(6, 3)
    holes = x.copy()
    holes[1, 0] = holes[2, 2] = np.nan
    weights = [0.5, -1.0, 2.0, 0.25, 0.75, 0.1]
    targets = votes("target", [0] * 6, weights)
    for aggregate in ("SUM", "AVERAGE", "MIN", "MAX"):
        m.add("TreeEnsembleRegressor", [x], domain=ML, nodes_modes=MODES, aggregate_function=aggregate, n_targets=1, **TREES, **targets)
    m.add("TreeEnsembleRegressor", [holes], domain=ML, nodes_modes=MODES, n_targets=2, base_values=[0.5, -0.5], post_transform="LOGISTIC",
          nodes_missing_value_tracks_true=[1, 0, 0, 0, 0, 0, 0, 0, 0], **TREES, **votes("target", [0, 0, 0, 1, 1, 0], weights))
    for mode in ("BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"):
        modes = [mode if name != "LEAF" else name for name in MODES]
        m.add("TreeEnsembleRegressor", [x], domain=ML, nodes_modes=modes, n_targets=1, **TREES, **targets)
    mixed = ["BRANCH_GT", "BRANCH_LEQ", *MODES[2:5], "BRANCH_LT", *MODES[6:]]
    m.add("TreeEnsembleRegressor", [x], domain=ML, nodes_modes=mixed, n_targets=1, **TREES, **targets)
    classes = votes("class", [0, 1, 2, 1, 0, 2], weights)
    for transform in ("NONE", "SOFTMAX", "LOGISTIC"):
        m.add("TreeEnsembleClassifier", [x], 2, domain=ML, nodes_modes=MODES, classlabels_int64s=[5, 6, 9], base_values=[0.1, 0.2, 0.3],
              post_transform=transform, **TREES, **classes)
        for label_weights in (weights, [abs(w) / 3 for w in weights]) if transform != "SOFTMAX" else ():
            m.add("TreeEnsembleClassifier", [x], 2, domain=ML, nodes_modes=MODES, classlabels_int64s=[3, 8], post_transform=transform,
                  **TREES, **votes("class", [0] * 6, label_weights))
    m.save()
    new = Model("ml_new", opset=21, ml=5)
    as_tensor = lambda name, array: numpy_helper.from_array(np.asarray(array), name)  # noqa: E731
    new.add("TreeEnsemble", [x], domain=ML, n_targets=2, tree_roots=[0, 2], nodes_featureids=[0, 1, 2],
            nodes_modes=as_tensor("modes", np.uint8([0, 1, 3])), nodes_splits=as_tensor("splits", np.float32([0.1, -0.3, 0.2])),
            nodes_truenodeids=[1, 0, 3], nodes_trueleafs=[0, 1, 1], nodes_falsenodeids=[1, 2, 4], nodes_falseleafs=[1, 1, 1],
            leaf_targetids=[0, 1, 0, 1, 0], leaf_weights=as_tensor("weights", np.float32([0.5, 1.5, -1.0, 2.0, 3.0])))
    new.add("LabelEncoder", [np.float32([1.5, np.nan, 8])], domain=ML, keys_floats=[1.5, np.nan, 3.0], values_int64s=[10, 20, 30], default_int64=7)
    new.add("LabelEncoder", [np.int64([3, 4])], domain=ML, keys_tensor=as_tensor("keys", np.int64([1, 3])),
            values_tensor=as_tensor("values", np.float32([1.5, 2.5])), default_tensor=as_tensor("default", np.float32([9])))
    new.save()


def ml_svm():
    """Two, three and four classes; with probabilities of pairs, which an iteration makes into those of classes, and without."""
    m = Model("ml_svm")
    x = real(6, 3)
    lists = lambda *shape, scale=1.0: [float(v) for v in real(*shape, scale=scale).ravel()]  # noqa: E731
    for labels, per_class in (([7, 3], [2, 3]), ([0, 1, 2], [2, 1, 3]), ([4, 5, 6, 9], [1, 2, 2, 1])):
        count, pairs = sum(per_class), len(labels) * (len(labels) - 1) // 2
        machine = dict(classlabels_ints=labels, vectors_per_class=per_class, support_vectors=lists(count, 3),
                       coefficients=lists(len(labels) - 1, count), rho=lists(pairs, scale=0.3))
        probabilities = dict(prob_a=[-1.5 - 0.25 * i for i in range(pairs)], prob_b=lists(pairs, scale=0.2))
        for kernel in ("LINEAR", "POLY", "RBF", "SIGMOID"):
            kind = dict(kernel_type=kernel, kernel_params=[0.5, 0.75, 2.0])
            m.add("SVMClassifier", [x], 2, domain=ML, **machine, **kind)
            m.add("SVMClassifier", [x], 2, domain=ML, open_axes=(0,), **machine, **kind, **probabilities)
        for transform in ("LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"):
            kind = dict(kernel_params=[0.5, 0.75, 2.0], post_transform=transform)
            m.add("SVMClassifier", [x], 2, domain=ML, **machine, **kind)
            m.add("SVMClassifier", [x], 2, domain=ML, **machine, **kind, **probabilities)
    for labels, sign in (([1, 0], 1), ([1, 0], -1), ([2, 4, 6], 1)):  # without support vectors
        weights = [abs(w) if sign > 0 else w for w in lists(len(labels), 3)]
        m.add("SVMClassifier", [x], 2, domain=ML, classlabels_ints=labels, coefficients=weights, rho=[0.1], post_transform="LOGISTIC",
              kernel_params=[0.5, 0.75, 2.0])
    m.add("OneHotEncoder", [np.int64([[1, 4], [3, 4]])], domain=ML, cats_int64s=[1, 3, 4], zeros=0)
    m.save()


if __name__ == "__main__":
    for make in (ml_features, ml_linear, ml_trees, ml_svm):
        make()
