import assert from 'node:assert/strict'
import type { ServiceFolder } from '../../../cli/services.ts'
import { asUnit } from './sandbox.ts'
import type { TrialRoot } from './root.ts'
import { changesDatabase, type TrialVersions } from './versions.ts'

/** Packages of a version by their names, as words of a shell line. */
export const packageFiles = (version: keyof TrialVersions, names: readonly string[]): string =>
  names.map((name) => `/packages/${version}/${name}_*.deb`).join(' ')

/** A shell line that installs package files. */
export const installLine = (files: string): string => `apt-get install -y -qq --no-install-recommends ${files}`
/** Names of the packages that services need. */
export const packagesOf = (services: readonly ServiceFolder[]) => [
  'hearth-runtime',
  ...services.map(({ name }) => `hearth-${name}`),
]

/** A port of which only the settings file tells a service. */
const otherPort = 8199

/** Installs one service alone, uses it as a person would, makes a backup, removes and purges it. */
export async function tryAlone(trial: TrialRoot, service: ServiceFolder): Promise<void> {
  const { name, port } = service
  const printed = await trial.run(installLine(packageFiles('current', packagesOf([service]))))
  for (const text of [`http://127.0.0.1:${port}\n`, `sudo cat /var/lib/hearth/${name}/initial-admin-password`])
    assert.ok(printed.includes(text), `the installation does not say ${text.trim()}`)
  await trial.run(`${startLines([service])}
${actionLine(service, 'use')}
echo BIND_PORT=nowhere >>/etc/hearth/${name}.env
hearth doctor | grep -q BIND_PORT
sed -i '/^BIND_PORT=nowhere$/d' /etc/hearth/${name}.env
hearth ${name} backup /var/lib/hearth/${name}/trial.backup
test "$(stat -c %U /var/lib/hearth/${name}/trial.backup)" = hearth-${name}
hearth ${name} restore --check /var/lib/hearth/${name}/trial.backup
install -d -o hearth-${name} -g hearth-${name} -m 0700 /mnt/backups
echo BACKUP_DIR=/mnt/backups | tee -a /etc/hearth/${name}.env >/dev/null
hearth ${name} backup /mnt/backups/one.backup
sed -i '/^BACKUP_DIR=/d' /etc/hearth/${name}.env
${stopLines([service])}
echo BIND_PORT=${otherPort} >>/etc/hearth/${name}.env
${startLines([{ ...service, port: otherPort }])}
${stopLines([service])}`)
  await trial.run(removeLine([service]))
  await trial.run(purgeLine([service], packagesOf([service])))
}

/** Installs all services with the package \`hearth\`, upgrades them with their data, upgrades to a version that does not start, and goes back. */
export async function tryTogether(
  trial: TrialRoot,
  services: readonly ServiceFolder[],
  versions: TrialVersions,
): Promise<void> {
  const packages = [...packagesOf(services), 'hearth']
  const isVersion = (version: string) => `test "$(hearth --version)" = ${version}`
  const actions = (step: 'use' | 'check') => services.map((service) => actionLine(service, step)).join('\n')
  await trial.run(installLine(packageFiles('current', packages)))
  await trial.run(`echo LOG_LEVEL=info >>/etc/hearth/vpn.env
${startLines(services)}\n${actions('use')}\n${stopLines(services)}`)
  // Without a backup there would be no way back.
  await trial.run(`mv /usr/lib/hearth/dist/media/commands.mjs /tmp/media
! ${installLine(packageFiles('newer', packages))} >/dev/null 2>/tmp/refused
grep -q 'not upgraded: no backup of media could be made' /tmp/refused
mv /tmp/media /usr/lib/hearth/dist/media/commands.mjs
${isVersion(versions.current)}`)
  await trial.run(installLine(packageFiles('newer', packages)))
  await trial.run(`${isVersion(versions.newer)}\n${startLines(services)}\n${actions('check')}\n${stopLines(services)}`)
  await trial.run(installLine(packageFiles('broken', packages)))
  await trial.run(services.map(refusedStart).join('\n'))
  await trial.run(`hearth-rollback >/tmp/back\n${isVersion(versions.newer)}
${services.map(goneBack).join('\n')}
grep -q '^LOG_LEVEL=info$' /etc/hearth/vpn.env
! hearth-rollback 2>/tmp/refused; grep -q 'no earlier version is kept' /tmp/refused`)
  await trial.run(`${startLines(services)}\n${actions('check')}\n${stopLines(services)}`)
  await trial.run(removeLine(services))
  await trial.run(purgeLine(services, packagesOf(services)))
}

/** What the way back says of a service's data. */
const goneBack = ({ name }: ServiceFolder): string =>
  changesDatabase.has(name)
    ? `grep -q '^${name}: data as before the upgrade' /tmp/back; ls /var/lib/hearth/${name}/of-*/${name}.db`
    : `grep -q '^${name}: .* reads the data as they are$' /tmp/back`

/** Shell lines that start services side by side, each as its unit does, and wait until they listen. */
export function startLines(services: readonly ServiceFolder[]): string {
  // Emptied first: the log of the start before says that it listens.
  const start = ({ name, ...service }: ServiceFolder) => `: >/trial/${name}.log
(
${asUnit({ name, ...service })}
) >/trial/${name}.log 2>&1 &
echo $! >/trial/${name}.pid`
  const wait = ({ name, port }: ServiceFolder) => `tries=0
until grep -q '^listening on http://127.0.0.1:${port}$' /trial/${name}.log; do
  tries=$((tries + 1))
  if [ $tries -gt 900 ] || ! kill -0 "$(cat /trial/${name}.pid)"; then cat /trial/${name}.log >&2; exit 1; fi
  sleep 0.1
done`
  return [...services.map(start), ...services.map(wait)].join('\n')
}

/** Shell lines that stop services; each must end with 0. */
export function stopLines(services: readonly ServiceFolder[]): string {
  const stop = ({ name }: ServiceFolder) => `kill -TERM "$(cat /trial/${name}.pid)"`
  const wait = ({ name }: ServiceFolder) =>
    `wait "$(cat /trial/${name}.pid)" || { cat /trial/${name}.log >&2; exit 1; }`
  return [...services.map(stop), ...services.map(wait)].join('\n')
}

const actionLine = ({ name }: ServiceFolder, step: 'use' | 'check'): string =>
  `/usr/lib/hearth/bin/node /trial/actions/${name}.ts ${step} || { cat /trial/${name}.log >&2; exit 1; }`

/** Starts a service that must not start. */
const refusedStart = (service: ServiceFolder): string => `! (
${asUnit(service)}
) >/trial/${service.name}.log 2>&1
grep -q 'this version does not start' /trial/${service.name}.log`

const removeLine = (services: readonly ServiceFolder[]): string =>
  services
    .map(
      ({ name }) =>
        `apt-get remove -y -qq hearth-${name}; test -e /var/lib/hearth/${name}/.; ! test -e /usr/lib/hearth/dist/${name}`,
    )
    .join('\n')

function purgeLine(services: readonly ServiceFolder[], packages: readonly string[]): string {
  const left = services.map(({ name }) => `! test -e /etc/hearth/${name}.env; ! getent passwd hearth-${name}`)
  return `apt-get purge -y -qq ${packages.join(' ')}\n${left.join('\n')}\n! test -e /var/lib/hearth\n! test -e /usr/lib/hearth`
}
