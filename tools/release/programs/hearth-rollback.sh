#!/bin/sh
# hearth-rollback [--restore-data]: puts the version of Hearth back that was installed before the last upgrade. Data that this version
# can read stay as they are; others, or all with --restore-data, become what they were before the upgrade, and the newer database
# is moved to a folder beside it.
set -eu
umask 077
kept=/var/lib/hearth/previous

fail() {
  echo "hearth-rollback: $1" >&2
  exit 1
}

restore=
case ${1-} in
  '') ;;
  --restore-data) restore=all ;;
  *) fail "$1 is not an option; the only one is --restore-data" ;;
esac
[ "$(id -u)" = 0 ] || fail 'run this as root: sudo hearth-rollback'
[ -e $kept/version ] || fail "no earlier version is kept in $kept"
previous=$(cat $kept/version)
current=$(dpkg-query -W -f '${Version}' hearth-runtime)
packages=$(dpkg-query -W -f '${source:Package} ${db:Status-Status} ${Package}\n' 'hearth*' 2>/dev/null |
  awk '$1 == "hearth" && $2 != "not-installed" && $2 != "config-files" { print $3 }')
files=
for package in $packages; do
  [ -e "$kept/$package.deb" ] || fail "$package was not installed with $previous; remove it first: apt remove $package"
  files="$files $kept/$package.deb"
done

echo "Hearth $current goes back to $previous"
services=
for folder in /usr/lib/hearth/services/*/; do services="$services $(basename "$folder")"; done
if [ -d /run/systemd/system ]; then
  for name in $services; do systemctl stop "hearth-$name" || true; done
fi
# Configured, and with that started, when its data is in place.
dpkg --force-downgrade --force-confold --unpack $files

restore_data() {
  backup=/var/lib/hearth/$1/before-upgrade.hearth-backup
  [ -e "$backup" ] || fail "$previous cannot read the data of $1 and there is no $backup; the packages are unpacked, dpkg --configure -a starts them"
  aside=$(mktemp -d "/var/lib/hearth/$1/of-$current-XXXXXX")
  for file in "/var/lib/hearth/$1/$1.db" "/var/lib/hearth/$1/$1.db-wal" "/var/lib/hearth/$1/$1.db-shm"; do
    if [ -e "$file" ]; then mv "$file" "$aside/"; fi
  done
  chown -R "hearth-$1:hearth-$1" "$aside"
  hearth "$1" restore "$backup" ||
    fail "the data of $1 could not be restored; the newer database is in $aside. With PostgreSQL give it an empty database in DATABASE_URL, then: hearth $1 restore $backup && dpkg --configure -a"
  echo "$1: data as before the upgrade; changes made since then are in $aside"
}

for name in $services; do
  data=/var/lib/hearth/$name
  [ -n "$(ls -A "$data" 2>/dev/null)" ] || continue
  if [ -z "$restore" ] && timeout 600 hearth "$name" backup "$data/rollback.hearth-backup" >/dev/null 2>&1; then
    echo "$name: $previous reads the data as they are"
  else
    restore_data "$name"
  fi
  rm -f "$data/rollback.hearth-backup"
done

dpkg --configure $packages
rm -rf $kept
echo "Hearth $previous is installed"
