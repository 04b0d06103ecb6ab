import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
import { releaseObstacles } from './release-notes.ts'
import { runtimePackages } from './runtime-package.ts'
import { sizeLimits, sizeProblems, sizesOf } from './size-limits.ts'

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

const obstacles = releaseObstacles(version, readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
if (obstacles.length > 0) {
  process.stderr.write(`${obstacles.join('\n')}\n`)
  process.exit(1)
}
if (!buildPages(services) || !(await buildServices(services))) process.exit(1)
removeEarlier(release)
const isComplete = services.length === all.length
const packages = { version, architectures, services, isComplete }
const compression = readCompression()
const written = await writePackages(packages, { release, time, compression })
for (const { file, installed } of written) {
  const sizes = `${megabytes(statSync(file).size)} MB, installed ${megabytes(installed)} MB`
  process.stdout.write(`${basename(file).padEnd(40)} ${sizes}\n`)
}
const shipped = [
  ...architectures.flatMap(runtimePackages),
  ...lockedClosure(services.map(({ name }) => `services/${name}`)),
]
writeFileSync(join(release, 'sbom.cdx.json'), billOfMaterials(shipped, { version, time }))
writeSums(release, version)
// Quick compression is for trials.
const limits = compression === 'xz' ? sizeLimits : { installed: sizeLimits.installed }
const problems = sizeProblems(sizesOf(written), limits)
for (const problem of problems) process.stderr.write(`${problem}\n`)
if (problems.length > 0) process.exitCode = 1

/** Removes the packages of an earlier release and what lies beside them; images stay. */
function removeEarlier(folder: string): void {
  for (const file of globSync(['hearth*.deb', 'sbom.cdx.json', 'SHA256SUMS'], { cwd: folder }))
    rmSync(join(folder, file))
}

function readCompression(): 'xz' | 'gzip' {
  const { compression } = values
  if (compression !== 'xz' && compression !== 'gzip') throw new Error(`--compression ${compression}: one of xz, gzip`)
  return compression
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
