#!/bin/sh
# keep-previous VERSION NEWER: keeps the installed packages of Hearth, and a backup of each service's data, before a newer version
# takes their place. hearth-rollback puts them back. The prerm of every package runs this; the first call does it for all. It ends
# with 1, and dpkg leaves everything as it is, when there would be no way back.
set -eu
umask 077
version=$1
newer=$2
kept=/var/lib/hearth/previous

installed() {
  dpkg-query -W -f '${source:Package} ${db:Status-Status} ${Version} ${Package}\n' 'hearth*' 2>/dev/null |
    awk '$1 == "hearth" && $2 != "not-installed" && $2 != "config-files" { print $3, $4 }'
}

# A downgrade has nothing newer to come back from, and in the middle of an upgrade it is already done.
dpkg --compare-versions "$version" lt "$newer" || exit 0
if installed | awk -v version="$version" '$1 != version { other = 1 } END { exit !other }'; then exit 0; fi

rm -rf /var/lib/hearth/.previous-*
fresh=$(mktemp -d /var/lib/hearth/.previous-XXXXXX)
stopped=
finish() {
  code=$?
  rm -rf "$fresh" /var/lib/hearth/*/before-upgrade.hearth-backup.new
  [ $code = 0 ] && exit 0
  for unit in $stopped; do deb-systemd-invoke start "$unit" || true; done
  exit $code
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

# Without compression to speak of: the package of Node would otherwise take a minute.
keep_package() {
  folder=$fresh/$1
  mkdir -m 0755 "$folder" "$folder/DEBIAN"
  dpkg-query --listfiles "$1" | sed 's|^/||' |
    tar --create --directory / --no-recursion --ignore-failed-read --files-from - 2>/dev/null |
    tar --extract --directory "$folder" --same-permissions
  dpkg-query -W -f 'Package: ${Package}\nSource: ${source:Package}\nVersion: ${Version}\nArchitecture: ${Architecture}\nMaintainer: ${Maintainer}\nInstalled-Size: ${Installed-Size}\nDepends: ${Depends}\nRecommends: ${Recommends}\nSection: ${Section}\nPriority: ${Priority}\nDescription: ${Description}\n' "$1" |
    sed '/^[A-Za-z-]*: *$/d' >"$folder/DEBIAN/control"
  for file in $(dpkg-query --control-path "$1"); do cp -p "$file" "$folder/DEBIAN/${file##*/"$1".}"; done
  # What was never complete would not come back complete.
  if ! (cd "$folder" && grep -v '  etc/' DEBIAN/md5sums | md5sum --check --quiet >&2) && [ -z "${HEARTH_WITHOUT_BACKUP-}" ]; then
    echo "hearth: not upgraded: files of $1 are damaged. Without a way back: sudo HEARTH_WITHOUT_BACKUP=1 apt install ..." >&2
    exit 1
  fi
  dpkg-deb --root-owner-group -Zgzip -z1 --build "$folder" "$fresh/$1.deb" >/dev/null
  rm -rf "$folder"
}

for folder in /usr/lib/hearth/services/*/; do
  name=$(basename "$folder")
  data=/var/lib/hearth/$name
  if [ -d /run/systemd/system ] && systemctl --quiet is-active "hearth-$name"; then
    stopped="$stopped hearth-$name.service"
    systemctl stop "hearth-$name"
  fi
  [ -n "$(ls -A "$data" 2>/dev/null)" ] || continue
  backup=$data/before-upgrade.hearth-backup
  if ! timeout 600 hearth "$name" backup "$backup.new" 2>"$fresh/error"; then
    cat "$fresh/error" >&2
    if [ -e $kept/version ]; then
      echo "hearth: no backup of $name could be made; $(cat $kept/version) stays the version that hearth-rollback puts back" >&2
      exit 0
    fi
    [ -z "${HEARTH_WITHOUT_BACKUP-}" ] || continue
    echo "hearth: not upgraded: no backup of $name could be made. Without one: sudo HEARTH_WITHOUT_BACKUP=1 apt install ..." >&2
    exit 1
  fi
done

rm -f "$fresh/error"
for package in $(installed | awk '{ print $2 }'); do keep_package "$package"; done
echo "$version" >"$fresh/version"
for folder in /usr/lib/hearth/services/*/; do
  backup=/var/lib/hearth/$(basename "$folder")/before-upgrade.hearth-backup
  if [ -e "$backup.new" ]; then mv "$backup.new" "$backup"; fi
done
rm -rf $kept
mv "$fresh" $kept
