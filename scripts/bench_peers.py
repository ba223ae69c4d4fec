#!/usr/bin/env python3
"""Reading and recooking beside oxihipo, on one file after the other, in turns.

  build/peers/venv/bin/python scripts/bench_peers.py --tool TOOL --columns PROGRAM [--folder DIR] [--size 200MB] [--rounds 7]

scripts/interop_peers.sh makes the virtual environment (oxihipo 0.9.0). TOOL is a release build of hipo-tool,
PROGRAM is hipo-columns (tests/bench/columns.cpp). Both read the same columns of the same file into memory and
keep them: oxihipo with read_columns, threads given, one array a column; ours record by record, one piece a
column and record. Every file is there twice: as hipo-tool wrote it, and as oxihipo did. Opening is timed for
neither. Values are compared by the CRC-32 of every column. Prints Markdown; exits 1 where contents differ. The
files are synthetic.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

import oxihipo

BANK, COLUMN = "REC::Particle", "px"
SCOPES = [("one column", [(BANK, [COLUMN])], ["--bank", BANK, "--column", COLUMN]),
          ("one bank", [(BANK, [])], ["--bank", BANK]),
          ("everything", None, [])]
LAYOUTS = [("lz4", "per-column"), ("zstd", "per-column"), ("gzip", "per-column"), ("lz4", "per-bank"), ("lz4", "per-chunk")]
RECOOKS = [("lz4", "per-column"), ("zstd", "per-column"), ("lz4", "per-chunk")]
WRITERS = ["hipo-tool", "oxihipo"]


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def oxihipo_compression(codec, layout):
    return codec + {"per-chunk": "", "per-bank": "+perbank", "per-column": "+percolumn"}[layout]


def file_of(folder, writer, codec, layout):
    return folder / f"{writer}_{codec}_{layout}.hipo"


def oxihipo_read(path, selection, threads):
    chain = oxihipo.open(str(path))
    if selection is None:
        selection = [(bank, []) for bank in chain.keys()]
    start = time.perf_counter()
    banks = chain._c.read_columns(selection, threads=threads)
    seconds = time.perf_counter() - start
    size = checksum = 0
    for _, _, columns in banks:
        for _, values, _ in columns:
            raw = values.tobytes()
            size += len(raw)
            checksum += zlib.crc32(raw)
    return seconds, size, checksum


def our_read(program, path, options, threads):
    words = run(program, path, "--threads", threads, *options).split()
    return float(words[0]), int(words[1]), int(words[2])


def row(what, theirs, ours):
    a, b = statistics.median(theirs), statistics.median(ours)
    print(f"| {what} | {1000 * a:.1f} ({1000 * min(theirs):.1f} to {1000 * max(theirs):.1f}) | {1000 * b:.1f} "
          f"({1000 * min(ours):.1f} to {1000 * max(ours):.1f}) | {a / b:.1f} |", flush=True)


def read_rows(arguments, folder, writer):
    same = True
    for codec, layout in LAYOUTS:
        path = file_of(folder, writer, codec, layout)
        for name, selection, options in SCOPES:
            for threads in (1, 2):
                theirs, ours = [], []
                for _ in range(arguments.rounds + 1):
                    a = oxihipo_read(path, selection, threads)
                    b = our_read(arguments.columns, path, options, threads)
                    theirs.append(a[0])
                    ours.append(b[0])
                    if a[1:] != b[1:]:
                        print(f"{path.name}, {name}: the values differ: {a[1:]} and {b[1:]}", file=sys.stderr)
                        same = False
                row(f"{name}, {codec} {layout}, {threads}t", theirs[1:], ours[1:])
    return same


def recook_rows(arguments, folder, writer):
    source, target = file_of(folder, writer, "lz4", "per-chunk"), folder / "out.hipo"
    for codec, layout in RECOOKS:
        compression = oxihipo_compression(codec, layout)
        for threads in (1, 2):
            theirs, ours = [], []
            for _ in range(arguments.rounds):
                target.unlink(missing_ok=True)
                start = time.perf_counter()
                oxihipo.open(str(source)).skim(str(target), compression)
                theirs.append(time.perf_counter() - start)
                report = json.loads(run(arguments.tool, "recook", source, target, "-f", "--json", "--quiet", "--layout", layout,
                                        "--codec", codec, "-j", threads, "--verify", "none", "--reencode"))
                ours.append(report["real_seconds"] - report["sync_seconds"])
            row(f"recook to {codec} {layout}, ours {threads}t, theirs 1t", theirs, ours)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--columns", required=True)
    parser.add_argument("--folder")
    parser.add_argument("--size", default="200MB")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
        folder = pathlib.Path(name)
        source = folder / "source.hipo"
        run(arguments.tool, "generate", source, "--raw-size", arguments.size, "--layout", "per-chunk", "--codec", "lz4", "--quiet")
        for codec, layout in LAYOUTS:
            run(arguments.tool, "recook", source, file_of(folder, "hipo-tool", codec, layout), "--codec", codec, "--layout", layout,
                "--reencode", "--quiet")
            oxihipo.open(str(source)).skim(str(file_of(folder, "oxihipo", codec, layout)), oxihipo_compression(codec, layout))
        print(f"n = {arguments.rounds} rounds in turns, {arguments.size} raw, warm, load {os.getloadavg()[0]:.1f} at the start")
        same = True
        for writer in WRITERS:
            print(f"\nFiles written by {writer}:\n")
            print("| work | oxihipo, ms (range) | ours, ms (range) | times faster |\n|---|--:|--:|--:|")
            same = read_rows(arguments, folder, writer) and same
            recook_rows(arguments, folder, writer)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
