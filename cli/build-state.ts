import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesBelow, hashFiles } from './hash-files.ts'
import { isInstalled } from './installation.ts'
import type { ServiceFolder } from './services.ts'
import { stampName } from './web-pages.ts'

/** Folder of a built service. */
export const builtFolder = ({ folder, name }: ServiceFolder): string => join(folder, '../../dist', name)

/** True when the build of a service exists and is as new as its sources. Takes a few milliseconds. */
export function isBuilt(service: ServiceFolder): boolean {
  const stamp = join(builtFolder(service), stampName)
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === hashService(service)
}

/** The file with the commands of a service: the built one while it is current or all there is, otherwise the source. */
export function commandsFile(service: ServiceFolder): string {
  return isInstalled(service) || isBuilt(service)
    ? join(builtFolder(service), 'commands.mjs')
    : join(service.folder, 'src/commands.ts')
}

/**
 * One hash over everything a build of a service is made of: its sources and pages, the kits, the build itself, and the
 * versions of all packages.
 */
export function hashService({ folder, name }: ServiceFolder): string {
  const repository = join(folder, '../..')
  const kits = join(repository, 'kits')
  const named = [
    join(repository, 'package-lock.json'),
    join(repository, 'tools/build.ts'),
    join(folder, 'package.json'),
    join(folder, 'ui/dist', stampName),
  ]
  const found = [
    ...filesBelow(join(folder, 'src')),
    ...filesBelow(join(folder, 'assets')),
    ...filesBelow(kits, ['node_modules', 'test', 'testing', 'ui']),
  ]
  const files = [...named.filter((file) => existsSync(file)), ...found.filter((file) => !file.endsWith('.test.ts'))]
  return hashFiles(files, { repository, name })
}
