import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { ServiceFolder } from './services.ts'

/** File in a built folder that holds the hash of the sources it was built from. */
export const stampName = '.built-from'

/** State of a service's web pages: none, missing, older than the sources, or built. */
export type PageState = 'none' | 'missing' | 'old' | 'built'

/** Compares the built web pages of a service with their sources. Takes a few milliseconds. */
export function readPageState(service: ServiceFolder): PageState {
  const folder = join(service.folder, 'ui')
  if (!existsSync(join(folder, 'vite.config.ts'))) return 'none'
  const stamp = join(folder, 'dist', stampName)
  if (!existsSync(join(folder, 'dist/index.html'))) return 'missing'
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashSources(service) ? 'built' : 'old'
}

/** One hash over everything the pages of a service are made of: its `ui` without the types of its API, the kit's, and the versions of all packages. */
export function hashSources(service: ServiceFolder): string {
  const repository = join(service.folder, '../..')
  const own = globSync('**/*', {
    cwd: join(service.folder, 'ui'),
    exclude: ['dist', 'dist/**', 'src/api*.gen.ts'],
    withFileTypes: true,
  })
  const kit = globSync('**/*', { cwd: join(repository, 'kits/ui'), exclude: ['node_modules'], withFileTypes: true })
  const files = [...own, ...kit].filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const hash = createHash('sha256').update(readFileSync(join(repository, 'package-lock.json')))
  for (const file of files.sort()) hash.update(relative(repository, file)).update(readFileSync(file))
  return hash.digest('hex')
}
