import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setTimeout as pause } from 'node:timers/promises'
import { temporaryDirectory, type FootprintSubject, type ProcessMemory } from '@hearth/testing'
import { chooseServices, findServices } from '../../cli/services.ts'
import { buildServices } from '../build.ts'
import { measurePeers } from './footprint/peers.ts'
import { startMeasured, useForAnHour, type MeasuredService } from './footprint/measured-service.ts'

/*
 * `npm run bench -- footprint [--idle SECONDS] [services…]`: memory and time to the first answer of each service as built: fresh
 * and idle, all side by side; after an hour's worth of use; with large data; beside Caddy and unbound. Ends with 1 when a limit
 * is missed.
 */

/** Memory of all services and the resolver together, side by side and idle, MiB. */
const allTogether = 320
/** Time to the first answer on one core, milliseconds. */
const firstAnswer = 600
const starts = 5

const { values, positionals } = parseArgs({
  options: { idle: { type: 'string', default: '60' } },
  allowPositionals: true,
})
const idleMs = Number(values.idle) * 1000

interface Line {
  readonly what: string
  readonly memory?: ProcessMemory
  readonly startMs?: number
  /** What was measured against its limit. */
  readonly verdict?: { readonly value: number; readonly limit: number; readonly unit: string }
}

interface Running {
  readonly subject: FootprintSubject
  readonly folder: string
  readonly service: MeasuredService
}

async function main(): Promise<boolean> {
  await using folder = await temporaryDirectory('footprint')
  const subjects = await loadSubjects()
  await using started = new AsyncDisposableStack()
  const running: Running[] = []
  for (const subject of subjects) {
    const path = join(folder.path, subject.service)
    running.push({ subject, folder: path, service: started.use(await startMeasured(subject, path)) })
  }
  const idle = await measureIdle(running)
  const lines = [...idle.lines]
  for (const each of running) lines.push(...(await measureUse(each)))
  for (const each of running) lines.push(await measureStart(each), ...(await measureBeside(each)))
  for (const each of running) lines.push(...(await measureLarge(each, idle.rss.get(each.subject.service) ?? 0)))
  lines.push(...(await measurePeers(folder.path, idleMs)))
  process.stdout.write(tableOf(lines))
  return lines.every(({ verdict }) => verdict === undefined || verdict.value <= verdict.limit)
}

async function loadSubjects(): Promise<FootprintSubject[]> {
  const services = chooseServices(findServices(), positionals)
  // A build that is older than the sources would not be what runs.
  if (!(await buildServices(services))) throw new Error('a service could not be built')
  const subjects: FootprintSubject[] = []
  for (const { folder } of services)
    subjects.push(
      ((await import(join(folder, 'bench/scenario/footprint.ts'))) as { subject: FootprintSubject }).subject,
    )
  return subjects
}

async function measureIdle(running: readonly Running[]): Promise<{ lines: Line[]; rss: Map<string, number> }> {
  await pause(idleMs)
  const lines: Line[] = []
  const rss = new Map<string, number>()
  for (const { subject, service } of running) {
    for (const [name, memory] of await service.memory()) {
      const limit = name === 'resolver' ? subject.limits.resolver : subject.limits.service
      rss.set(name, memory.rss)
      lines.push({ what: `${name}, idle`, memory, ...pssWithin(memory, limit) })
    }
  }
  const sum = lines.reduce((total, { memory }) => total + (memory?.pss ?? 0), 0)
  if (running.length === findServices().length)
    lines.push({ what: 'all together, idle', verdict: { value: sum, limit: allTogether, unit: 'MiB PSS' } })
  return { lines, rss }
}

const pssWithin = ({ pss }: ProcessMemory, limit: number | undefined): Pick<Line, 'verdict'> =>
  limit === undefined ? {} : { verdict: { value: pss, limit, unit: 'MiB PSS' } }

async function measureUse({ subject, folder, service }: Running): Promise<Line[]> {
  await subject.signIn(service.visitor, folder)
  await useForAnHour(service, subject)
  await pause(idleMs / 4)
  const lines = [...(await service.memory())].map(([name, memory]) => ({
    what: `${name}, after an hour's use`,
    memory,
  }))
  await service.stop()
  return lines
}

async function measureStart({ subject, folder }: Running): Promise<Line> {
  const times: number[] = []
  for (let round = 0; round < starts; round += 1) {
    await using service = await startMeasured(subject, folder, 0)
    times.push(service.startMs)
  }
  return startLine(subject.service, times, firstAnswer)
}

async function measureBeside({ subject: { beside } }: Running): Promise<Line[]> {
  return beside === undefined ? [] : [startLine(beside.name, await beside.timeStarts(0, starts), beside.limitMs)]
}

function startLine(name: string, times: readonly number[], limit: number): Line {
  const startMs = times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.NaN
  return { what: `${name}, first answer on one core`, startMs, verdict: { value: startMs, limit, unit: 'ms' } }
}

async function measureLarge({ subject, folder }: Running, idleRss: number): Promise<Line[]> {
  const { large } = subject
  if (large === undefined) return []
  await large.fill(folder)
  await using service = await startMeasured(subject, folder)
  await pause(idleMs)
  const memories = await service.memory()
  return [...memories].map(([name, memory]) => {
    const what = `${name}, ${large.name}`
    if (name !== subject.service || large.limit === undefined) return { what, memory }
    const { rss, isAboveIdle } = large.limit
    const value = memory.rss - (isAboveIdle ? idleRss : 0)
    return { what, memory, verdict: { value, limit: rss, unit: isAboveIdle ? 'MiB RSS above idle' : 'MiB RSS' } }
  })
}

function tableOf(lines: readonly Line[]): string {
  const width = Math.max(...lines.map(({ what }) => what.length))
  const cell = (value: number | undefined) => (value === undefined ? '' : value.toFixed(0)).padStart(8)
  const rows = lines.map(({ what, memory, startMs, verdict }) => {
    const numbers = [memory?.rss, memory?.pss, memory?.private, startMs].map(cell).join('')
    if (verdict === undefined) return `${what.padEnd(width)}${numbers}`
    const { value, limit, unit } = verdict
    return `${what.padEnd(width)}${numbers}  ${value.toFixed(0)} of ${limit} ${unit}: ${value <= limit ? 'met' : 'missed'}`
  })
  const head = ['RSS', 'PSS', 'private', 'ms'].map((word) => word.padStart(8)).join('')
  return `${''.padEnd(width)}${head}\n${rows.join('\n')}\n`
}

process.exitCode = (await main()) ? 0 : 1
