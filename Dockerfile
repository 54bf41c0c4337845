# One image for all services: `docker run lettermill gateway`. Without an argument it runs the embedded profile. In a running
# container, `lettermill` is the command line.

FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
# Packages must not run install scripts.
RUN npm ci --ignore-scripts --no-audit --no-fund

FROM dependencies AS build
COPY scripts scripts
COPY libs libs
COPY apps apps
RUN node scripts/build.mjs \
  && find dist -name '*.map' -delete \
  && find dist/scripts -mindepth 1 -maxdepth 1 ! -name image -exec rm -r {} + \
  && rm -f dist/.built

# Left out: what is not needed at run time (types, source maps, documentation, tests, examples, libraries for another libc) and
# the TypeScript compiler, which npm keeps as an optional peer of two packages that load it only for TypeScript. Licences stay,
# as they require.
FROM dependencies AS runtime-dependencies
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/.bin node_modules/.cache node_modules/.package-lock.json node_modules/typescript node_modules/@types \
    node_modules/@libsql/*-musl node_modules/swagger-ui-dist/swagger-ui-es-bundle* \
  && find node_modules -depth -type d -regextype posix-extended \
    -regex '(.*/)?node_modules/(@[^/]+/)?[^/@]+/(tests?|__tests__|docs?|examples?|benchmarks?|\.github)' -exec rm -r {} + \
  && find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' -o -name '*.md' \
    -o -name '*.markdown' \) ! -iname 'licen[cs]e*' ! -iname 'notice*' ! -iname 'copying*' -delete \
  && find node_modules -type d -empty -delete

# The system: Node, the libraries that Node and the database's module need, and a shell. Tools and package managers of the base
# image are left out, and so is everything that lets a user become root. Scanners look for packages in `status.d`. Named volumes
# take over owner and mode of /data and of the folders of secrets; only the owner can enter /data.
FROM runtime-dependencies AS system
RUN mkdir -p /system/usr/bin /system/usr/lib /system/usr/lib64 /system/etc /system/app /system/var/lib/dpkg/status.d \
  && ln -s usr/bin usr/lib usr/lib64 /system/ \
  && cp -L --parents /usr/local/bin/node /usr/local/LICENSE /bin/sh /etc/nsswitch.conf /etc/os-release \
    $(find node_modules -name '*.node' -exec ldd /usr/local/bin/node {} + | grep -oE '/[^ :]+\.so[^ :]*' | sort -u) /system \
  && for package in base-files dash libc6 libgcc-s1 libstdc++6 $(dpkg-query -W -f '${Package} ' 'gcc-*-base'); do \
    dpkg-query -s "$package" > "/system/var/lib/dpkg/status.d/$package" \
    && cp -L --parents "/usr/share/doc/$package/copyright" /system || exit 1; done \
  && echo 'root:x:0:0:root:/root:/sbin/nologin' > /system/etc/passwd && echo 'root:x:0:' > /system/etc/group \
  && echo 'node:x:1000:1000:node:/tmp:/bin/sh' >> /system/etc/passwd && echo 'node:x:1000:' >> /system/etc/group \
  && printf '#!/bin/sh\nexec node /app/dist/scripts/image/start.js cli "$@"\n' > /system/usr/local/bin/lettermill \
  && chmod 755 /system/usr/local/bin/lettermill \
  && install -d -o 1000 -g 1000 -m 700 /system/data && install -d -o 1000 -g 1000 /system/run/lettermill \
    /system/run/lettermill/internal /system/run/lettermill/api-key /system/run/lettermill/dispatch \
  && install -d -m 1777 /system/tmp

FROM scratch
COPY --from=system /system /
ENV PATH=/usr/local/bin:/usr/bin NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /app
COPY --from=runtime-dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY --from=build /app/dist dist
# As a number, so that Kubernetes can tell that it is not root.
USER 1000:1000
EXPOSE 3000 3001 3002 3003 3004 3005 1025
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "dist/scripts/image/health.js"]
ENTRYPOINT ["node", "dist/scripts/image/start.js"]
CMD ["standalone"]
# As in package.json, unless a build argument says otherwise.
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Lettermill" \
  org.opencontainers.image.description="Transactional messages you can trust: was it sent, once, to whom; if not, why." \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="$VERSION"
