#!/usr/bin/env python3
"""What `hipo-tool bench advise` predicts against what a recook of the whole file really takes.

  scripts/bench_predictions.py --tool TOOL [--folder DIR] [--size 200MB] [--profiles dst,raw,skim] [--goals LIST]

TOOL is a release build of hipo-tool. For each generated (synthetic) file and each goal: the recommended
format, its predicted size and write time with their errors, and the size and time of `recook --reencode
--verify none` with one thread. A recook also reads and decodes its input, and a second thread of it writes,
so times differ by that; nothing is asserted about them. Prints Markdown; exits 1 where a size lies
outside its error.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

GOALS = "size,selective-read,full-read,write"


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def name_of(advice):
    level = "auto" if advice["effort"] == "auto" else advice["level"]
    name = f"{advice['codec']}:{level}" if advice["level"] else advice["codec"]
    split = "" if advice["encodings"] == "none" else "+split"
    return f"{name}/{advice['layout']}{split}, {advice['record_bytes'] / 2**20:g} MiB"


def recook(tool, source, target, advice):
    level = ["--level", advice["level"]] if advice["level"] else []
    return json.loads(run(tool, "recook", source, target, "--force", "--quiet", "--json", "--reencode", "--verify", "none",
                          "--threads", 1, "--layout", advice["layout"], "--codec", advice["codec"], *level, "--effort",
                          advice["effort"], "--encodings", advice["encodings"], "--record-size", advice["record_bytes"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--folder", help="for the files (default: a temporary folder)")
    parser.add_argument("--size", default="200MB")
    parser.add_argument("--profiles", default="dst,raw,skim")
    parser.add_argument("--goals", default=GOALS)
    arguments = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        source, target = folder / "source.hipo", folder / "target.hipo"
        print(f"{arguments.size} raw, one thread, load {os.getloadavg()[0]:.1f} at the start\n")
        print("| profile | goal | recommended | predicted MB | real MB | predicted write, s | recook, s | its CPU s |")
        print("|---|---|---|--:|--:|--:|--:|--:|")
        for profile in arguments.profiles.split(","):
            run(arguments.tool, "generate", source, "--force", "--quiet", "--profile", profile, "--raw-size", arguments.size)
            for goal in arguments.goals.split(","):
                advice = json.loads(run(arguments.tool, "bench", "advise", source, "--for", goal, "--json", "--quiet",
                                        "--work-folder", folder))
                report = recook(arguments.tool, source, target, advice)
                real_bytes = target.stat().st_size
                outside = abs(real_bytes - advice["file_bytes"]) > advice["file_bytes_error"]
                wrong += outside
                print(f"| {profile} | {goal} | {name_of(advice)} | {advice['file_bytes'] / 1e6:.1f} ± "
                      f"{advice['file_bytes_error'] / 1e6:.1f} | {real_bytes / 1e6:.1f}{' (outside)' if outside else ''} | "
                      f"{advice['write_seconds']:.2f} ± {advice['write_seconds_error']:.2f} | {report['real_seconds']:.2f} | "
                      f"{report['cpu_seconds']:.2f} |", flush=True)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
