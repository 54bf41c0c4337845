#!/usr/bin/env bash
# Builds the image, starts docker-compose.yml, sends the README's first message, waits for it in the mailbox, and removes
# everything again. Uses Docker (`docker compose`) or podman-compose. LETTERMILL_PORT and MAILBOX_PORT set the ports.
set -euo pipefail
cd "$(dirname "$0")/.."
export LETTERMILL_PORT=${LETTERMILL_PORT:-3000} MAILBOX_PORT=${MAILBOX_PORT:-3005}
gateway=http://127.0.0.1:$LETTERMILL_PORT mailbox=http://127.0.0.1:$MAILBOX_PORT

if docker compose version > /dev/null 2>&1; then engine=docker; compose="docker compose -p lettermill-try"
elif command -v podman-compose > /dev/null; then engine=podman; compose="podman-compose -p lettermill-try"
else echo 'neither docker compose nor podman-compose is here' >&2; exit 1; fi

say() { printf '%(%T)T  %s\n' -1 "$*"; }
fail() { say "FAILED: $*"; $compose ps || true; for name in init gateway welcome; do $compose logs "$name" 2>&1 | tail -n 15; done || true; exit 1; }
until_ok() { # until_ok SECONDS WHAT COMMAND...
  local end=$((SECONDS + $1)) what=$2; shift 2
  until "$@" > /dev/null 2>&1; do [ $SECONDS -lt $end ] || fail "waited in vain for $what"; sleep 1; done
}
# Older versions of podman cannot start a container that depends on one that has ended, so this starts them in order.
start() {
  if [ "$engine" = docker ]; then $compose up -d; return; fi
  $compose up -d --no-deps kafka mongo init
  local end=$((SECONDS + 240))
  until [ "$(podman inspect --format '{{.State.Status}} {{.State.ExitCode}}' lettermill-try_init_1)" = 'exited 0' ]; do
    [ $SECONDS -lt $end ] || return 1; sleep 1
  done
  $compose up -d --no-deps gateway contacts renderer dispatch tracker mailbox welcome
}
# Removes everything, including the containers of a profile.
down() { $compose --profile observability down -v > /dev/null 2>&1 || true; }
id_in() { sed -nE 's/.*"message_id":"([^"]+)".*/\1/p' <<< "$1"; }
# All mails so far, as the page gets them: from this machine, without a key.
mails() { curl -sf "$mailbox/mailbox/api/messages"; }
mail_is_there() { mails | grep -q 'Welcome, Ada'; }
welcome_is_done() { $compose logs welcome 2>&1 | grep -q 'Send your first message'; }

told=$(mktemp)
trap 'down' EXIT
down

if [ -z "${SKIP_BUILD:-}" ]; then
  say 'building the image'
  build=$([ "$engine" = podman ] && echo "--format docker" || true)
  "$engine" build $build --network=host -q -t lettermill:dev . > /dev/null
fi
label() { "$engine" image inspect --format "{{index .Config.Labels \"org.opencontainers.image.$1\"}}" lettermill:dev; }
say "image: $(label title) $(label version), $("$engine" image inspect --format '{{.Size}}' lettermill:dev | awk '{printf "%d MB", $1 / 1e6}')"
say 'starting'
start > "$told" 2>&1 || { tail -n 20 "$told"; fail 'it does not start'; }
until_ok 240 'the gateway' curl -sf "$gateway/health/ready"
until_ok 120 'the sample campaign' welcome_is_done
key=$($compose logs welcome 2>&1 | sed -nE 's/.*API key +(lm_[A-Za-z0-9_-]+).*/\1/p' | tail -n 1)
[ -n "$key" ] || fail 'the key is not told'

for part in docs openapi.json docs/swagger-ui-bundle.js; do curl -sf -o /dev/null "$gateway/$part" || fail "there is no $part"; done
say 'the API'\''s page is there'

