import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseServices, findServices, root } from '../../cli/services.ts'
import { buildPages } from '../build-ui.ts'
import { buildServices } from '../build.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { writeDebianPackage, type DebianPackage } from './debian-package.ts'
import { lockedClosure } from './locked-packages.ts'
import { chooseArchitectures } from './node-program.ts'
import { commitTime, writeSums } from './release-folder.ts'
import { runtimePackages, stageAll, stageRuntime } from './runtime-package.ts'
import { stageService } from './service-package.ts'

const { values } = parseArgs({
  options: {
    arch: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    to: { type: 'string', default: join(root, 'release') },
  },
})
const all = findServices()
const services = chooseServices(all, values.only ?? [])
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const release = values.to
const time = commitTime()
const chosen = chooseArchitectures(values.arch)

if (!buildPages(services) || !(await buildServices(services))) process.exit(1)
rmSync(release, { recursive: true, force: true })
mkdirSync(release, { recursive: true })
for (const architecture of chosen) {
  await write((folder) => stageRuntime(folder, version, architecture))
  for (const service of services) await write((folder) => stageService(folder, service, { version, architecture }))
}
if (services.length === all.length) {
  const names = services.map(({ name }) => name)
  await write((folder) => stageAll(folder, version, names))
}
const shipped = [...chosen.flatMap(runtimePackages), ...lockedClosure(services.map(({ name }) => `services/${name}`))]
writeFileSync(join(release, 'sbom.cdx.json'), billOfMaterials(shipped, { version, time }))
writeSums(release)

/** Stages one package in a folder of its own, packs it and prints its sizes. */
async function write(stage: (folder: string) => DebianPackage | Promise<DebianPackage>): Promise<void> {
  const cache = join(root, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'package-'))
  try {
    const { file, installed } = writeDebianPackage(await stage(folder), folder, { release, time })
    const sizes = `${megabytes(statSync(file).size)} MB, installed ${megabytes(installed)} MB`
    process.stdout.write(`${basename(file).padEnd(40)} ${sizes}\n`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
