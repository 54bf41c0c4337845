# One image for everything: `docker run lettermill gateway`. Without an argument it is the embedded profile. In a container
# that runs, `lettermill` is the command line.

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# No package may run programs of its own here.
RUN npm ci --ignore-scripts --no-audit --no-fund

FROM dependencies AS build
COPY scripts scripts
COPY libs libs
COPY apps apps
RUN node scripts/build.mjs \
  && find dist -name '*.map' -delete \
  && find dist/scripts -mindepth 1 -maxdepth 1 ! -name image -exec rm -r {} + \
  && rm -f dist/.built

# What runs needs neither types nor maps nor pages, nor the libraries of another libc, nor the compiler, which npm keeps as
# an optional peer of two packages that load it for TypeScript alone. Licences stay, as they ask for.
FROM dependencies AS runtime-dependencies
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \
    -o -name '.package-lock.json' \) ! -iname 'licen[cs]e*' ! -iname 'notice*' ! -iname 'copying*' -delete \
  && rm -rf node_modules/.bin node_modules/.cache node_modules/@libsql/*-musl node_modules/typescript node_modules/@types

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
# Named volumes take over owner and mode of these two. What is kept is for its owner alone.
RUN mkdir /data /run/lettermill && chown node:node /data /run/lettermill && chmod 700 /data \
  && printf '#!/bin/sh\nexec node /app/dist/scripts/image/start.js cli "$@"\n' > /usr/local/bin/lettermill \
  && chmod 755 /usr/local/bin/lettermill
COPY --from=runtime-dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY --from=build /app/dist dist
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 3000 3001 3002 3003 3004 3005 1025
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "dist/scripts/image/health.js"]
ENTRYPOINT ["node", "dist/scripts/image/start.js"]
CMD ["standalone"]
