#!/bin/sh
# Three databases, each for its own user. Run once by the image of PostgreSQL, when its volume is new.
# The passwords are those in the addresses of the secrets: postgresql+psycopg://USER:PASSWORD@postgres/DATABASE
set -eu

create() {
    password=$(sed -E 's|^[^:]+://[^:]+:([^@]+)@.*$|\1|' "$2")
    psql --quiet --username postgres --set=name="$1" --set=password="$password" <<'SQL'
CREATE ROLE :"name" LOGIN PASSWORD :'password';
CREATE DATABASE :"name" OWNER :"name";
SQL
}

create item_visibility /run/secrets/dashboard_database_url
create item_visibility_service /run/secrets/service_database_url
create keycloak /run/secrets/keycloak_database_url
