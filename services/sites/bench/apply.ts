import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { compileConfig } from '../src/caddy/compile.ts'
import type { AdminClient } from '../src/deploy/nodes/admin-client.ts'
import type { Browser, Sites } from '../test/in-process.ts'
import { askHost, sayingSite, type EditAnswer } from '../test/served.ts'
import { startWithSites } from './many-sites.ts'

/**
 * `npm run bench -- sites/apply`: what changes cost with 100, 1,000 and 5,000 sites. The limits that count: how much longer an
 * edit takes than Caddy needs to load the same configuration, beside the quarter of a second in which edits are collected; and,
 * with 5,000 sites, the time of compiling.
 */
const ratioLimits: Readonly<Record<number, number>> = { 1000: 1.5, 5000: 1.25 }
const compileLimitMs = 30
const sizes = process.argv[2] === undefined ? [100, 1000, 5000] : [Number(process.argv[2])]
const quietMs = 250

const origin = createServer((_incoming, answer) => answer.end('origin'))
origin.listen(0, '127.0.0.1')
await once(origin, 'listening')
const upstream = `http://127.0.0.1:${(origin.address() as AddressInfo).port}`

const say = (name: string, text: string): void => void process.stdout.write(`  ${name.padEnd(34)} ${text}\n`)
const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 0)} ms`
const sorted = (values: readonly number[]) => values.toSorted((one, other) => one - other)
const at = (values: readonly number[], share: number) =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN
const median = (values: readonly number[]) => at(values, 0.5)

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

async function repeat(times: number, work: (round: number) => Promise<number>): Promise<number[]> {
  const found: number[] = []
  for (let round = 0; round < times; round += 1) found.push(await work(round))
  return found
}

/** Returns true when the limits hold. */
async function benchSize(size: number): Promise<boolean> {
  process.stdout.write(`${size.toLocaleString('en-US')} sites\n`)
  const begin = performance.now()
  await using started = await startWithSites(size, upstream)
  const { sites } = started
  say('start until all are served', ms(performance.now() - begin))
  const admin = await sites.signIn()
  await admin.call('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
  await pause(1000)
  const compileMs = await benchCompile(sites)
  await benchCreate(sites, admin)
  await benchRefusal(admin)
  await benchRapid(admin, size)
  await benchReturn(admin)
  await benchReading(sites, admin, size)
  const ratio = await benchRatio(sites, admin, size)
  return ratio <= (ratioLimits[size] ?? Infinity) && (size !== 5000 || compileMs <= compileLimitMs)
}

async function benchCompile({ service }: Sites): Promise<number> {
  const { deploy } = service.app
  const node = await deploy.nodes.get(1)
  if (node === undefined) throw new Error('there is no Caddy')
  const desired = deploy.desiredState(await deploy.desired())
  const times = await repeat(9, () => timed(() => Promise.resolve(compileConfig(desired, node.place))))
  say('compile', `${ms(median(times))}, limit ${compileLimitMs} ms at 5,000 sites`)
  return median(times)
}

/** From sending a new site to its first answer. */
async function benchCreate(sites: Sites, admin: Browser): Promise<void> {
  const [port] = sites.caddyPorts
  const served = await repeat(12, (round) =>
    timed(async () => {
      await admin.call('POST', '/api/sites', { json: sayingSite(`fresh-${round}`, `fresh ${round}`) })
      const { text } = await askHost(port, `fresh-${round}.test`)
      if (text !== `fresh ${round}`) throw new Error(`a new site answers ${text}`)
    }),
  )
  say('create until served, p50 and p95', `${ms(median(served))}, ${ms(at(served, 0.95))}`)
}

async function rename(admin: Browser, id: number, value: string): Promise<void> {
  const json = { response_headers: [{ op: 'set', name: 'X-Site', value }] }
  const { status } = await admin.call('PATCH', `/api/sites/${id}`, { json })
  if (status !== 200) throw new Error(`an edit was answered ${status}`)
}

async function benchRefusal(admin: Browser): Promise<void> {
  const json = {
    ...sayingSite('refused', ''),
    kind: 'raw',
    raw_directives: '@odd header_regexp X-Test ([\nrespond @odd hello',
  }
  const times = await repeat(5, () =>
    timed(async () => {
      const { status, body } = await admin.json<EditAnswer>('POST', '/api/sites', { json })
      if (status !== 422 || body.code !== 'site_refused') throw new Error(`answered ${status} ${body.code}`)
    }),
  )
  say('edit that Caddy refuses', ms(median(times)))
}

const revisionCount = async (admin: Browser) =>
  Number((await admin.call('GET', '/api/revisions?limit=1')).headers.get('x-total-count'))

async function benchRapid(admin: Browser, size: number): Promise<void> {
  const before = await revisionCount(admin)
  const took = await timed(() =>
    Promise.all(Array.from({ length: 50 }, (_, index) => rename(admin, 1 + ((index * 2) % size), `rapid ${index}`))),
  )
  const loads = (await revisionCount(admin)) - before
  say('50 edits at once', `${loads} loads, ${ms(took)}`)
}

async function benchReturn(admin: Browser): Promise<void> {
  const newest = await admin.json<{ id: number }[]>('GET', '/api/revisions?limit=2')
  const before = newest.body[1]?.id ?? 1
  const took = await timed(async () => {
    const { status } = await admin.call('POST', `/api/revisions/${before}/return`)
    if (status !== 200) throw new Error(`returning answered ${status}`)
  })
  say('return to the revision before', ms(took))
}

async function benchReading(sites: Sites, admin: Browser, size: number): Promise<void> {
  const [port] = sites.caddyPorts
  const ask = (name: string) => repeat(150, () => timed(() => askHost(port, name)))
  const [first, last] = [`s1.test`, `s${size}.test`]
  await ask(last)
  const [slow, quick] = [median(await ask(last)), median(await ask(first))]
  say('request of the last and first site', `${ms(slow)}, ${ms(quick)}; ${ms(slow - quick)} more`)
  const pages = await repeat(9, () => timed(() => admin.json('GET', `/api/sites?limit=100&offset=${size / 2}`)))
  say('page of 100 sites', ms(median(pages)))
  const search = await repeat(9, () => timed(() => admin.json('GET', '/api/sites?limit=100&search=ordinary-9')))
  say('page of a search', ms(median(search)))
  say('memory of this process', `${Math.round(process.memoryUsage().rss / 1e6)} MB`)
}

/**
 * Edits and bare loads in turn, each after the same pause. A bare load sends a configuration as large as what runs and then
 * what ran, so that nothing drifts.
 */
async function benchRatio({ service }: Sites, admin: Browser, size: number): Promise<number> {
  const node = await service.app.deploy.nodes.get(1)
  if (node === undefined) throw new Error('there is no Caddy')
  const edits: number[] = []
  const loads: number[] = []
  for (let round = 0; round < 12; round += 1) {
    await pause(quietMs)
    edits.push(await timed(() => rename(admin, 1 + Math.floor(size / 2), `round ${round}`)))
    const { config } = await node.client.readConfig()
    const other = structuredClone(config) as { apps: { http: { grace_period: string } } }
    other.apps.http.grace_period = '61s'
    for (const one of [other, config as object]) {
      await pause(quietMs)
      loads.push(await timed(() => load(node.client, one)))
    }
  }
  const ratio = (median(edits) - quietMs) / median(loads)
  say('edit until answered', ms(median(edits)))
  say('bare POST of the same JSON', ms(median(loads)))
  say('edit beside the wait, to bare POST', `${ratio.toFixed(2)}, limit ${ratioLimits[size] ?? 'none'}`)
  return ratio
}

async function load(client: AdminClient, config: object): Promise<void> {
  const { kind } = await client.replaceConfig(config, undefined)
  if (kind !== 'accepted') throw new Error(`a bare load was ${kind}`)
}

let isGood = true
for (const size of sizes) {
  if (!(await benchSize(size))) isGood = false
}
origin.close()
process.exitCode = isGood ? 0 : 1
