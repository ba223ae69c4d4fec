#!/usr/bin/env python3
"""Counts the instructions that the library spends on reading and encoding, and holds them against
tests/bench/baseline.json. Unlike times they are the same on a busy machine.

  scripts/count_instructions.py            exits 1 where a count grew by more than 5 %
  scripts/count_instructions.py --update   writes the baseline anew

Takes tool and program from build/dev (scripts/test.sh and the target hipo-counted). Counts our own
code alone: what the compiler, the standard library's templates and we are responsible for, not codec
libraries and libc. Counts of other compilers, libraries or processors say nothing; then one line says
what differs, and nothing fails.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parent.parent
BASELINE = TOP / "tests/bench/baseline.json"
BUILD = TOP / "build/dev"
TOOL = BUILD / "apps/hipo-tool/hipo-tool"
PROGRAM = BUILD / "tests/bench/hipo-counted"
GROWTH = 0.05
PACKAGES = ["g++-12", "libc6", "libstdc++6", "liblz4-1", "libxxhash0", "valgrind"]
# What libc and the codecs choose their variants by.
FLAGS = {"avx", "avx2", "avx512f", "avx512vl", "bmi2", "erms", "fsrm", "sse4_2"}
WORK = [("column", "lz4", "per-column"), ("bank", "lz4", "per-column"), ("everything", "lz4", "per-column"),
        ("everything", "lz4", "per-chunk"), ("encode", "lz4", "per-chunk"), ("encode", "lz4", "per-column")]


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **options).stdout


def environment():
    flags = re.search(r"^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    query = subprocess.run(["dpkg-query", "-W", "-f=${Package} ${Version}\n", *PACKAGES], capture_output=True, text=True)
    return {"cpu_flags": sorted(FLAGS & set((flags.group(1) if flags else "").split())),
            "packages": dict(line.split() for line in query.stdout.splitlines() if len(line.split()) == 2),
            "compiler": run("g++", "--version").splitlines()[0]}


def own_instructions(file, work, folder):
    counts = folder / "callgrind.out"
    run("valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}", PROGRAM, file, work,
        env={"GLIBC_TUNABLES": "glibc.malloc.arena_max=1", "PATH": os.environ["PATH"]})
    total = 0
    for line in run("callgrind_annotate", "--threshold=100", counts).splitlines():
        found = re.match(r"\s*([\d,]+) .*\[(.*)\]$", line)
        if found and pathlib.Path(found.group(2)).name == PROGRAM.name:
            total += int(found.group(1).replace(",", ""))
    if total == 0:
        sys.exit(f"callgrind_annotate names no function of {PROGRAM.name}")
    return total


def count_all():
    counts = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for work, codec, layout in WORK:
            file = folder / f"{codec}_{layout}.hipo"
            if not file.exists():
                run(TOOL, "generate", file, "--events", 300, "--layout", layout, "--codec", codec, "--quiet")
            counts[f"{work}, {codec} {layout}"] = own_instructions(file, work, folder)
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    arguments = parser.parse_args()
    here = environment()
    if not arguments.update:
        baseline = json.loads(BASELINE.read_text())
        for key, value in baseline["environment"].items():
            if here[key] != value:
                print(f"instruction counts: not compared, {key} differs ({here[key]} here, {value} in the baseline)")
                return
    counts = count_all()
    if arguments.update:
        BASELINE.write_text(json.dumps({"environment": here, "instructions": counts}, indent=2) + "\n")
        print(f"wrote {BASELINE.relative_to(TOP)}")
        return
    failed = False
    for name, before in baseline["instructions"].items():
        growth = counts[name] / before - 1
        failed = failed or growth > GROWTH
        print(f"{name:28} {before:>12,} to {counts[name]:>12,}  {100 * growth:+6.1f} %"
              f"{'  GREW by more than 5 %' if growth > GROWTH else ''}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
