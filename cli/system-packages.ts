import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { installWords, isAtLeast, withBackports } from './backports.ts'
import { root, type Packages } from './services.ts'

/** Format of dpkg-query; a package that is held back or of another architecture counts as installed. */
const statusFormat = '${Package} ${db:Status-Status} ${Version}\n'

/** A package a service asks for, as Debian writes it: `name`, or `name (>= version)`. */
export interface Wanted {
  readonly name: string
  readonly least: string | undefined
}

/** Reads a package as a service's list names it. */
export function readWanted(text: string): Wanted {
  const [, name = text, least] = /^(\S+)(?: \(>= (\S+)\))?$/.exec(text) ?? []
  return { name, least }
}

/** The packages of a list that are not installed, in order; all of them on other systems than Debian. */
export function missingPackages(packages: Packages): string[] {
  const texts = Object.keys(packages)
  if (texts.length === 0 || !isDebian()) return texts
  const names = texts.map((text) => readWanted(text).name)
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', statusFormat, ...names], { encoding: 'utf8' })
  const versions = new Map<string, string>()
  for (const line of stdout.split('\n')) {
    const [name = '', status, version = ''] = line.split(' ')
    if (status === 'installed') versions.set(name, version)
  }
  return texts.filter((text) => !isThere(readWanted(text), versions))
}

function isThere({ name, least }: Wanted, versions: ReadonlyMap<string, string>): boolean {
  const version = versions.get(name)
  if (version !== undefined && (least === undefined || isAtLeast(version, least))) return true
  // A program may have been installed without a Debian package.
  return least !== undefined && isOwnProgram(name)
}

/** True for a program of that name that no Debian package installed. */
function isOwnProgram(name: string): boolean {
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder !== '/usr/bin' && folder !== '/bin')
  return folders.some((folder) => folder.startsWith('/') && existsSync(join(folder, name)))
}

/** The installed version of a package, named as in a service's list, or undefined. */
export function installedVersion(text: string): string | undefined {
  if (!isDebian()) return undefined
  const { name } = readWanted(text)
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
      ? `install with: sudo apt-get install -y --no-install-recommends ${missing.map((text) => readWanted(text).name).join(' ')}`
      : 'this is no Debian'
    process.stderr.write(`hearth: missing: ${purposes} - ${way}\n`)
    return
  }
  process.stderr.write(`hearth: installing Debian packages: ${purposes}\n`)
  const wanted = missing.map(readWanted)
  const fromBackports = wanted.filter(({ name, least }) => least !== undefined && !isAtLeast(candidate(name), least))
  install(wanted.filter((one) => !fromBackports.includes(one)).map(({ name }) => name))
  if (fromBackports.length > 0) installBackports(fromBackports.map(({ name }) => name))
}

function install(names: readonly string[]): void {
  if (names.length === 0 || aptGet([...installWords, ...names]).isDone) return
  // The lists of a fresh system are empty, and old ones name files that are gone.
  const update = aptGet(['update', '-qq'])
  const second = aptGet([...installWords, ...names])
  if (!second.isDone) complain(names, second.reason || update.reason)
}

function installBackports(names: readonly string[]): void {
  const result = withBackports(names, (calls) => {
    const update = aptGet(calls.update)
    const first = aptGet(calls.install)
    if (first.isDone) return first
    aptGet(['update', '-qq'])
    const second = aptGet(calls.install)
    return second.isDone ? second : { isDone: false, reason: second.reason || update.reason }
  })
  if (result?.isDone !== true) complain(names, result?.reason ?? 'this Debian release has no name')
}

function complain(names: readonly string[], reason: string): void {
  process.stderr.write(`hearth: apt-get could not install ${names.join(' ')}, going on without: ${reason}\n`)
}

/** The version Debian would install; empty when it has none. */
function candidate(name: string): string {
  const { stdout } = spawnSync('apt-cache', ['policy', name], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  return /^ {2}Candidate: (\S+)$/m.exec(stdout ?? '')?.[1] ?? ''
}

/** Runs apt-get when no other set-up of this folder does; other programs that hold dpkg's lock are waited for. */
function aptGet(args: readonly string[]): { isDone: boolean; reason: string } {
  const lock = join(root, 'package-lock.json')
  const command = [lock, 'apt-get', '-o', 'DPkg::Lock::Timeout=300', ...args]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const result = spawnSync('flock', command, { env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  const errors = (result.stderr ?? '').split('\n').filter((line) => line.startsWith('E: '))
  return { isDone: result.status === 0, reason: result.error?.message ?? errors.join(' ') }
}

/** Returns true if packages can be installed with apt-get. */
export function isDebian(): boolean {
  return existsSync('/usr/bin/dpkg-query') && existsSync('/usr/bin/apt-get')
}
