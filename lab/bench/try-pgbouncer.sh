#!/bin/sh
# Runs two instances behind PgBouncer in transaction mode and asks them a few things.
# Usage: DATABASE_HOST=127.0.0.1 DATABASE_PORT=5432 DATABASE_NAME=training DATABASE_PREPARE=false bench/try-pgbouncer.sh
set -eu
folder=$(mktemp -d)
trap 'kill $(cat "$folder"/*.pid) 2>/dev/null; rm -rf "$folder"' EXIT
cat > "$folder/pgbouncer.ini" <<INI
[databases]
* = host=${DATABASE_HOST:-127.0.0.1} port=${DATABASE_PORT:-5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = 6439
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 200
logfile = $folder/log
pidfile = $folder/bouncer.pid
INI
sed -i "s/^\* = .*/& user=postgres/" "$folder/pgbouncer.ini"
chmod 755 "$folder"; : > "$folder/log"; chmod 666 "$folder/log"; chmod 777 "$folder"
pgbouncer --version | head -1
if [ "$(id -u)" = 0 ]; then su postgres -s /bin/sh -c "pgbouncer -q -d $folder/pgbouncer.ini"; else pgbouncer -q -d "$folder/pgbouncer.ini"; fi
sleep 1
export DATABASE_URL="postgres://postgres@127.0.0.1:6439/${DATABASE_NAME:-training}" LOG_LEVEL=error
export SESSION_SECRET="a secret that only the benchmark knows" ADMIN_USERNAME=admin ADMIN_PASSWORD=nur-zum-messen
for port in 3901 3902; do
  PORT=$port node dist/src/cli.js serve > "$folder/$port.log" 2>&1 &
  echo $! > "$folder/$port.pid"
done
sleep 4
cat "$folder"/390?.log
curl -s -c "$folder/cookies" -H 'Content-Type: application/json' -d '{"username":"admin","password":"nur-zum-messen"}' \
  http://127.0.0.1:3901/api/auth/login; echo
npx autocannon -d 5 -c 40 -H "Cookie: $(awk '/svc_/ {print $6"="$7}' "$folder/cookies")" http://127.0.0.1:3902/api/decks 2>&1 |
  grep -E 'requests in|2xx|errors' || true
curl -s -o /dev/null -w '%{http_code} /api/quiz/generate\n' -b "$folder/cookies" http://127.0.0.1:3902/api/quiz/generate
curl -s -b "$folder/cookies" -X POST http://127.0.0.1:3901/api/admin/import; echo
grep -iE 'error|unsupported' "$folder/log" | tail -3 || true
