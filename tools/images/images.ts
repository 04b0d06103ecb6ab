import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseServices, findServices, root, type ServiceFolder } from '../../cli/services.ts'
import { OperatorError } from '@hearth/runtime/operator-error'
import { buildPages } from '../build-ui.ts'
import { buildServices } from '../build.ts'
import { commitTime, writeSums } from '../release/release-folder.ts'
import { chooseArchitectures, type Architecture } from '../release/node-program.ts'
import { unpackDebian } from './debian-base.ts'
import { stageHearth } from './hearth-layer.ts'
import { imageConfig } from './image-config.ts'
import { imageContents, suite } from './image-contents.ts'
import { packLayer } from './layer.ts'
import { writeOciArchive } from './oci-archive.ts'

const { values } = parseArgs({
  options: {
    arch: { type: 'string', multiple: true },
    only: { type: 'string', multiple: true },
    to: { type: 'string', default: join(root, 'release') },
  },
})
const services = chooseServices(findServices(), values.only ?? [])
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const build = { version, revision: readRevision(), time: commitTime() }
const cache = join(root, 'node_modules/.cache')

if (process.getuid?.() !== 0) throw new OperatorError('images are made by root: their files belong to several users')
if (!buildPages(services) || !(await buildServices(services))) process.exit(1)
process.umask(0o022)
for (const folder of [values.to, cache]) mkdirSync(folder, { recursive: true })
for (const architecture of chooseArchitectures(values.arch))
  for (const service of services) await writeImage(service, architecture)
cpSync(join(root, 'docs/compose.yaml'), join(values.to, 'compose.yaml'))
writeSums(values.to, version)

/** Makes the image of a service and prints its sizes. */
async function writeImage(service: ServiceFolder, architecture: Architecture): Promise<void> {
  const work = mkdtempSync(join(cache, 'image-'))
  try {
    const contents = imageContents(service)
    const [base, hearth] = [join(work, 'base'), join(work, 'hearth')]
    for (const folder of [base, hearth]) mkdirSync(folder)
    unpackDebian(contents, architecture, base)
    await stageHearth(hearth, { contents, base }, { version, architecture })
    const pack = (folder: string, purpose: string) =>
      packLayer(folder, `${folder}.layer`, { time: build.time, purpose })
    const layers = [await pack(base, `Debian ${suite}`), await pack(hearth, `Hearth ${version}`)]
    const file = join(values.to, `hearth-${service.name}_${version}_${architecture}.oci.tar`)
    const config = imageConfig(contents, layers, { ...build, architecture })
    writeOciArchive({ name: `hearth-${service.name}:${version}`, config, layers, time: build.time }, file)
    const unpacked = layers.reduce((sum, { unpackedBytes }) => sum + unpackedBytes, 0)
    const sizes = `${megabytes(statSync(file).size)} MB, unpacked ${megabytes(unpacked)} MB`
    process.stdout.write(`${basename(file).padEnd(40)} ${sizes}\n`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function readRevision(): string {
  const { stdout, status } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : 'unknown'
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1)
}
