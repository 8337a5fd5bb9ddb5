#!/usr/bin/env bash
set -euo pipefail
meson setup build --prefix "$PREFIX" --libdir lib --buildtype release --auto-features enabled -Dtests=disabled
meson compile -C build -j "${CPU_COUNT:-1}"
meson install -C build --no-rebuild
