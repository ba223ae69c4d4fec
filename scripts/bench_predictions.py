#!/usr/bin/env python3
"""What `hipo-tool bench advise` predicts against what a recook of the whole file really takes.

  scripts/bench_predictions.py FILE.hipo [--tool PATH] [--folder DIR]

For each goal: the recommended format, its predicted size and write time with their errors, and the size and
time of `recook --reencode --verify none` with one thread. A recook also reads and decodes its input, and a
second thread of it writes, so times differ by that; nothing is asserted about them. Exit code 1 where
a size lies outside its error.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

GOALS = ("size", "selective-read", "full-read", "write")


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--tool", default="build/release/apps/hipo-tool/hipo-tool")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("/tmp"))
    options = parser.parse_args()
    output = options.folder / f"bench-predictions-{os.getpid()}.hipo"
    print("| goal | format | predicted MB | real MB | predicted write, s | recook, s |")
    print("|---|---|--:|--:|--:|--:|")
    wrong = 0
    for goal in GOALS:
        advice = json.loads(run(options.tool, "bench", "advise", options.file, "--for", goal, "--json",
                                "--work-folder", options.folder))
        level = ["--level", advice["level"]] if advice["level"] else []
        try:
            report = json.loads(run(options.tool, "recook", options.file, output, "--json", "--reencode", "--verify",
                                    "none", "--threads", 1, "--layout", advice["layout"], "--codec", advice["codec"],
                                    "--encodings", advice["encodings"], "--record-size", advice["record_bytes"], *level))
            real_bytes = output.stat().st_size
        finally:
            output.unlink(missing_ok=True)
        name = f"{advice['codec']}{':' + str(advice['level']) if level else ''}/{advice['layout']}"
        print(f"| {goal} | {name} | {advice['file_bytes'] / 1e6:.1f} ± {advice['file_bytes_error'] / 1e6:.1f} "
              f"| {real_bytes / 1e6:.1f} | {advice['write_seconds']:.2f} ± {advice['write_seconds_error']:.2f} "
              f"| {report['real_seconds']:.2f} |", flush=True)
        wrong += abs(real_bytes - advice["file_bytes"]) > advice["file_bytes_error"]
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
