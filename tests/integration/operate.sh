#!/usr/bin/env bash
# A real zone as its operator sees it: ready file, HTTP, every verb of terrane-ctl with its exit code,
# what a killed zone leaves behind, and that nothing is left after a stop.
#   operate.sh BIN_DIR CONFIG
set -euo pipefail
bin=$1 config=$2
folder=$(mktemp -d)
server=
cleanup() {
    if [[ -n $server ]]; then
        kill -KILL "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap cleanup EXIT

die() {
    echo "operate.sh: $*" >&2
    [[ ! -s $folder/log ]] || tail -n 20 "$folder/log" >&2
    exit 1
}

# field NAME: of the ready file.
field() { sed -n "s/.*\"$1\":\"\?\([^\",}]*\).*/\1/p" "$folder/ready"; }

# host OPTION...: starts a zone and waits until it is ready.
host() {
    rm -f "$folder/ready"
    "$bin/terrane-server" --config "$config" --port 0 --set http.port=0 --set zone.size_x_chunks=8 \
        --set zone.size_z_chunks=8 --ready-file "$folder/ready" "$@" >"$folder/out" 2>"$folder/log" &
    server=$!
    for _ in $(seq 600); do
        [[ -s $folder/ready ]] && return
        kill -0 "$server" 2>/dev/null || die "the zone did not start"
        sleep 0.1
    done
    die "the zone was not ready in time"
}

# wait_end CODE: the zone ends with CODE.
wait_end() {
    local code=0
    for _ in $(seq 150); do
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    ! kill -0 "$server" 2>/dev/null || die "the zone did not end in time"
    wait "$server" || code=$?
    server=
    [[ $code == "$1" ]] || die "the zone ended with $code, not $1"
}

# http PATH [METHOD]: the whole answer.
http() {
    exec 3<>"/dev/tcp/127.0.0.1/$(field http_port)"
    printf '%s %s HTTP/1.1\r\nHost: zone\r\n\r\n' "${2:-GET}" "$1" >&3
    cat <&3
    exec 3>&-
}

# ctl CODE PATTERN ARGUMENT...: exits with CODE, and its output holds PATTERN.
ctl() {
    local code=$1 pattern=$2 got=0
    shift 2
    "$bin/terrane-ctl" "$@" >"$folder/answer" 2>&1 </dev/null || got=$?
    [[ $got == "$code" ]] || die "ctl $*: exit $got, not $code: $(cat "$folder/answer")"
    tr -d '\n' <"$folder/answer" | grep -qE -- "$pattern" ||
        die "ctl $*: '$pattern' is not in: $(cat "$folder/answer")"
}

# has PATTERN TEXT
has() { grep -qE -- "$1" <<<"$2" || die "'$1' is not in: $2"; }

data=$folder/data
ctl 1 "no zone runs with data folder .*--socket PATH" --data "$data" status
ctl 2 "what shall the zone do" --data "$data"
ctl 2 "unknown option '--dat'" --dat "$data" status
ctl 0 "spawnpoint X Y Z" --help

host --data "$data"
[[ $(field socket) == "$data/ctl.sock" ]] || die "ready file: $(cat "$folder/ready")"
[[ $(field pid) == "$server" ]] || die "ready file: $(cat "$folder/ready")"
[[ $(stat -c %a "$data/ctl.sock") == 600 ]] || die "the ctl socket is not private"

has "^HTTP/1.1 200 OK" "$(http /healthz)"
status=$(http /status)
has "^HTTP/1.1 200 OK" "$status"
has "\"port\":$(field port)," "$status"
has '"chunks_resident":[1-9]' "$status"
metrics=$(http /metrics)
for name in terrane_tick_seconds_count 'terrane_phase_seconds_bucket\{phase="motion",le="0.05"\}' \
    terrane_ticks_late_total terrane_sessions 'terrane_edits_total\{result="applied"\}' \
    'terrane_bytes_total\{channel="tcp",direction="in"\}' 'terrane_queue_depth\{queue="store"\}' \
    'terrane_chunks_resident\{level=' terrane_masks_rebuilt_total terrane_colliders_built_total \
    'terrane_contacts\{kind="solid"\}' terrane_collider_bytes 'terrane_bodies\{state="awake"\}' \
    terrane_store_lag_ticks 'terrane_rejected_total\{reason="too_far",stage="world"\}'; do
    has "^$name" "$metrics"
done
has "^HTTP/1.1 404" "$(http /nothing)"
has "^HTTP/1.1 405" "$(http /status DELETE)"
[[ $(http /healthz HEAD | tail -c 4 | od -An -c | tr -d ' ') == '\r\n\r\n' ]] || die "HEAD has a body"

ctl 0 '"chunks_resident": [1-9]' --data "$data" status
ctl 0 '"tick_ms": \{' --socket "$data/ctl.sock" status
ctl 0 '"players": \[\]' --data "$data" players
ctl 0 '"spawned": 5.*"kind": "crate"' --data "$data" spawn crate 0 60 -3.5 5
ctl 2 "no kind 'crat'; there are crate, " --data "$data" spawn crat 0 60 0
ctl 2 "y = 900 lies outside the zone, which goes from" --data "$data" spawn crate 0 900 0
ctl 2 "N must be a whole number from 1 to" --data "$data" spawn crate 0 60 0 1.5
ctl 0 '"said": "hello everybody"' --data "$data" say hello everybody
ctl 2 "say: what" --data "$data" say
ctl 1 "no player 'nobody' is here" --data "$data" kick nobody
ctl 0 '"spawnpoint": \[ *1, *60, *-2 *\]' --data "$data" spawnpoint 1 60 -2
ctl 0 '"chunks": ' --data "$data" pregen -64 -64 63 63
ctl 0 '"saved_tick": [1-9]' --data "$data" save
for verb in ban unban invite backup set trace; do
    ctl 2 "$verb: not in this version" --data "$data" "$verb" x y
done
ctl 2 "unknown verb 'statsu'; did you mean 'status'" --data "$data" statsu

# A second zone on the same HTTP port is told what to do, and leaves no data behind.
code=0
"$bin/terrane-server" --config "$config" --port 0 --set "http.port=$(field http_port)" \
    --data "$folder/other" >"$folder/second" 2>&1 || code=$?
[[ $code == 1 ]] || die "a taken HTTP port: exit $code"
has "http.port = .*Address already in use.*--set http.port=0" "$(cat "$folder/second")"
[[ ! -e $folder/other ]] || die "a start that failed left its data folder"

# Killed: its socket is stale, ctl says so, the next zone replaces it.
kill -KILL "$server"
wait "$server" 2>/dev/null || true
server=
[[ -S $data/ctl.sock ]] || die "where is the stale socket?"
ctl 1 "no zone runs with data folder .*refused" --data "$data" status
host --data "$data"
ctl 0 '"bodies": ' --data "$data" status

# An operator's stop, after a wait that ends by itself; the port and the socket go.
ctl 2 "S must be seconds" --data "$data" stop --in soon
ctl 0 '"stops_in_s": 1' --data "$data" stop --in 1
wait_end 0
[[ ! -e $data/ctl.sock ]] || die "a stopped zone left its socket"

# SIGTERM leaves nothing either, also where the data folder's path is too long for a socket.
long=$folder/$(printf 'd%.0s' $(seq 100))
host --data "$long"
private=$(field socket)
[[ $private != "$long"* && -S $private ]] || die "ready file: $(cat "$folder/ready")"
ctl 0 '"bodies": ' --data "$long" status
kill -TERM "$server"
wait_end 0
[[ ! -e $(dirname "$private") && ! -e $long/ctl.path ]] || die "SIGTERM left the private socket"

# Without data: a private folder; without HTTP: -1.
host --ephemeral --set http.port=-1
[[ $(field http_port) == -1 ]] || die "ready file: $(cat "$folder/ready")"
private=$(field socket)
ctl 1 "this zone keeps nothing" --socket "$private" save
ctl 0 '"stops_in_s": 0' --socket "$private" stop
wait_end 0
[[ ! -e $(dirname "$private") ]] || die "an ephemeral zone left its socket"
echo "operated"
