import type { ServiceFolder } from '../../cli/services.ts'

/**
 * What dpkg runs around a service's package. They work in a root without systemd too: `deb-systemd-helper` and
 * `deb-systemd-invoke` are part of every Debian. Removing keeps the data; purging takes it, and the user, without a question.
 */
export function maintainerScripts({ name, title, port }: ServiceFolder): Record<string, string> {
  const user = `hearth-${name}`
  const unit = `${user}.service`
  const data = `/var/lib/hearth/${name}`
  const start = '#!/bin/sh\nset -e\n'
  return {
    postinst: `${start}[ "$1" = configure ] || exit 0
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
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload
  deb-systemd-invoke restart ${unit} || true
fi
if [ -z "$2" ]; then
  echo 'Hearth ${title}: http://127.0.0.1:${port}'
  echo 'Where it asks for a first password or set-up token: sudo cat ${data}/initial-admin-password ${data}/setup-token'
fi
`,
    prerm: `${start}if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop ${unit} || true
fi
`,
    postrm: `${start}if [ "$1" = remove ]; then
  rm -rf /var/cache/hearth/${name}
  deb-systemd-helper mask ${unit} >/dev/null || true
fi
if [ "$1" = purge ]; then
  deb-systemd-helper purge ${unit} >/dev/null || true
  deb-systemd-helper unmask ${unit} >/dev/null || true
  rm -rf ${data} /var/cache/hearth/${name}
  rmdir --ignore-fail-on-non-empty /var/lib/hearth /var/cache/hearth 2>/dev/null || true
  if getent passwd ${user} >/dev/null; then
    deluser --quiet --system ${user} || true
  fi
fi
if [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload || true
fi
`,
  }
}
