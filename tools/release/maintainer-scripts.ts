import type { ServiceFolder } from '../../cli/services.ts'
import { moreUnits } from './unit.ts'

const start = '#!/bin/sh\nset -e\n'

/**
 * The `prerm` of every package: keeps the installed version before a newer one takes its place. When that fails, dpkg asks the newer
 * package, which refuses too, and the upgrade is called off. The way back to an older version is never refused.
 */
export const upgradeScript = (version: string): string => `${start}case "$1" in
  upgrade) [ ! -x /usr/lib/hearth/keep-previous ] || /usr/lib/hearth/keep-previous ${version} "$2" ;;
  failed-upgrade) if dpkg --compare-versions "$2" lt ${version}; then exit 1; fi ;;
esac
`

/** What dpkg runs around the package of the runtime. */
export const runtimeScripts = (version: string): Record<string, string> => ({
  prerm: upgradeScript(version),
  postrm: `${start}if [ "$1" = purge ]; then
  rm -rf /var/lib/hearth/previous
  rmdir --ignore-fail-on-non-empty /var/lib/hearth 2>/dev/null || true
fi
`,
})

/**
 * What dpkg runs around a service's package. They work in a root without systemd too: `deb-systemd-helper` and
 * `deb-systemd-invoke` are part of every Debian. Removing keeps the data; purging takes it, and the user, without a question.
 */
export function serviceScripts(service: ServiceFolder, version: string): Record<string, string> {
  const { name, title, port } = service
  const user = `hearth-${name}`
  const unit = `${user}.service`
  const data = `/var/lib/hearth/${name}`
  const others = scriptsOfOthers(service)
  return {
    postinst: `${start}case "$1" in
  configure | abort-upgrade | abort-remove | abort-deconfigure) ;;
  *) exit 0 ;;
esac
if ! getent passwd ${user} >/dev/null; then
  adduser --quiet --system --group --no-create-home --home ${data} --gecos 'Hearth ${title}' ${user}
fi
install -d -m 0755 /var/lib/hearth
install -d -m 0700 -o ${user} -g ${user} ${data}
# It may come to hold secrets.
if [ -e /etc/hearth/${name}.env ]; then
  chgrp ${user} /etc/hearth/${name}.env
  chmod 0640 /etc/hearth/${name}.env
fi
deb-systemd-helper unmask ${unit} >/dev/null || true
if deb-systemd-helper --quiet was-enabled ${unit}; then
  deb-systemd-helper enable ${unit} >/dev/null || true
else
  deb-systemd-helper update-state ${unit} >/dev/null || true
fi
${others.install}if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload
${others.restart}  if ! deb-systemd-invoke restart ${unit}; then
    echo 'Hearth ${title} does not start; the reason: journalctl -u ${user}' >&2
    [ ! -e /var/lib/hearth/previous/version ] || echo 'The version before: sudo hearth-rollback' >&2
  fi
fi
if [ "$1" = configure ] && [ -z "$2" ]; then
  echo 'Hearth ${title}: http://127.0.0.1:${port}'
  echo 'Where it asks for a first password or set-up token: sudo cat ${data}/initial-admin-password ${data}/setup-token'
fi
`,
    // Modules are loaded when they are first needed: the running service must not meet those of another version.
    prerm: `${upgradeScript(version)}case "$1" in
  remove | upgrade) [ ! -d /run/systemd/system ] || deb-systemd-invoke stop ${[unit, ...others.units].join(' ')} || true ;;
esac
`,
    postrm: removalScript(service),
  }
}

function removalScript(service: ServiceFolder): string {
  const { name } = service
  const user = `hearth-${name}`
  const unit = `${user}.service`
  const others = scriptsOfOthers(service)
  return `${start}if [ "$1" = remove ]; then
  rm -rf /var/cache/hearth/${name}
  deb-systemd-helper mask ${unit} >/dev/null || true
${others.mask}fi
if [ "$1" = purge ]; then
  deb-systemd-helper purge ${unit} >/dev/null || true
  deb-systemd-helper unmask ${unit} >/dev/null || true
${others.purge}  rm -rf /var/lib/hearth/${name} /var/cache/hearth/${name}
  rmdir --ignore-fail-on-non-empty /var/lib/hearth /var/cache/hearth 2>/dev/null || true
  if getent passwd ${user} >/dev/null; then
    deluser --quiet --system ${user} || true
  fi
fi
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload || true
fi
`
}

/** What the scripts do for units that a package does not enable: one that an operator enabled is started again after an upgrade. */
function scriptsOfOthers(service: ServiceFolder) {
  const names = [...moreUnits(service).keys()]
  const user = `hearth-${service.name}`
  const lines = (lineOf: (name: string) => string) => names.map((name) => `${lineOf(name)}\n`).join('')
  const help = (verb: string) => (name: string) => `deb-systemd-helper ${verb} ${name}.service >/dev/null || true`
  return {
    units: names.map((name) => `${name}.service`),
    install:
      lines((name) => `install -d -m 0700 -o ${user} -g ${user} ${dataOf(name)}`) +
      lines(help('unmask')) +
      lines(help('update-state')),
    restart: lines((name) => `  deb-systemd-invoke restart ${name}.service || true`),
    mask: lines((name) => `  rm -rf ${cacheOf(name)}`) + lines((name) => `  ${help('mask')(name)}`),
    purge:
      ['purge', 'unmask'].map((verb) => lines((name) => `  ${help(verb)(name)}`)).join('') +
      lines((name) => `  rm -rf ${dataOf(name)} ${cacheOf(name)}`),
  }
}

/** Data and cache of a unit `hearth-NAME` are in folders with this name. */
const dataOf = (unit: string): string => `/var/lib/hearth/${unit.replace(/^hearth-/, '')}`
const cacheOf = (unit: string): string => `/var/cache/hearth/${unit.replace(/^hearth-/, '')}`
