#!/bin/sh
# Creates the secrets and databases of an installation, and the command item-visibility. Run it as root. It keeps
# existing files and databases.
set -eu
folder=/etc/item-visibility
sign_in=/opt/item-visibility/.streamlit/secrets.toml
command=$(dirname "$(readlink -f "$0")")/item-visibility
cd /
umask 077
install -d -m 0750 -g item-visibility "$folder"
install -m 0755 "$command" /usr/local/bin/item-visibility

random() { openssl rand -hex 24; }

# keep FILE VALUE: write one line into a new file that only its owner can read; keep an existing file
keep() { [ -s "$1" ] || printf '%s\n' "$2" >"$1"; }

for name in client-secret sign-in-secret cookie-secret keycloak-database keycloak-admin; do
    keep "$folder/$name" "$(random)"
done
for name in dashboard service; do
    user=item_visibility_$name
    keep "$folder/$name-database-url" "postgresql+psycopg://$user:$(random)@127.0.0.1/$user"
done

# The command reads these two as the service user.
chgrp item-visibility "$folder/client-secret" "$folder/dashboard-database-url"
chmod 0640 "$folder/client-secret" "$folder/dashboard-database-url"

# database NAME PASSWORD: create a user and its database. The password does not appear on a command line.
database() {
    {
        printf "\\\\set name '%s'\n\\\\set password '%s'\n" "$1" "$2"
        cat <<'SQL'
SELECT format('CREATE ROLE %I LOGIN', :'name') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'name') \gexec
ALTER ROLE :"name" PASSWORD :'password';
SELECT format('CREATE DATABASE %I OWNER %I', :'name', :'name')
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = :'name') \gexec
SQL
    } | runuser -u postgres -- psql --quiet --set=ON_ERROR_STOP=1
}
for name in dashboard service; do
    database "item_visibility_$name" "$(sed -E 's|^[^:]+://[^:]+:([^@]+)@.*$|\1|' "$folder/$name-database-url")"
done
database keycloak "$(cat "$folder/keycloak-database")"

[ -s "$folder/keycloak.env" ] || {
    printf 'KC_DB_PASSWORD=%s\n' "$(cat "$folder/keycloak-database")"
    printf 'KC_BOOTSTRAP_ADMIN_USERNAME=admin\nKC_BOOTSTRAP_ADMIN_PASSWORD=%s\n' "$(cat "$folder/keycloak-admin")"
    printf 'CLIENT_SECRET=%s\nSIGN_IN_SECRET=%s\n' "$(cat "$folder/client-secret")" "$(cat "$folder/sign-in-secret")"
} >"$folder/keycloak.env"

[ -s "$sign_in" ] || {
    printf '[auth]\n'
    printf 'redirect_uri = "https://visibility.example.com/visibility/oauth2callback"\n'
    printf 'server_metadata_url = "%s"\n' \
        'https://visibility.example.com/auth/realms/platform-api/.well-known/openid-configuration'
    printf 'client_id = "dashboard"\nclient_secret = "%s"\n' "$(cat "$folder/sign-in-secret")"
    printf 'cookie_secret = "%s"\n' "$(cat "$folder/cookie-secret")"
} >"$sign_in"
chown root:item-visibility "$sign_in" && chmod 0640 "$sign_in"
