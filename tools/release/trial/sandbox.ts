import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import type { ServiceFolder } from '../../../cli/services.ts'
import { unitText } from '../unit.ts'
import { allowedBy, filterProgram, readCallNumbers, readCallSets } from './system-calls.ts'

/** A program for Perl, which every Debian has: sets the filter in its first argument and becomes the program in the others. */
export const loadFilter = `open my $file, '<:raw', shift or die "filter: $!"; local $/; my $code = <$file>;
my $program = pack 'S x6 P', length($code) / 8, $code;
syscall(157, 38, 1, 0, 0, 0) == 0 && syscall(157, 22, 2, $program) == 0 or die "prctl: $!";
exec @ARGV or die "exec: $!";`

const header = '/usr/include/x86_64-linux-gnu/asm/unistd_64.h'

/** The filter of system calls of a service's unit, or why there is none here. */
export function filterOf(service: ServiceFolder): Buffer | string {
  if (process.arch !== 'x64') return 'it is made for amd64 only'
  if (!existsSync(header)) return `${header} is missing (Debian package linux-libc-dev)`
  const { stdout, status } = spawnSync('systemd-analyze', ['syscall-filter', '--no-pager'], { encoding: 'utf8' })
  if (status !== 0) return 'systemd-analyze is missing (Debian package systemd)'
  return filterProgram(
    allowedBy(unitText(service), readCallSets(stdout), readCallNumbers(readFileSync(header, 'utf8'))),
  )
}

/** Parts of the units that `asUnit` leaves out; each would need systemd as the first process or a namespace of users. */
export const notTried =
  'notification and watchdog, PrivateUsers, RestrictNamespaces, RestrictRealtime, RestrictSUIDSGID, LockPersonality'

/**
 * A shell line that becomes the service as its unit starts it: user, capabilities, environment, limits, private and read-only paths,
 * and the filter of system calls in `/trial/<service>.filter` where there is one.
 */
export function asUnit(service: ServiceFolder): string {
  const unit = unitText(service)
  const user = valueOf(unit, 'User')
  const has = (line: string) => unit.includes(`\n${line}\n`)
  const folders = [
    `/var/lib/${valueOf(unit, 'StateDirectory')}`,
    `/var/cache/${valueOf(unit, 'CacheDirectory')}`,
    ...(unit.includes('\nRuntimeDirectory=') ? [`/run/${valueOf(unit, 'RuntimeDirectory')}`] : []),
  ]
  const nice = /^LimitNICE=(-?\d+)$/m.exec(unit)?.[1]
  const lines = [
    'mount --make-rprivate /',
    ...folders.map((path) => `install -d -m 0700 -o ${user} -g ${user} ${path}; mount --bind ${path} ${path}`),
    ...(has('PrivateTmp=yes') ? ['mount -t tmpfs tmpfs /tmp', 'mount -t tmpfs tmpfs /var/tmp'] : []),
    ...(has('PrivateDevices=yes') ? [privateDevices] : []),
    ...(has('ProtectHome=yes')
      ? ['mount -t tmpfs -o mode=000 tmpfs /root', 'mount -t tmpfs -o mode=000 tmpfs /home']
      : []),
    ...(has('ProtectSystem=strict') ? ['mount -o remount,bind,ro /'] : []),
    ...(has('ProtectProc=invisible') ? ['mount -t proc -o hidepid=invisible proc /proc'] : []),
    ...(has('ProtectKernelTunables=yes')
      ? ['mount --bind /proc/sys /proc/sys', 'mount -o remount,bind,ro /proc/sys']
      : []),
    `cd ${valueOf(unit, 'WorkingDirectory')}`,
    `umask ${valueOf(unit, 'UMask')}`,
    [
      `exec env -i PATH=$PATH HOME=/var/lib/hearth/${service.name} USER=${user}`,
      `CACHE_DIRECTORY=${folders[1]} ${valueOf(unit, 'Environment')}`,
      '$limits',
      `setpriv --reuid ${user} --regid ${user} --init-groups --no-new-privs ${capabilities(unit)}`,
      '$filter',
      valueOf(unit, 'ExecStart'),
    ].join(' '),
  ]
  const filter = `/trial/${service.name}.filter`
  const limits = nice === undefined ? '' : `prlimit --nice=${20 - Number(nice)}`
  // Root of some machines may not raise limits.
  return `limits='${limits}'; $limits true 2>/dev/null || limits=
filter=; if [ -e ${filter} ]; then filter="perl /trial/load-filter.pl ${filter}"; fi
export limits filter; exec unshare --mount sh -ec '${lines.join('\n')}'`
}

const privateDevices = `mkdir -p /trial/dev; for name in null zero full random urandom; do touch /trial/dev/$name; done
mount -t tmpfs -o mode=755 tmpfs /trial/dev; for name in null zero full random urandom; do touch /trial/dev/$name; mount --bind /dev/$name /trial/dev/$name; done
mkdir /trial/dev/shm; mount -t tmpfs -o mode=1777 tmpfs /trial/dev/shm; mount --rbind /trial/dev /dev`

function capabilities(unit: string): string {
  const words = valueOf(unit, 'CapabilityBoundingSet')
    .split(' ')
    .filter((word) => word !== '')
  const kept = ['-all', ...words.map((word) => `+${word.replace('CAP_', '').toLowerCase()}`)].join(',')
  return `--inh-caps=${kept} --ambient-caps=${kept} --bounding-set=${kept}`
}

/** The value of a line of a unit. */
function valueOf(unit: string, key: string): string {
  const value = new RegExp(`^${key}=(.*)$`, 'm').exec(unit)?.[1]
  if (value === undefined) throw new Error(`the unit has no ${key}`)
  return value
}