say 'the README'\''s first message'
# The command exactly as in the README, except for the key and the port.
call=$(awk '/^curl -s .*send\/email/ { on = 1 } on { print } on && !/\\$/ { exit }' README.md)
call=${call//<the printed key>/$key}; call=${call//http:\/\/127.0.0.1:3000/$gateway}
answer=$(eval "$call"); echo "      $answer"
id=$(id_in "$answer")
[ -n "$id" ] || fail 'it was not accepted'
until_ok 60 'the mail' mail_is_there
say 'the mail in the mailbox'; echo "      $(mails)"
has_state() { curl -sf "$gateway/v2/messages/$1" -H "Authorization: Bearer $key" | grep -q "\"state\":\"$2\""; }
until_ok 30 'its state' has_state "$id" sent
say 'its state is sent'

answer=$(eval "${call/ada@example.com/returned@mailbox.invalid}")
id=$(id_in "$answer")
until_ok 60 'the bounce that the mailbox returns' has_state "$id" bounced
say 'a mail to returned@mailbox.invalid is bounced'

for name in gateway contacts renderer dispatch tracker mailbox; do
  container=$("$engine" ps --filter "name=lettermill-try[-_]${name}[-_]1" --format '{{.Names}}' | head -n 1)
  "$engine" exec "$container" node dist/scripts/image/health.js || fail "$name says it is unhealthy"
  user=$("$engine" exec "$container" node -p 'process.getuid()'); [ "$user" = 1000 ] || fail "$name runs as user $user"
  if "$engine" exec "$container" node -e "fs.writeFileSync('/app/x', '')" 2> /dev/null; then fail "$name can write to its image"; fi
done
say 'healthy, not root, read-only: gateway contacts renderer dispatch tracker mailbox'
secrets_of() { # the secrets that the service has, as files and as variables
  container=$("$engine" ps --filter "name=lettermill-try[-_]${1}[-_]1" --format '{{.Names}}' | head -n 1)
  "$engine" exec "$container" node -p '[...fs.globSync("/run/lettermill/*/*").map((file) => path.basename(file)),
    ...["SMTP_URL", "INTERNAL_SECRET", "DKIM_KEY_SECRET"].filter((name) => process.env[name])].sort().join(" ")'
}
for known in 'gateway:api-key internal-secret' contacts:internal-secret renderer:internal-secret tracker:internal-secret \
  'dispatch:SMTP_URL dkim-key-secret internal-secret' mailbox:api-key; do
  found=$(secrets_of "${known%%:*}"); [ "$found" = "${known#*:}" ] || fail "${known%%:*} knows $found"
done
say 'each knows its own secrets and no others'
beyond=$("$engine" ps --filter name=lettermill-try --format '{{.Ports}}' | grep -E '(0\.0\.0\.0|\[::\]|:::)' || true)
[ -z "$beyond" ] || fail "published beyond loopback: $beyond"
say 'nothing is published beyond loopback'

container=$("$engine" ps --filter 'name=lettermill-try[-_]tracker[-_]1' --format '{{.Names}}' | head -n 1)
"$engine" exec "$container" lettermill dead-letters list || fail 'the command line does not work'
say 'no dead letters, by the command line'

# The profile `observability`, if its images can be downloaded: WITH='prometheus grafana'.
if [ -n "${WITH:-}" ]; then
  $compose --profile observability up -d --no-deps $WITH > "$told" 2>&1 || { tail -n 20 "$told"; fail "$WITH did not start"; }
  targets() { curl -sf "http://127.0.0.1:${PROMETHEUS_PORT:-9090}/api/v1/targets?state=active"; }
  all_are_up() { [ "$(targets | grep -o '"health":"up"' | wc -l)" = 5 ]; }
  until_ok 90 'Prometheus to find all five services' all_are_up
  curl -sf "http://127.0.0.1:${PROMETHEUS_PORT:-9090}/api/v1/rules" | grep -q LettermillGone || fail 'the alert rules are not loaded'
  say 'Prometheus scrapes the five services and has the alert rules'
  if [[ $WITH = *grafana* ]]; then
    until_ok 90 'the dashboard' curl -sf "http://127.0.0.1:${GRAFANA_PORT:-3006}/api/dashboards/uid/lettermill"
    say 'Grafana has the dashboard'
  fi
fi

started=$SECONDS
$compose stop -t 20 gateway contacts renderer dispatch tracker > /dev/null 2>&1
say "stopped in order in $((SECONDS - started)) s"
say OK
