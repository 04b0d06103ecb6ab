import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
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
export function hashService({ folder }: ServiceFolder): string {
  const repository = join(folder, '../..')
  const own = globSync(['src/**/*', 'assets/*', 'package.json', `ui/dist/${stampName}`], {
    cwd: folder,
    withFileTypes: true,
  })
  const shared = globSync(['kits/*/src/**/*.ts', 'tools/build.ts'], {
    cwd: repository,
    exclude: ['kits/{testing,ui}/**'],
    withFileTypes: true,
  })
  const files = [...own, ...shared]
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
  const hash = createHash('sha256').update(readFileSync(join(repository, 'package-lock.json')))
  for (const file of files.sort()) hash.update(relative(repository, file)).update(readFileSync(file))
  return hash.digest('hex')
}
