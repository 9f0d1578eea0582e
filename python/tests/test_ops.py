"""Every op can be written, and what is written means the same to the tool."""

import dataclasses
import enum
import json
import re
import typing
import unittest

from examples import EXAMPLES
from ingot import Graph, ops
from ingot.dtypes import has_rule
from ingot.node import mnemonic
from support import Bench, ToolTest

OPS = typing.get_args(ops.Op)


def programs():
    """(name, bench) of each example."""
    for op, function in EXAMPLES.items():
        bench = Bench()
        function(bench)
        yield op.__name__, bench


def all_nodes():
    return [node for _, bench in programs() for graph in bench.graphs for node in graph.nodes]


def spellings(op):
    """Every mnemonic of an op, from the enum of its field `fn`."""
    if "{fn}" not in op.mnemonic:
        return {op.mnemonic}
    return {op.mnemonic.format(fn=value.name.removesuffix("_")) for value in getattr(ops, op.__annotations__["fn"])}


class EveryOp(unittest.TestCase):
    def test_has_an_example(self):
        missing = [op.__name__ for op in OPS if op not in EXAMPLES]
        self.assertEqual(missing, [], "python/tests/examples lacks these ops")

    def test_has_a_rule_for_the_dtypes_of_its_results(self):
        missing = [op.__name__ for op in OPS if not has_rule(op)]
        self.assertEqual(missing, [], "python/ingot/dtypes.py lacks these ops")

    def test_is_used_under_each_of_its_names(self):
        used = {mnemonic(node.op) for node in all_nodes()}
        self.assertEqual(set().union(*map(spellings, OPS)) - used, set())

    def test_has_a_documented_builder_method_for_each_name(self):
        keywords = {"if", "while"}
        for op in OPS:
            for name in spellings(op):
                method = vars(ops.Builder)[name + "_" if name in keywords else name]
                self.assertGreater(len(method.__doc__), 10, name)
                self.assertNotIn("fn", re.findall(r"\w+", method.__doc__), name)

    def test_is_not_hidden_by_a_member_of_graph(self):
        public = {name for name in vars(ops.Builder) if not name.startswith("_")}
        instance = Bench().program.graph("any")
        self.assertEqual(public & (set(vars(Graph)) | set(vars(instance))), {"append"})

    def test_has_every_attribute_at_another_value_than_its_default(self):
        changed = set()
        for node in all_nodes():
            for field in dataclasses.fields(node.op):
                if field.default is not dataclasses.MISSING and getattr(node.op, field.name) != field.default:
                    changed.add((type(node.op), field.name))
        optional = {
            (op, field.name)
            for op in OPS
            for field in dataclasses.fields(op)
            if field.default is not dataclasses.MISSING
        }
        self.assertEqual(optional - changed, set())


class EveryExample(ToolTest):
    def test_is_accepted_and_means_what_was_written(self):
        for name, bench in programs():
            with self.subTest(name):
                path = self.write(f"{name}.txt", bench.program)
                self.tool("verify", path)
                read = json.loads(self.tool("inspect", "--json", path))
                self.assertEqual([graph["name"] for graph in read["graphs"]], [graph.name for graph in bench.graphs])
                for graph, seen in zip(bench.graphs, read["graphs"]):
                    self.assertEqual(len(graph.nodes), len(seen["nodes"]))
                    for node, seen_node in zip(graph.nodes, seen["nodes"]):
                        self.compare(node, seen_node)

    def compare(self, node, seen):
        self.assertEqual(mnemonic(node.op), seen["op"])
        self.assertEqual(len(node.results), len(seen["results"]))
        for var, result in zip(node.results, seen["results"]):
            if var.dtype is not None:
                self.assertEqual(var.dtype.name, re.match(r"\w+", result["type"])[0], seen)
        for name, value in seen.get("attributes", {}).items():
            written = getattr(node.op, name)
            if isinstance(written, enum.Enum):
                self.assertEqual(written.name, value, seen)
            elif isinstance(written, (bool, int)):
                self.assertEqual(written, value, seen)
        given = {name for name in node.op.kinds if name in seen.get("attributes", {})}
        self.assertEqual(given, set(seen.get("attributes", {})), seen)


if __name__ == "__main__":
    unittest.main()
