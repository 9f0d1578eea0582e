# Shared by setup, demo and test: sourced, not run. Leaves the shell in the root of the tree.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C.UTF-8
logs=build/logs
mkdir -p "$logs"

# Seconds that passed and the log's last line, renewed while a step runs on a terminal.
show_progress() {
  local log=$1 name=$2 start=$SECONDS
  while sleep 0.5; do
    printf '\r%-30s %4d s  \033[2m%.80s\033[0m\033[K' "$name" $((SECONDS - start)) "$(tail -n 1 "$log" | tr -d '\r\t')"
  done
}

# What a log says of itself: a line `summary: ...`, or ctest's closing line.
summary_of() { sed -n -e 's/^summary: //p' -e '/^[0-9]*% tests passed/p' "$1" | tail -n 1; }

# step NAME COMMAND...: one line with the seconds it took and its summary; when it fails the end of its log, and of the
# script.
step() {
  local name=$1 log="$logs/${1// /-}.log" start=$SECONDS progress='' status
  shift
  : >"$log"
  printf '%-30s' "$name"
  if [ -t 1 ]; then
    show_progress "$log" "$name" &
    progress=$!
  fi
  set +e
  (set -e; "$@") >"$log" 2>&1
  status=$?
  set -e
  if [ -n "$progress" ]; then
    kill "$progress"
    wait "$progress" 2>/dev/null || true
    printf '\r%-30s\033[K' "$name"
  fi
  if [ "$status" -ne 0 ]; then
    printf ' FAILED, end of %s:\n' "$log"
    tail -n 40 "$log"
    exit "$status"
  fi
  printf ' %4d s  %s\n' $((SECONDS - start)) "$(summary_of "$log")"
}

# Configures only when there is no build yet: ninja does it again when a CMake file or preset changes.
build() {
  local preset=$1
  shift
  [ -e "build/$preset/build.ninja" ] || cmake --preset "$preset"
  cmake --build "build/$preset" "$@"
}
