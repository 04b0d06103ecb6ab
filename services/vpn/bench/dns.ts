import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { temporaryDirectory } from '@hearth/testing'
import { openLibc } from '../src/dns/sockets/libc.ts'
import { setThreadSlice, minSlice } from '../src/dns/sockets/thread-slice.ts'
import { measureChanges } from './dns/changes.ts'
import { prepareHearth, type PreparedHearth } from './dns/hearth.ts'
import { machineText, processTree } from './dns/machine.ts'
import { makeNames, type NameFiles } from './dns/names.ts'
import { report } from './dns/report.ts'
import {
  captureProgram,
  dnsdist,
  dnsmasq,
  nsd,
  unbound,
  unboundWithLog,
  type Server,
  type Setting,
} from './dns/servers.ts'
import { ports, runTrial, type Trial } from './dns/trial.ts'

/**
 * `npm run bench -- vpn/dns [--runs 5] [--domains 1000000] [--seconds 3] [--data FOLDER] [--only NAME,…]`: the whole service
 * beside unbound, dnsmasq and dnsdist, all with one list of a million names and one upstream, interleaved, medians; then once
 * with three times the names. `hearth-home` has ten thousand peers with a profile each, and as many local names. Server on core 0, generator and upstream on core 1. Needs root and Debian's nsd,
 * unbound, dnsmasq, dnsdist and fstrm-bin. A row counts only when a fifth of the answers is blocked and none is lost or failed.
 * Ends with 1 when a goal is missed or a row does not count.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    domains: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '3' },
    rate: { type: 'string', default: '5000' },
    data: { type: 'string', default: '/tmp/hearth-bench-dns' },
    only: { type: 'string', default: '' },
  },
})

/** Something that is started again and again. */
interface Contender {
  readonly name: string
  readonly server: Server
  readonly cores?: string
  readonly loadOnly?: boolean
  /** Queries a second of the paced window, when it is not `--rate`. */
  readonly rate?: number
}

/** Those of a run, and the service whose changes are measured. */
interface Field {
  readonly contenders: readonly Contender[]
  readonly logged: PreparedHearth | undefined
}

/** dnsmasq answers some 6,000 a second: at the others' pace it is all but full, and loses some. */
const dnsmasqRate = 3000

async function main(): Promise<boolean> {
  if (availableParallelism() < 2) throw new Error('this benchmark needs two cores')
  await using folder = await temporaryDirectory('bench-dns')
  const domains = Number(values.domains)
  const names = await makeNames(values.data, domains)
  const large = await makeNames(values.data, 3 * domains)
  const upstream = await startUpstream(join(folder.path, 'nsd'))
  try {
    const { contenders, logged } = await prepare(folder.path, names)
    const trials = await runAll(contenders, names, Number(values.runs))
    const changes = logged === undefined ? undefined : await measureChanges(logged, names)
    for (const [name, list] of await runAll(await prepareLarge(folder.path, large), large, 1)) trials.set(name, list)
    const title = `${values.domains} names, ${values.runs} runs, medians; on ${machineText()}`
    return report(title, trials, changes)
  } finally {
    upstream.kill('SIGTERM')
  }
}

async function startUpstream(work: string) {
  const { command } = await nsd(work, ports.upstream)
  const child = spawn('taskset', ['-c', '1', ...command], { stdio: 'ignore' })
  await pause(500)
  // It shares a core with the generator, which never rests: without short turns a fresh name would wait for that one's end.
  const libc = await openLibc()
  for (const pid of processTree(child.pid ?? 0)) setThreadSlice(libc, minSlice, pid)
  return child
}

const isWanted = (name: string): boolean => values.only === '' || values.only.split(',').includes(name)

const settingIn = (folder: string, name: string, { list }: NameFiles): Setting => ({
  list,
  work: join(folder, name),
  port: ports.server,
  upstream: ports.upstream,
})

async function prepare(folder: string, names: NameFiles): Promise<Field> {
  const setting = (name: string) => settingIn(folder, name, names)
  const contenders: Contender[] = []
  let logged: PreparedHearth | undefined
  if (isWanted('unbound')) contenders.push({ name: 'unbound', server: await unbound(setting('unbound')) })
  if (isWanted('unbound-log')) {
    if (!existsSync(captureProgram)) throw new Error(`there is no ${captureProgram}: install fstrm-bin`)
    contenders.push({ name: 'unbound-log', server: await unboundWithLog(setting('unbound-log')) })
  }
  if (isWanted('dnsmasq'))
    contenders.push({ name: 'dnsmasq', server: await dnsmasq(setting('dnsmasq')), rate: dnsmasqRate })
  if (isWanted('dnsdist')) contenders.push({ name: 'dnsdist', server: await dnsdist(setting('dnsdist')) })
  for (const [name, log, engine] of [
    ['hearth', 'none', 'ffi'],
    ['hearth-log', 'all', 'ffi'],
    ['hearth-dgram', 'none', 'dgram'],
  ] as const) {
    if (!isWanted(name)) continue
    const hearth = await prepareHearth(names.list, { folder: join(folder, name), log, engine })
    contenders.push({ name, server: hearth.server })
    if (name === 'hearth') contenders.push({ name: 'hearth-text', server: hearth.fromText, loadOnly: true })
    if (name === 'hearth' && isWanted('hearth-home')) {
      const options = { folder: join(folder, 'hearth-home'), log, engine, isFurnished: true }
      contenders.push({ name: 'hearth-home', server: (await prepareHearth(names.list, options)).server })
    }
    if (name !== 'hearth-log') continue
    contenders.push({ name: 'hearth-log-2', server: hearth.server, cores: '0,1' })
    logged = hearth
  }
  return { contenders, logged }
}

async function prepareLarge(folder: string, names: NameFiles): Promise<Contender[]> {
  const contenders: Contender[] = []
  if (isWanted('unbound-large')) {
    const server = await unbound(settingIn(folder, 'unbound-large', names))
    contenders.push({ name: 'unbound-large', server })
  }
  if (isWanted('hearth-large')) {
    const options = { folder: join(folder, 'hearth-large'), log: 'none', engine: 'ffi' } as const
    contenders.push({ name: 'hearth-large', server: (await prepareHearth(names.list, options)).server })
  }
  return contenders
}

async function runAll(contenders: readonly Contender[], names: NameFiles, runs: number): Promise<Map<string, Trial[]>> {
  const trials = new Map<string, Trial[]>(contenders.map(({ name }) => [name, []]))
  for (let run = 0; run < runs; run++) {
    for (const { name, server, cores = '0', loadOnly = false, rate = Number(values.rate) } of contenders) {
      const trial = await runTrial(server, { names, cores, loadOnly, seconds: Number(values.seconds), rate })
      trials.get(name)?.push(trial)
      process.stderr.write(`${run + 1} ${name} ${JSON.stringify(trial, rounded)}\n`)
    }
  }
  return trials
}

const rounded = (_key: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value)

process.exitCode = (await main()) ? 0 : 1
