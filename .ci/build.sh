# shellcheck shell=bash
# What ./run and ./test share: install Debian packages, configure, build. Sourced, not run.
# Needs bash, coreutils and dpkg only; never assumes git, sudo, curl or python.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
may_install=yes

# fail CODE LINE: 1 = it ran and failed, 2 = wrong usage.
fail() {
    echo "${0##*/}: $2" >&2
    exit "$1"
}

# Packages of the given parts that are not installed, one a line.
missing_packages() {
    local part package status parts=" $* "
    while read -r part package; do
        [[ $parts == *" $part "* ]] || continue
        status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || status=
        # Once for every architecture that has it.
        [[ $status =~ ^(installed)+$ ]] || echo "$package"
    done < <(sed 's/#.*//' "$root/.ci/packages.txt")
}

# add_architecture ARCH: dpkg takes packages of it from then on.
add_architecture() {
    local as_root=()
    [[ $(dpkg --print-foreign-architectures 2>/dev/null) != *"$1"* && $may_install == yes ]] || return 0
    [[ $(id -u) == 0 ]] || as_root=(sudo)
    "${as_root[@]}" dpkg --add-architecture "$1" || fail 1 "dpkg --add-architecture $1 failed"
}

# install_packages PART...: apt-get, with sudo only if we are not root.
install_packages() {
    local missing as_root=()
    if ! command -v dpkg-query >/dev/null; then
        echo "No dpkg here: taking the libraries of .ci/packages.txt as given." >&2
        return
    fi
    missing=$(missing_packages "$@" | tr '\n' ' ')
    [[ -n $missing ]] || return 0
    if [[ $may_install == no ]]; then
        echo "Missing packages (--no-install): $missing" >&2
        return
    fi
    if [[ $(id -u) != 0 ]]; then
        command -v sudo >/dev/null ||
            fail 1 "missing packages, and neither root nor sudo: apt-get install $missing"
        as_root=(sudo)
    fi
    echo "Installing: $missing" >&2
    "${as_root[@]}" apt-get -qq update >&2 || echo "apt-get update failed; trying on" >&2
    # shellcheck disable=SC2086
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
        -o Dpkg::Use-Pty=0 install --no-install-recommends $missing >&2 ||
        fail 1 "apt-get could not install: $missing"
}

# cached NAME PRESET: a value of the preset's CMake cache.
cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$root/build/$2/CMakeCache.txt" 2>/dev/null || true
}

# configure PRESET [NAME=VALUE...]: only if there is something to do; ninja sees changed lists itself.
configure() {
    local preset=$1 setting definitions=() is_current=yes
    shift
    [[ -f $root/build/$preset/build.ninja ]] || is_current=no
    for setting in "$@"; do
        definitions+=("-D$setting")
        [[ $(cached "${setting%%=*}" "$preset") == "${setting#*=}" ]] || is_current=no
    done
    [[ $is_current == yes ]] ||
        (cd "$root" && cmake --preset "$preset" "${definitions[@]}") >&2 ||
        fail 1 "cmake could not configure preset $preset"
}

# build PRESET [TARGET...]
build() {
    local preset=$1 targets=()
    shift
    [[ $# == 0 ]] || targets=(--target "$@")
    # Nothing to do: nothing to say.
    if [[ $(ninja -C "$root/build/$preset" -n "${@:-all}" 2>/dev/null) == *"no work to do"* ]]; then
        return
    fi
    cmake --build "$root/build/$preset" --parallel "$(nproc)" "${targets[@]}" >&2 ||
        fail 1 "the build of preset $preset failed"
}

# viewer_setting: TERRANE_VIEWER=ON if the viewer's libraries are there.
viewer_setting() {
    if command -v dpkg-query >/dev/null && [[ -n $(missing_packages viewer) ]]; then
        echo TERRANE_VIEWER=OFF
    else
        echo TERRANE_VIEWER=ON
    fi
}
