# A zone in a container: built in one stage, hosted by an ordinary user in another.
#
#   docker build -t terrane .
#   docker run --rm --network host -v terrane-data:/data terrane
#
# --network host: a zone lets everybody in who reaches it, so it listens on loopback only, and
# that is the container's own loopback without it. `docker stop` saves the zone.
FROM debian:bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
        g++ cmake ninja-build pkgconf flatbuffers-compiler libflatbuffers-dev libasio-dev \
        libbullet-dev libspdlog-dev libfmt-dev libglm-dev libtomlplusplus-dev libcli11-dev \
        libsqlite3-dev libzstd-dev libxxhash-dev nlohmann-json3-dev prometheus-cpp-dev \
        libhwy-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN cmake -S . -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release \
        -DTERRANE_VIEWER=OFF -DTERRANE_BENCH=OFF -DTERRANE_TESTS=OFF \
    && cmake --build /build && cmake --install /build --prefix /usr/local --strip

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
        libbullet3.24 libfmt9 libspdlog1.10 \
        libsqlite3-0 libzstd1 libprometheus-cpp-core1.0 libhwy1 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --home-dir /data --shell /usr/sbin/nologin terrane \
    && install -d -o terrane -g terrane /data
COPY --from=build /usr/local /usr/local
USER terrane
WORKDIR /data
VOLUME /data
# 7777 the zone, 7780 /healthz, /status and /metrics.
EXPOSE 7777 7780
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["terrane-ctl", "--data", "/data", "status"]
ENTRYPOINT ["terrane-server", "--config", "/usr/local/share/terrane/config/zone.toml", "--data", "/data"]
