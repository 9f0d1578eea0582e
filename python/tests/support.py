"""What the tests share: the tool, and a program to put one op into."""

from __future__ import annotations

import os
import pathlib
import subprocess
import tempfile
import unittest

from ingot import DType, Graph, Program, QuantMethod, QuantScheme, Var

TOOL = os.environ.get("INGOT_TOOL")
SCHEME = QuantScheme(QuantMethod.affine, group=32)


class Bench:
    """A program with symbols, and a method that takes inputs as they are asked for."""

    def __init__(self) -> None:
        self.program = Program()
        self.s = self.program.symbol("S", 1, 512)
        self.t = self.program.symbol("T", 1, 512)
        self.n = self.program.symbol("N")
        self.graphs: list[Graph] = []
        self._method: Graph | None = None
        self._inputs = 0

    @property
    def g(self) -> Graph:
        """The method, made when it is first asked for: graphs that it calls come before."""
        if self._method is None:
            self._method = self.program.method("main")
            self.graphs.append(self._method)
            # Symbols need an input that binds them.
            self._method.input("binds_s", DType.f32, [self.s])
            self._method.input("binds_t", DType.f32, [self.t])
        return self._method

    def graph(self, name: str) -> Graph:
        """A graph to be called."""
        self.graphs.append(self.program.graph(name))
        return self.graphs[-1]

    def input(self, dtype: DType = DType.f32, shape=(), scheme: QuantScheme | None = None) -> Var:
        self._inputs += 1
        return self.g.input(f"in{self._inputs}", dtype, shape, scheme)

    def f32(self, *shape) -> Var:
        return self.input(DType.f32, shape)

    def i64(self, *shape) -> Var:
        return self.input(DType.i64, shape)

    def packed(self, *shape) -> Var:
        return self.input(DType.packed, shape, SCHEME)


@unittest.skipUnless(TOOL, "INGOT_TOOL does not name the tool")
class ToolTest(unittest.TestCase):
    """Tests that give what they write to the tool."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name: str, program: Program) -> str:
        path = self.folder / name
        path.write_text(program.text(), encoding="utf-8")
        return str(path)

    def tool(self, *arguments: str) -> str:
        """What the tool prints; its exit code must be 0."""
        done = subprocess.run([TOOL, *arguments], capture_output=True, text=True, encoding="utf-8", cwd=self.folder)
        self.assertEqual(done.returncode, 0, f"{' '.join(arguments)}\n{done.stderr}")
        return done.stdout
