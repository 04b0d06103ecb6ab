import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../cli/services.ts'

/** A package as the lockfile has it. `path` is its folder, relative to the root of the repository. */
export interface LockedPackage {
  readonly path: string
  readonly name: string
  readonly version: string
  readonly license: string
  readonly integrity: string | undefined
  readonly isWorkspace: boolean
}

interface Entry {
  name?: string
  version?: string
  license?: string
  integrity?: string
  link?: boolean
  resolved?: string
  dependencies?: Record<string, string>
}

const entries = (
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Readonly<Record<string, Entry>> }
).packages

/**
 * The packages at these paths of the lockfile and everything they depend on, sorted by path, as Node would find them. Types are
 * left out: nothing runs them.
 */
export function lockedClosure(paths: readonly string[]): LockedPackage[] {
  const found = new Map<string, LockedPackage>()
  const open = [...paths]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const entry = entries[path]
    if (entry === undefined) throw new Error(`the lockfile has no ${path}`)
    if (entry.link === true) {
      if (entry.resolved !== undefined) open.push(entry.resolved)
      continue
    }
    if (found.has(path)) continue
    found.set(path, describe(path, entry))
    for (const name of Object.keys(entry.dependencies ?? {})) {
      const place = name.startsWith('@types/') ? undefined : findFrom(path, name)
      if (place !== undefined) open.push(place)
    }
  }
  return [...found.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** True when the lockfile has a package at a path. */
export const isLocked = (path: string): boolean => path in entries

/** The package at one path of the lockfile. */
export function lockedPackage(path: string): LockedPackage {
  const entry = entries[path]
  if (entry === undefined) throw new Error(`the lockfile has no ${path}`)
  return describe(path, entry)
}

function describe(path: string, { name, version = '', license, integrity }: Entry): LockedPackage {
  const isWorkspace = !path.includes('node_modules/')
  const known = name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
  return { path, name: known, version, license: license ?? 'unknown', integrity, isWorkspace }
}

/** Where Node finds a package from within another: beside it, or in a folder further up. */
function findFrom(path: string, name: string): string | undefined {
  for (let folder = path; ; folder = folder.slice(0, Math.max(folder.lastIndexOf('/node_modules/'), 0))) {
    const place = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`
    if (place in entries && (entries[place]?.link === true || existsSync(join(root, place)))) return place
    if (folder === '') return undefined
  }
}
