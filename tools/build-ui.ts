import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findServices, root, type ServiceFolder } from '../cli/services.ts'
import { hashSources, stampName, readPageState } from '../cli/web-pages.ts'

const vite = join(root, 'node_modules/vite/bin/vite.js')

/** Builds the web pages of each service whose sources changed since they were built. Returns whether all are there. */
export function buildPages(services: readonly ServiceFolder[]): boolean {
  return services.map(buildService).every(Boolean)
}

function buildService(service: ServiceFolder): boolean {
  const folder = join(service.folder, 'ui')
  const state = readPageState(service)
  if (state === 'none' || state === 'built') return true
  const sources = hashSources(service)
  process.stderr.write(`hearth: building the web pages of ${service.name}\n`)
  // Built aside and moved in: a running service, or a second build, never meets half a set of pages.
  const fresh = join(root, `node_modules/.cache/pages/${service.name}-${process.pid}`)
  const args = [vite, 'build', '--logLevel', 'warn', '--outDir', fresh, '--emptyOutDir']
  const result = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    process.stderr.write(
      `${result.stdout}${result.stderr}hearth: the web pages of ${service.name} could not be built\n`,
    )
    return false
  }
  writeFileSync(join(fresh, stampName), sources)
  replaceFolder(join(folder, 'dist'), fresh)
  return true
}

/** Puts a folder in the place of another, or of none. */
export function replaceFolder(folder: string, by: string): void {
  const old = `${by}-old`
  mkdirSync(dirname(folder), { recursive: true })
  if (existsSync(folder)) renameSync(folder, old)
  renameSync(by, folder)
  rmSync(old, { recursive: true, force: true })
}

if (import.meta.main) process.exit(buildPages(findServices()) ? 0 : 1)
