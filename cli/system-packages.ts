import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, type Packages } from './services.ts'

/** What dpkg-query is to print: a package that is held back, or of another architecture, is as installed as any. */
const statusFormat = '${Package} ${db:Status-Status}\n'

/** The packages of a list that are not installed, in the list's order; all of them where there is no Debian. */
export function missingPackages(packages: Packages): string[] {
  const names = Object.keys(packages)
  if (names.length === 0 || !isDebian()) return names
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', statusFormat, ...names], { encoding: 'utf8' })
  const installed = new Set(
    stdout.split('\n').flatMap((line) => (line.endsWith(' installed') ? [line.split(' ')[0]] : [])),
  )
  return names.filter((name) => !installed.has(name))
}

/** The installed version of a package, or undefined. */
export function installedVersion(name: string): string | undefined {
  if (!isDebian()) return undefined
  const { stdout, status } = spawnSync('dpkg-query', ['-W', '-f', '${db:Status-Status} ${Version}', name], {
    encoding: 'utf8',
  })
  return status === 0 && stdout.startsWith('installed ') ? stdout.slice('installed '.length) : undefined
}

/**
 * Installs what is missing, as root on Debian; elsewhere says in one line what is missing and what it is for, and goes on:
 * each part that needs it says so again where it matters.
 */
export function providePackages(packages: Packages): void {
  const missing = missingPackages(packages)
  if (missing.length === 0) return
  const purposes = missing.map((name) => `${name} (${packages[name] ?? ''})`).join('; ')
  if (!isDebian() || process.getuid?.() !== 0) {
    const way = isDebian()
      ? `install with: sudo apt-get install -y --no-install-recommends ${missing.join(' ')}`
      : 'this is no Debian'
    process.stderr.write(`hearth: missing: ${purposes} - ${way}\n`)
    return
  }
  process.stderr.write(`hearth: installing Debian packages: ${purposes}\n`)
  if (aptGet(installing(missing)).isDone) return
  // The lists of a fresh system are empty, and old ones name files that are gone.
  const update = aptGet(['update', '-qq'])
  const second = aptGet(installing(missing))
  if (!second.isDone) {
    process.stderr.write(
      `hearth: apt-get could not install ${missing.join(' ')}, going on without: ${second.reason || update.reason}\n`,
    )
  }
}

function installing(names: readonly string[]): string[] {
  return ['install', '-y', '-qq', '--no-install-recommends', ...names]
}

/** Runs apt-get when no other set-up of this folder does; other programs that hold dpkg's lock are waited for. */
function aptGet(words: readonly string[]): { isDone: boolean; reason: string } {
  const lock = join(root, 'package-lock.json')
  const command = [lock, 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...words]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const result = spawnSync('flock', command, { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const errors = (result.stderr ?? '').split('\n').filter((line) => line.startsWith('E: '))
  return { isDone: result.status === 0, reason: result.error?.message ?? errors.join(' ') }
}

/** Whether packages can be looked up and installed the Debian way. */
export function isDebian(): boolean {
  return existsSync('/usr/bin/dpkg-query') && existsSync('/usr/bin/apt-get')
}
