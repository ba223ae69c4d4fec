#!/usr/bin/env python3
"""Sizes of hipo-tool against those of oxihipo for the same codec, layout, level and record size.

  build/peers/venv/bin/python scripts/bench_sizes.py FILE.hipo [--tool PATH] [--folder DIR]

scripts/interop_peers.sh makes the virtual environment. oxihipo copies FILE in each of the 15 pairs with
the levels and records that it takes by itself; hipo-tool recooks FILE with the same codec, level and raw
bytes of a record. Prints a markdown table; exit code 1 where a file is more than 1 % larger.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

CODECS = ("none", "lz4", "lz4hc", "gzip", "zstd")
LAYOUTS = ("per-chunk", "per-bank", "per-column")
# oxihipo's own (its source, `Compression::level`): lz4hc 9, gzip 6, zstd 3.
LEVELS = {"lz4hc": 9, "gzip": 6, "zstd": 3}
ALLOWED = 0.01


def run(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


def largest_record(tool, path):
    """Raw bytes and events of the record that holds most; what its writer aimed at."""
    records = json.loads(run(tool, "dump", path, "--records", "--json"))["stored_records"]
    return max(record["raw_bytes"] for record in records), max(record["events"] for record in records)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--tool", default="build/release/apps/hipo-tool/hipo-tool")
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path("build/peers/files"))
    options = parser.parse_args()
    try:
        import oxihipo
    except ImportError:
        print("oxihipo is not installed; scripts/interop_peers.sh installs it where it can")
        return 0
    options.folder.mkdir(parents=True, exist_ok=True)
    theirs, ours = options.folder / "theirs.hipo", options.folder / "ours.hipo"
    print("| format | record, raw MB | oxihipo, bytes | hipo-tool, bytes | difference |")
    print("|---|--:|--:|--:|--:|")
    excesses = []
    for codec in CODECS:
        for layout in LAYOUTS:
            oxihipo.open(str(options.file)).skim(str(theirs), f"{codec}+{layout.replace('-', '')}")
            raw, events = largest_record(options.tool, theirs)
            level = ["--level", LEVELS[codec]] if codec in LEVELS else []
            run(options.tool, "recook", options.file, ours, "--force", "--quiet", "--reencode", "--verify", "none",
                "--layout", layout, "--codec", codec, *level, "--record-size", max(raw, 65536),
                "--record-events", max(events, 1))
            sizes = os.path.getsize(theirs), os.path.getsize(ours)
            excess = sizes[1] / sizes[0] - 1
            name = f"{codec}{':' + str(LEVELS[codec]) if codec in LEVELS else ''}/{layout}"
            print(f"| {name} | {raw / 1e6:.2f} | {sizes[0]} | {sizes[1]} | {100 * excess:+.2f} % |", flush=True)
            if excess > ALLOWED:
                excesses.append(name)
    print(f"\nMore than 1 % larger: {', '.join(excesses) or 'none'}.")
    return 1 if excesses else 0


if __name__ == "__main__":
    sys.exit(main())
