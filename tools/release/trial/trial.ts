import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chooseServices, findServices, root, type ServiceFolder } from '../../../cli/services.ts'
import { buildPages } from '../../build-ui.ts'
import { buildServices } from '../../build.ts'
import { findObstacle, openTrialBase } from './root.ts'
import { filterOf, loadFilter, notTried } from './sandbox.ts'
import { tryKilledUpgrades } from './killed-upgrades.ts'
import { packageFiles, tryAlone, tryTogether } from './scenario.ts'
import { writeVersions } from './versions.ts'

/** Tries the packages in fresh Debians: each service alone, and all of them with upgrades and the way back. */
async function runTrial(services: readonly ServiceFolder[], signal: AbortSignal): Promise<boolean> {
  const isComplete = services.length === findServices().length
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const folder = mkdtempSync(join(tmpdir(), 'hearth-packages-'))
  using cleanup = new DisposableStack()
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  const packages = join(folder, 'packages')
  const versions = await timed('packages of three versions', () =>
    writeVersions({ version, services, isComplete }, packages),
  )
  const trial = join(folder, 'trial')
  layOut(trial, services)
  const names = ['hearth-runtime', ...services.map(({ name }) => `hearth-${name}`)]
  const first = packageFiles('current', names)
  const base = cleanup.use(await timed('a fresh Debian', () => openTrialBase({ packages, trial, first }, signal)))
  const trials = services.map(
    (service) => [service.name, () => tryAlone(base.openRoot(service.name), service)] as const,
  )
  const together = ['all, upgrade, way back', () => tryTogether(base.openRoot('all'), services, versions)] as const
  const seed = Number(process.env['TRIAL_SEED'] ?? 20_261_121)
  const killed = services
    .filter(({ name }) => name === 'inverter')
    .map(
      (service) =>
        [
          `upgrades killed at ten places of seed ${seed}`,
          () => tryKilledUpgrades(base.openRoot('killed'), { service, seed }, versions),
        ] as const,
    )
  // The longest first; two at a time are as many as there are processors on a small machine.
  const waiting = [...(isComplete ? [together] : []), ...killed, ...trials]
  const results: boolean[] = []
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) results.push(await passes(...next))
  }
  await Promise.all([work(), work()])
  return results.every(Boolean)
}

/** Puts together what the roots get as `/trial`. */
function layOut(folder: string, services: readonly ServiceFolder[]): void {
  mkdirSync(folder, { recursive: true })
  cpSync(join(import.meta.dirname, 'actions'), join(folder, 'actions'), { recursive: true })
  const older = join(root, 'services/inverter/test/older-data')
  for (const name of ['data.tar.gz', 'recorded.json']) cpSync(join(older, name), join(folder, 'older', name))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  writeFileSync(join(folder, 'load-filter.pl'), loadFilter)
  for (const service of services) {
    const filter = filterOf(service)
    if (typeof filter === 'string') process.stdout.write(`the filter of system calls is not tried: ${filter}\n`)
    else writeFileSync(join(folder, `${service.name}.filter`), filter)
  }
  process.stdout.write(`of the units not tried: ${notTried}\n`)
}

/** Runs a part, prints how long it took, or why it failed. */
async function passes(what: string, work: () => Promise<unknown>): Promise<boolean> {
  try {
    await timed(what, work)
    return true
  } catch (error) {
    process.stdout.write(`✖ ${what}: ${textOf(error)}\n`)
    return false
  }
}

/** The message of an error with those of its causes. */
function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : `${error.message}: ${textOf(error.cause)}`
}

async function timed<T>(what: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  const result = await work()
  process.stdout.write(`✔ ${what} (${((performance.now() - began) / 1000).toFixed(0)} s)\n`)
  return result
}

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, 'if-possible': { type: 'boolean', default: false } },
})
const obstacle = findObstacle()
if (obstacle !== undefined) {
  process.stdout.write(`the packages are not tried: ${obstacle}\n`)
  process.exit(values['if-possible'] ? 0 : 1)
}
const services = chooseServices(findServices(), values.only ?? [])
if (!buildPages(services) || !(await buildServices(services))) process.exit(1)
const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interruption.abort())
const began = performance.now()
const isWell = await runTrial(services, interruption.signal).catch((error: unknown) => {
  process.stdout.write(`✖ ${textOf(error)}\n`)
  return false
})
const seconds = Math.round((performance.now() - began) / 1000)
process.stdout.write(`the trial of the packages took ${seconds} s; 360 are wanted on a quiet machine\n`)
process.exitCode = isWell ? 0 : 1
