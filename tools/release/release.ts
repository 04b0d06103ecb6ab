import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseServices, findServices, root } from '../../cli/services.ts'
import { buildPages } from '../build-ui.ts'
import { buildServices } from '../build.ts'
import { billOfMaterials } from './bill-of-materials.ts'
import { lockedClosure } from './locked-packages.ts'
import { chooseArchitectures } from './node-program.ts'
import { writePackages } from './packages.ts'
import { commitTime, writeSums } from './release-folder.ts'
import { runtimePackages } from './runtime-package.ts'

const { values } = parseArgs({
  options: {
    arch: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    to: { type: 'string', default: join(root, 'release') },
    // gzip is for trials: a tenth of the time, a third more space.
    compression: { type: 'string', default: 'xz' },
  },
})
const all = findServices()
const services = chooseServices(all, values.only ?? [])
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const release = values.to
const time = commitTime()
const architectures = chooseArchitectures(values.arch)

if (!buildPages(services) || !(await buildServices(services))) process.exit(1)
rmSync(release, { recursive: true, force: true })
const isComplete = services.length === all.length
const packages = { version, architectures, services, isComplete }
for (const { file, installed } of await writePackages(packages, { release, time, compression: readCompression() })) {
  const sizes = `${megabytes(statSync(file).size)} MB, installed ${megabytes(installed)} MB`
  process.stdout.write(`${basename(file).padEnd(40)} ${sizes}\n`)
}
const shipped = [
  ...architectures.flatMap(runtimePackages),
  ...lockedClosure(services.map(({ name }) => `services/${name}`)),
]
writeFileSync(join(release, 'sbom.cdx.json'), billOfMaterials(shipped, { version, time }))
writeSums(release)

function readCompression(): 'xz' | 'gzip' {
  const { compression } = values
  if (compression !== 'xz' && compression !== 'gzip') throw new Error(`--compression ${compression}: one of xz, gzip`)
  return compression
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
