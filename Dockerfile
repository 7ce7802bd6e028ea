# syntax=docker/dockerfile:1

FROM node:26-bookworm AS build
WORKDIR /src
COPY package.json ./
RUN npm install --global "$(node -p 'require("./package.json").packageManager')"
COPY . .
# The cache keeps packages between builds, so that a change of the sources costs seconds.
RUN --mount=type=cache,target=/pnpm-store \
    pnpm install --frozen-lockfile --store-dir /pnpm-store --filter "@petstore/api..." --filter "!@petstore/local-postgres" --filter "!@petstore/store-testkit" \
    && pnpm --filter @petstore/api exec node build.mjs \
    && pnpm --filter @petstore/api deploy --prod --store-dir /pnpm-store /app
# Of the driver, only its modules and the binary of this machine are needed to run.
WORKDIR /app/node_modules/.pnpm
RUN cd better-sqlite3@*/node_modules/better-sqlite3 \
    && rm -rf deps src && find prebuilds -type f ! -name "linux-$(node -p process.arch).node" -delete \
    && cd /app/node_modules/.pnpm && find . -mindepth 1 -maxdepth 1 ! -name "better-sqlite3@*" -exec rm -rf {} + \
    && cp /src/LICENSE /app && rm /app/pnpm-*.yaml

FROM node:26-bookworm-slim
LABEL org.opencontainers.image.title="Pet Store" \
      org.opencontainers.image.description="A catalogue of pets over HTTP" \
      org.opencontainers.image.licenses="MIT"
# The database is all that is written: the root file system can be read-only.
RUN install -d -m 700 -o 1000 -g 1000 /data && ln -s /app/bin/petstore.js /usr/local/bin/petstore
COPY --from=build /app /app
# `docker stop` kills after ten seconds: requests in flight must be done before.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATABASE_URL=sqlite:/data/petstore.db \
    PETSTORE_DRAIN_SECONDS=5
WORKDIR /data
VOLUME /data
EXPOSE 3000
# The user "node" of the image, by number, so that Kubernetes knows that it is not root.
USER 1000:1000
STOPSIGNAL SIGTERM
# Ready, not only alive: Compose and proxies wait for it, and Docker restarts nothing because of it.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --start-interval=1s \
    CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["petstore"]
CMD ["serve"]
