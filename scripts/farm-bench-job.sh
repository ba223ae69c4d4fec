#!/usr/bin/env bash
# Measures one file with `hipo-tool bench` on the node that it runs on, and leaves one JSON file there:
#
#   sbatch --exclusive scripts/farm-bench-job.sh FILE.hipo RESULT_FOLDER [BENCH_OPTION...]
#   scripts/farm-bench-job.sh FILE.hipo RESULT_FOLDER [BENCH_OPTION...]
#
# The result is RESULT_FOLDER/<file>.<host>.<job>.json; it appears complete or not at all, and an earlier
# one is not replaced. Then, wherever the results are:
#
#   hipo-tool bench compare RESULT_FOLDER/*.json
#
# holds all of them against the first. HIPO_TOOL is the program (default: hipo-tool in PATH). What is
# written meanwhile goes to the node's own disk: TMPDIR, or the folder that Slurm gives the job.
#SBATCH --job-name=hipo-bench
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --time=01:00:00
set -euo pipefail

if (($# < 2)); then
  sed -n '2,16s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
input=$1
folder=$2
shift 2

tool=${HIPO_TOOL:-hipo-tool}
mkdir -p "$folder"
name=$(basename "$input" .hipo)
result=$folder/$name.$(hostname -s).${SLURM_JOB_ID:-$$}.json
if [[ -e $result ]]; then
  echo "$result is there already" >&2
  exit 1
fi
work=$(mktemp -d "${SLURM_TMPDIR:-${TMPDIR:-/tmp}}/hipo-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT

"$tool" bench "$input" --json --report-file "$result" --work-folder "$work" --quiet "$@"
echo "$result"
