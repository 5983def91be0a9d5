# syntax=docker/dockerfile:1
# scripts/prove-container.sh builds and starts the image without a container engine.

FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts scripts
COPY web web
# The app shows these documents.
COPY docs/fragen.md docs/fragen.en.md docs/datenschutz.md docs/datenschutz.en.md docs/
COPY src src
COPY plugins plugins
COPY routes routes
COPY db db
RUN node scripts/build.mjs
RUN npm prune --omit=dev

FROM node:26-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data TMP_DIR=/data/tmp CONTENT_DIR=/app/content
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY content content
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and receives the signals.
CMD ["node", "dist/src/cli.js", "serve"]
