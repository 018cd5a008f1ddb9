#!/usr/bin/env python3
"""Starts a command of the package in the place of this process.

Signals, exit code and terminal are the command's own, and no interpreter waits in between.
"""
import importlib.util
import os
import shutil
import subprocess
import sys

package = importlib.util.find_spec("__MODULE__")
if package is None or not package.submodule_search_locations:
    sys.exit("__NAME__ is not installed for this Python: pip install __NAME__")
program = os.path.join(package.submodule_search_locations[0], "_jsii", "commands", "__PROGRAM__")
node = shutil.which(os.environ.get("JSII_NODE") or "node")
if node is None:
    sys.exit("__NAME__ needs Node.js __NODE__ or newer, and there is no node on PATH.")
arguments = [node, program, *sys.argv[1:]]
if os.name == "nt":
    sys.exit(subprocess.call(arguments))
os.execv(node, arguments)
