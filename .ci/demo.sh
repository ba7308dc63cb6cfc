# shellcheck shell=bash
# ./run demo: a zone on a free port with things afloat, bots that dig and build, and the viewer: a
# window if there is a display, else demo.png. Sourced by ./run; ends what it started.

demo_pids=()
demo_folder=

end_demo() {
    local pid
    for pid in "${demo_pids[@]}"; do
        kill -TERM "$pid" 2>/dev/null || true
    done
    wait "${demo_pids[@]}" 2>/dev/null || true
    [[ -z $demo_folder ]] || rm -rf "$demo_folder"
}

# ready_field NAME: out of the zone's ready file.
ready_field() {
    sed -E "s/.*\"$1\":\"?([^\",}]*)\"?.*/\1/" "$demo_folder/ready.json"
}

run_demo() {
    local bin=$root/build/release/bin port socket second
    demo_folder=$(mktemp -d)
    trap end_demo EXIT
    trap 'exit 130' INT TERM
    "$bin/terrane-server" --config "$root/config/zone.toml" --ephemeral --port 0 \
        --set http.port=0 --set log.level=warn --ready-file "$demo_folder/ready.json" "$@" \
        >/dev/null &
    demo_pids+=($!)
    for ((second = 0; second < 60; ++second)); do
        [[ ! -f $demo_folder/ready.json ]] || break
        kill -0 "${demo_pids[0]}" 2>/dev/null || fail 1 "the zone did not start"
        sleep 0.5
    done
    port=$(ready_field port)
    socket=$(ready_field socket)
    echo "A zone on 127.0.0.1:$port with 8 bots; its operator's socket: $socket" >&2
    # On the lake beside the spawn place.
    local x=58 z=20 kind
    for kind in boat barrel crate log ball; do
        "$bin/terrane-ctl" --socket "$socket" spawn "$kind" $((x += 2)) 3 $((z += 2)) 2 >/dev/null || true
    done
    "$bin/terrane-bots" --connect "127.0.0.1:$port" --bots 8 --behaviour mixed \
        --edits-per-second 2 --duration 3600 >/dev/null 2>&1 &
    demo_pids+=($!)
    if [[ -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then
        echo "Close the window to end it." >&2
        "$bin/terrane-viewer" --connect "127.0.0.1:$port" --name you
    else
        echo "No display: 8 bots dig and build for 15 s, then the viewer draws demo.png." >&2
        sleep 15
        "$bin/terrane-viewer" --connect "127.0.0.1:$port" --name you --headless \
            --quality best --camera=18,16,22,40,-24 --screenshot "$root/demo.png"
    fi
}
