"""The package needs Python alone."""

import pathlib
import subprocess
import sys
import unittest

PACKAGE = pathlib.Path(__file__).parent.parent

# -I -S leave out everything that is installed.
ALONE = f"""
import sys
sys.path.insert(0, {str(PACKAGE)!r})
import ingot
outside = sorted({{name.split(".")[0] for name in sys.modules}} - sys.stdlib_module_names - {{"ingot", "__main__"}})
assert not outside, outside
p = ingot.Program()
w = p.weight("w", [[1, 2], [3, 4]], ingot.DType.f32)
f = p.method("f")
f.output("y", f.input("x", ingot.DType.f32, [2, 2]) @ w)
print(p.text())
"""


class Import(unittest.TestCase):
    def test_needs_no_other_package(self):
        done = subprocess.run([sys.executable, "-B", "-I", "-S", "-c", ALONE], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("weight @w : f32[2, 2] = [1.0, 2.0, 3.0, 4.0]\n", done.stdout)


if __name__ == "__main__":
    unittest.main()
