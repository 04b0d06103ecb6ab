import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Packages } from './services.ts'

/** The packages of a list that are not installed, in the list's order; all of them where there is no Debian. */
export function missingPackages(packages: Packages): string[] {
  const names = Object.keys(packages)
  if (names.length === 0 || !isDebian()) return names
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', '${Package} ${Status}\n', ...names], { encoding: 'utf8' })
  const installed = new Set(
    stdout.split('\n').flatMap((line) => (line.endsWith(' install ok installed') ? [line.split(' ')[0]] : [])),
  )
  return names.filter((name) => !installed.has(name))
}

/** The installed version of a package, or undefined. */
export function installedVersion(name: string): string | undefined {
  if (!isDebian()) return undefined
  const { stdout, status } = spawnSync('dpkg-query', ['-W', '-f', '${Version}', name], { encoding: 'utf8' })
  return status === 0 && stdout !== '' ? stdout : undefined
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
  if (install(missing)) return
  aptGet(['update', '-qq'])
  if (!install(missing))
    process.stderr.write(`hearth: apt-get could not install ${missing.join(' ')}; going on without\n`)
}

function install(names: readonly string[]): boolean {
  return aptGet(['install', '-y', '-qq', '--no-install-recommends', ...names])
}

function aptGet(parameters: readonly string[]): boolean {
  const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const result = spawnSync('apt-get', ['-o', 'DPkg::Lock::Timeout=120', ...parameters], {
    env: environment,
    encoding: 'utf8',
    timeout: 600_000,
  })
  if (result.status !== 0 && parameters[0] === 'install') process.stderr.write(lastLines(result.stderr))
  return result.status === 0
}

function lastLines(text: string | null): string {
  return (text ?? '').split('\n').slice(-4).join('\n')
}

function isDebian(): boolean {
  return existsSync('/usr/bin/dpkg-query') && existsSync('/usr/bin/apt-get')
}
