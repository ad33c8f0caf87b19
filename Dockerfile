# One image for every process of the console: `serve` (the default), `relay`, `migrate`, `rotate-secrets`, `doctor`.
#
#   docker build -t agent-console .
#
# Both bases are arguments. The build base needs Node 24 in /usr/local/bin, npm and a shell; the runtime base needs glibc and
# libstdc++ only. For a release, name both by digest.
ARG BUILD_BASE=docker.io/library/node:24-bookworm-slim
ARG RUNTIME_BASE=gcr.io/distroless/cc-debian12:nonroot

FROM ${BUILD_BASE} AS dependencies
WORKDIR /app
# Behind a proxy with its own certificate authority:
#   --secret id=ca,src=ca.pem --build-arg NODE_EXTRA_CA_CERTS=/run/secrets/ca
ARG NODE_EXTRA_CA_CERTS
COPY package.json package-lock.json .npmrc ./
# Not the packages of the workspaces: no process of the image reads them.
RUN --mount=type=secret,id=ca ["npm", "ci", "--omit=dev", "--workspaces=false", "--ignore-scripts"]
COPY scripts/prune-image.ts scripts/
RUN ["node", "scripts/prune-image.ts"]

FROM ${BUILD_BASE} AS web
WORKDIR /app
ARG NODE_EXTRA_CA_CERTS
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY sdk/package.json sdk/
COPY cli/package.json cli/
COPY web/package.json web/
COPY tools/codegen/package.json tools/codegen/
RUN --mount=type=secret,id=ca ["npm", "ci", "--ignore-scripts"]
COPY sdk sdk
COPY web web
COPY scripts/build-reference.ts scripts/
RUN ["npm", "run", "build:web"]

# The development issuer for compose.yaml. It signs a token for any user of any team: never deploy it.
FROM ${BUILD_BASE} AS issuer
WORKDIR /app
ARG NODE_EXTRA_CA_CERTS
COPY package.json package-lock.json .npmrc ./
RUN --mount=type=secret,id=ca ["npm", "ci", "--workspaces=false", "--ignore-scripts"]
COPY src/api src/api
COPY dev dev
USER 65532:65532
ENTRYPOINT ["node", "dev/issuer/main.ts"]

FROM ${RUNTIME_BASE} AS console
ARG RUNTIME_BASE
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Agent Console" \
      org.opencontainers.image.description="The control plane for AI agents" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${RUNTIME_BASE}"
WORKDIR /app
COPY --from=dependencies /usr/local/bin/node /usr/local/bin/node
COPY --from=dependencies /app/node_modules node_modules
COPY LICENSE openapi.json package.json redocly.yaml ./
COPY migrations migrations
COPY scripts/doctor.ts scripts/grants.ts scripts/migrate.ts scripts/new-epoch.ts scripts/rotate-secrets.ts scripts/options.ts scripts/
COPY scripts/migrate scripts/migrate
COPY scripts/doctor scripts/doctor
COPY bin bin
COPY src src
COPY --from=web /app/web/dist web/dist
COPY --from=web /app/dist dist
ENV PATH=/usr/local/bin:/usr/bin:/bin \
    NODE_ENV=production \
    HOST=0.0.0.0 \
    METRICS_HOST=0.0.0.0
USER 65532:65532
EXPOSE 8080 9464
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "/app/bin/agent-console.ts", "health"]
# Without the signal, no process in the container can make this one listen for a debugger.
# The limit of the container sets that of the heap.
ENTRYPOINT ["node", "--disable-sigusr1", "--max-semi-space-size=16", "--v8-pool-size=1", "/app/bin/agent-console.ts"]
CMD ["serve"]
