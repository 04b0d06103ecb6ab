import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../cli/services.ts'
import { lockedPackage } from './locked-packages.ts'

/** Architectures that packages are made for, by Debian's names, with Node's. */
export const architectures = { amd64: 'x64', arm64: 'arm64' } as const

export type Architecture = keyof typeof architectures

/** Returns the architectures of these names, all when there are none. Throws for a name that is none of them. */
export function chooseArchitectures(names: readonly string[] = Object.keys(architectures)): Architecture[] {
  const unknown = names.find((name) => !Object.hasOwn(architectures, name))
  if (unknown !== undefined) throw new Error(`--arch ${unknown}: one of ${Object.keys(architectures).join(', ')}`)
  return names as Architecture[]
}

/**
 * Folder with the Node of the lockfile for an architecture. That of another machine is fetched from the registry, within two
 * minutes, and kept in `node_modules/.cache`; it must have the lockfile's checksum.
 */
export function provideNode(architecture: Architecture): string {
  const name = `node-linux-${architectures[architecture]}`
  const installed = join(root, 'node_modules', name)
  if (existsSync(join(installed, 'bin/node'))) return installed
  const { version, integrity } = lockedPackage(`node_modules/${name}`)
  const cache = join(root, 'node_modules/.cache/release')
  const kept = join(cache, `${name}-${version}`)
  if (existsSync(kept)) return kept
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'node-'))
  try {
    run('npm', ['pack', `${name}@${version}`, '--loglevel=error', '--pack-destination', fresh])
    const archive = join(fresh, `${name}-${version}.tgz`)
    const sum = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (sum !== integrity) throw new Error(`${name} ${version} from the registry is not the one of package-lock.json`)
    run('tar', ['-xzf', archive, '-C', fresh, 'package/bin/node', 'package/LICENSE'])
    renameSync(join(fresh, 'package'), kept)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return kept
}

function run(program: string, args: readonly string[]): void {
  const result = spawnSync(program, args, { cwd: root, encoding: 'utf8', timeout: 120_000 })
  if (result.status !== 0) throw new Error(`${program} ${args[0]}: ${result.error?.message ?? result.stderr}`)
}
