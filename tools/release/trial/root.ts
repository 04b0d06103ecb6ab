import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackages, root } from '../../../cli/services.ts'
import { providePackages } from '../../../cli/system-packages.ts'
import { runProgram } from '../../run-program.ts'

/** A Debian to try packages in, with a network of its own where only loopback is. */
export interface TrialRoot {
  /** Runs a shell script as root and returns what it printed. Throws with its output when it fails. Ends what it left running. */
  run(script: string): Promise<string>
}

/** A Debian that trials start from. */
export interface TrialBase extends Disposable {
  /** Makes a root from it, for which nothing is copied. */
  openRoot(name: string): TrialRoot
}

/** Age at which the kept Debian is made anew, milliseconds: its mirror goes on. */
const maxAge = 12 * 3600_000

const cache = join(root, 'node_modules/.cache/release/bookworm.tar')

/**
 * Makes a Debian from its mirror, with `/packages` and `/trial` copied from folders, and loads what the packages of the first need.
 * The bare Debian takes half a minute and is kept for half a day.
 */
export async function openTrialBase(
  folders: { packages: string; trial: string; first: string },
  signal: AbortSignal,
): Promise<TrialBase> {
  if (!existsSync(cache) || Date.now() - statSync(cache).mtimeMs > maxAge) await makeDebian(signal)
  const folder = mkdtempSync(join(tmpdir(), 'hearth-trial-'))
  const debian = join(folder, 'debian')
  mkdirSync(debian)
  await call('tar', ['-xf', cache, '-C', debian], signal)
  cpSync('/etc/resolv.conf', join(debian, 'etc/resolv.conf'))
  // Nothing is started by an installation: there is no systemd here.
  writeFileSync(join(debian, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n', { mode: 0o755 })
  mkdirSync(join(debian, 'dev/net'))
  // As udev makes it. Where devices cannot be made, tunnels are simulated.
  const tun = ['-m', '666', join(debian, 'dev/net/tun'), 'c', '10', '200']
  if (existsSync('/dev/net/tun')) await call('mknod', tun, signal).catch(() => '')
  writeFileSync(join(debian, 'etc/dpkg/dpkg.cfg.d/trial'), 'force-unsafe-io\n')
  cpSync(folders.packages, join(debian, 'packages'), { recursive: true })
  cpSync(folders.trial, join(debian, 'trial'), { recursive: true })
  const load = `apt-get update -qq && apt-get install -y -qq --no-install-recommends --download-only ${folders.first}`
  await call('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-ec', enter, 'sh', debian, load], signal)
  return {
    openRoot: (name) => openRoot({ debian, folder: join(folder, name) }, signal),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Mirror that mmdebstrap takes when none is named. */
const mirror = 'http://deb.debian.org/debian/dists/bookworm/InRelease'

/** Of the packages that checks need, those of the trial. */
const needed = new Set(['mmdebstrap', 'linux-libc-dev', 'systemd'])

/** Says why no root can be made on this machine; undefined when one can. */
export function findObstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'only root can make a Debian'
  providePackages(Object.fromEntries(Object.entries(checkPackages()).filter(([name]) => needed.has(name))))
  if (spawnSync('mmdebstrap', ['--version']).status !== 0) return 'mmdebstrap is missing (Debian package mmdebstrap)'
  // Where the roots will be: a folder that lies on an overlay itself can carry none.
  const folder = mkdtempSync(join(tmpdir(), 'hearth-overlay-'))
  const words = ['--mount', '--net', '--pid', '--fork', 'sh', '-ec', tryOverlay, 'sh', folder]
  const { status } = spawnSync('unshare', words)
  rmSync(folder, { recursive: true, force: true })
  if (status !== 0) return `namespaces, or overlays in ${tmpdir()}, cannot be made here`
  const file = join(tmpdir(), `hearth-mirror-${process.pid}`)
  const reached = spawnSync('/usr/lib/apt/apt-helper', ['download-file', mirror, file], { timeout: 60_000 })
  rmSync(file, { force: true })
  return reached.status === 0 ? undefined : `${mirror} cannot be reached`
}

const tryOverlay = `cd "$1"; mkdir lower changes work root
mount -t overlay -o lowerdir=lower,upperdir=changes,workdir=work overlay root`

async function makeDebian(signal: AbortSignal): Promise<void> {
  mkdirSync(join(cache, '..'), { recursive: true })
  const words = ['--variant=minbase', '--skip=cleanup/apt/lists', '--include=adduser,libatomic1,libstdc++6']
  await call('mmdebstrap', [...words, '--dpkgopt=force-unsafe-io', 'bookworm', `${cache}.new.tar`], signal)
  renameSync(`${cache}.new.tar`, cache)
}

/** Enters the root in the first argument and runs the script in the second. */
const enter = `mount -t proc proc "$1/proc"; ip link set lo up 2>/dev/null || true; exec chroot "$1" /bin/sh -ec "$2"`

/** The same for a root whose changes lie in the folder of the first argument, over the Debian of the third. */
const enterOverlay = `mount -t overlay -o "lowerdir=$3,upperdir=$1/changes,workdir=$1/work" overlay "$1/root"
set -- "$1/root" "$2"; ${enter}`

function openRoot({ debian, folder }: { debian: string; folder: string }, signal: AbortSignal): TrialRoot {
  for (const name of ['changes', 'work', 'root']) mkdirSync(join(folder, name), { recursive: true })
  const words = ['--mount', '--net', '--pid', '--fork', '--kill-child', 'sh', '-ec', enterOverlay, 'sh', folder]
  return { run: (script) => call('unshare', [...words, script, debian], signal) }
}

/** Runs a program for at most ten minutes and returns what it printed. */
async function call(program: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    DEBIAN_FRONTEND: 'noninteractive',
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(600_000)])
  const { code, stdout, stderr } = await runProgram(program, args, { signal: limit, env })
  if (code !== 0)
    throw new Error(`${program} ended with ${code ?? 'a signal'}:\n${stdout.slice(-8000)}${stderr.slice(-8000)}`)
  return stdout
}
