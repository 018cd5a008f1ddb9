#!/usr/bin/env python3
"""Starts a command of the package in the place of this process.

Signals, exit code and terminal are the command's own, and no interpreter waits in between.
"""
import importlib.util
import os
import subprocess
import sys

package = importlib.util.find_spec("__MODULE__")
if package is None or not package.submodule_search_locations:
    sys.exit("__NAME__ is not installed for this Python: pip install __NAME__")
program = os.path.join(package.submodule_search_locations[0], "_jsii", "commands", "__PROGRAM__")
# In absolute folders of PATH alone: anybody may have written a program into the current one.
name = os.environ.get("JSII_NODE") or ("node.exe" if os.name == "nt" else "node")
folders = [each for each in os.environ.get("PATH", "").split(os.pathsep) if os.path.isabs(each)]
found = [name] if os.path.dirname(name) else [os.path.join(each, name) for each in folders]
node = next((each for each in found if os.path.isfile(each) and os.access(each, os.X_OK)), None)
if node is None:
    sys.exit("__NAME__ needs Node.js __NODE__ or newer, and there is no node on PATH.")
arguments = [node, program, *sys.argv[1:]]
if os.name == "nt":
    sys.exit(subprocess.call(arguments))
os.execv(node, arguments)
