import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashFiles, filesBelow } from './hash-files.ts'
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
export function hashSources({ folder, name }: ServiceFolder): string {
  const repository = join(folder, '../..')
  const files = [
    join(repository, 'package-lock.json'),
    ...filesBelow(join(folder, 'ui'), ['dist', 'node_modules']),
    ...filesBelow(join(repository, 'kits/ui'), ['node_modules']),
  ]
  const read = files.filter((file) => !/\/src\/api[^/]*\.gen\.ts$/.test(file))
  return hashFiles(read, { repository, name: `${name}-pages` })
}
