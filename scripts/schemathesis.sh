#!/usr/bin/env bash
# Tests what the OpenAPI document of a running instance promises, with every check of Schemathesis. Needs python3 and the
# build. SCHEMATHESIS_SECONDS limits the run, SCHEMATHESIS_SEED repeats one. The exit code is 0 if nothing failed.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

version=4.32.5
seconds=${SCHEMATHESIS_SECONDS:-90}
key=schemathesis-key-of-account-default
work=$(mktemp -d)
server=
clean() {
  if [ -n "$server" ]; then kill -9 "$server" && wait "$server" || true; fi 2>/dev/null
  rm -rf "$work"
}
trap clean EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "schemathesis==$version"

port=$(node -e "const s=require('net').createServer().listen(0,'127.0.0.1',()=>{console.log(s.address().port);s.close()})")
PORT=$port DATA_DIR=$work/data BOOTSTRAP_API_KEY=$key RATE_LIMIT=0 LOG_LEVEL=error PUBLIC_URL=https://mail.example.com DNS_SERVERS=127.0.0.1:9 \
  node dist/apps/standalone/src/main.js >"$work/server.log" 2>&1 &
server=$!
for _ in $(seq 100); do
  grep -q 'Send your first message' "$work/server.log" && break
  kill -0 "$server" || { cat "$work/server.log"; exit 1; }
  sleep 0.2
done

# Schemathesis stores what it finds in its working directory.
cd "$work"
status=0
SCHEMATHESIS_HOOKS=$root/scripts/schemathesis_hooks.py "$work/venv/bin/st" \
  --config-file "$root/scripts/schemathesis.toml" run "http://127.0.0.1:$port/openapi.json" \
  --header "Authorization: Bearer $key" --max-time "$seconds" ${SCHEMATHESIS_SEED:+--seed "$SCHEMATHESIS_SEED"} --no-color --output-sanitize=false || status=$?
kill -0 "$server" || { echo 'the server is gone'; cat "$work/server.log"; exit 1; }
exit "$status"
