#!/usr/bin/env bash
# A real zone over TCP with a swarm of bots that play, dig and place, and compare hashes: exit 0 only if
# all joined, none was dropped and no replica differed.
#   swarm.sh BIN_DIR CONFIG BOTS SECONDS
set -euo pipefail
bin=$1 config=$2 bots=$3 seconds=$4
folder=$(mktemp -d)
server=
cleanup() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap cleanup EXIT

"$bin/terrane-server" --config "$config" --data "$folder/data" --port 0 --set http.port=0 \
    --ready-file "$folder/ready" --ticks $(((seconds + 60) * 20)) >"$folder/out" 2>"$folder/log" &
server=$!
for _ in $(seq 100); do
    [ -s "$folder/ready" ] && break
    kill -0 "$server" 2>/dev/null || { cat "$folder/log"; exit 1; }
    sleep 0.1
done
port=$(sed -n 's/.*"port":\([0-9]*\).*/\1/p' "$folder/ready")
http_port=$(sed -n 's/.*"http_port":\([0-9]*\).*/\1/p' "$folder/ready")

"$bin/terrane-bots" --connect "127.0.0.1:$port" --bots "$bots" --behaviour mixed --edits-per-second 1 \
    --duration "$seconds" --verify --report "$folder/report.json" --http "$http_port"
grep -q '"ticks_late": [0-9]' "$folder/report.json" || { echo "the report lacks the zone's side"; exit 1; }

# SIGTERM: tells sessions, saves, exits 0 within 10 s.
kill -TERM "$server"
for _ in $(seq 100); do
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
kill -0 "$server" 2>/dev/null && { echo "the zone did not stop within 10 s"; exit 1; }
wait "$server"
server=
echo "zone:"
cat "$folder/out"
[ -s "$folder/data/zone.db" ] || { echo "nothing was stored"; exit 1; }
