import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { builtFolder } from '../../cli/build-state.ts'
import type { ServiceFolder } from '../../cli/services.ts'
import { readWanted } from '../../cli/system-packages.ts'
import { stampName } from '../../cli/web-pages.ts'
import { noticesName } from '../build.ts'
import { copyFiles, writeText, type DebianPackage } from './debian-package.ts'
import { serviceScripts } from './maintainer-scripts.ts'
import type { Architecture } from './node-program.ts'
import { settingsFile } from './settings-file.ts'
import { moreUnits, unitText } from './unit.ts'

/** Puts together in `folder` the package of a service that is built. */
export function stageService(
  folder: string,
  service: ServiceFolder,
  { version, architecture }: { version: string; architecture: Architecture },
): DebianPackage {
  const { name, title } = service
  const home = join(folder, 'usr/lib/hearth')
  // No program reads the source maps, which are a third of a build.
  const isShipped = (path: string) => path !== noticesName && !path.endsWith(stampName) && !path.endsWith('.map')
  copyFiles(builtFolder(service), join(home, 'dist', name), isShipped)
  writeText(join(home, 'services', name, 'package.json'), readFileSync(join(service.folder, 'package.json')))
  const units = [[`hearth-${name}`, unitText(service)] as const, ...moreUnits(service)]
  for (const [unit, text] of units) writeText(join(folder, `usr/lib/systemd/system/${unit}.service`), text)
  writeText(join(folder, `etc/hearth/${name}.env`), settingsFile(service))
  const notices = readFileSync(join(builtFolder(service), noticesName))
  writeText(join(folder, `usr/share/doc/hearth-${name}/copyright`), notices)
  const wanted = Object.keys(service.systemPackages)
  const isExact = (text: string) => readWanted(text).least === undefined
  return {
    name: `hearth-${name}`,
    version,
    architecture,
    depends: [`hearth-runtime (= ${version})`, 'adduser', ...wanted.filter(isExact)],
    // A version that this Debian may not have must not keep the service from being installed.
    recommends: wanted.filter((text) => !isExact(text)),
    description: [`Hearth ${title}`, descriptionOf(service)],
    configurationFiles: [`/etc/hearth/${name}.env`],
    scripts: serviceScripts(service, version),
  }
}

function descriptionOf({ folder }: ServiceFolder): string {
  const { description } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { description: string }
  return `${description}.`
}
