# The study with its environment, to be run without a network: docs/container.md.
ARG BASE=debian:bookworm-slim
FROM $BASE

RUN apt-get update && \
    apt-get install -y --no-install-recommends python3 python3-venv make git debianutils && \
    rm -rf /var/lib/apt/lists/*

# The user owns the study, because compiled kernels are kept beside the sources.
RUN useradd --create-home amg && install --directory --owner amg /amg
USER amg
WORKDIR /amg
COPY --chown=amg . .
RUN make env && rm -rf ~/.cache

CMD ["make", "figures"]
