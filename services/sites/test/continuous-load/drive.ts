import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort, startServiceProcess, temporaryDirectory, type ServiceProcess } from '@hearth/testing'
import { createBrowser, type Browser } from '../browser.ts'
import { askHost, makeSite, sayingSite } from '../served.ts'
import type { Site } from '../../src/sites/schema.ts'
import { settleNetwork } from './own-network.ts'
import { createRandomEdits, type EditReport, type RandomEdits } from './random-edits.ts'
import { startLoad, type LoadReport } from './steady-load.ts'

/** Totals of the run. */
export interface DriveReport {
  readonly seed: number
  readonly load: LoadReport
  readonly edits: EditReport
  /** Configurations that Caddy took. */
  readonly revisions: number
  /** The process of Caddy, before the service was killed and after it was started again. */
  readonly caddy: readonly [number, number]
  /** Sites that are not served as the list has them, in words. */
  readonly untrue: readonly string[]
}

const editCount = 200
/** Edits that are made at the same time. */
const together = 8
const password = 'tall-giraffe-on-ice-7'

/**
 * Runs the service as an operator does, with a Caddy of its own: sites nobody edits are asked for without a pause while 200
 * edits are made, and while the service is killed after half of them.
 */
export async function drive(seed: number): Promise<DriveReport> {
  await using cleanup = new AsyncDisposableStack()
  const folder = cleanup.use(await temporaryDirectory('load'))
  const data = join(folder.path, 'data')
  const port = await freePort()
  const environment = {
    DATA_DIR: data,
    TRUSTED_PROXIES: '127.0.0.1',
    CADDY_HTTP_PORT: String(port),
    CADDY_HTTPS_PORT: String(await freePort()),
  }
  let service: ServiceProcess = await startServiceProcess('sites', environment)
  // A service that is killed leaves its Caddy behind, so that it must be asked to stop.
  cleanup.defer(async () => void (await service.stop()))
  const origin = cleanup.adopt(await startOrigin(), (server) => void server.close())
  const admin = createBrowser(() => service.url)
  await setUp(admin, data)
  const caddyBefore = await caddyPid(data)
  const load = startLoad(await makeTargets(admin, { port, origin: (origin.address() as AddressInfo).port }))
  const edits = await createRandomEdits(admin, seed)
  await editUntil(edits, editCount / 2)
  const cut = Promise.allSettled(Array.from({ length: together }, () => edits.next()))
  await pause(300)
  await service.kill()
  await cut
  service = await startServiceProcess('sites', environment)
  await editUntil(edits, editCount)
  const report = await load.stop()
  const revisions = Number((await admin.call('GET', '/api/revisions?limit=1')).headers.get('x-total-count'))
  return {
    seed,
    load: report,
    edits: edits.report(),
    revisions,
    caddy: [caddyBefore, await caddyPid(data)],
    untrue: await findUntrue(admin, port),
  }
}

async function editUntil(edits: RandomEdits, count: number): Promise<void> {
  const worker = async () => {
    while (edits.count < count) await edits.next()
  }
  await Promise.all(Array.from({ length: together }, worker))
}

async function setUp(admin: Browser, data: string): Promise<void> {
  const token = (await readFile(join(data, 'setup-token'), 'utf8')).trim()
  const { status } = await admin.json('POST', '/api/setup', { json: { token, username: 'admin', password } })
  if (status !== 200) throw new Error(`setting up answered ${status}`)
  await admin.json('PATCH', '/api/v1/settings', { json: { allow_raw: true } })
}

const caddyPid = async (data: string) => Number(await readFile(join(data, 'caddy/caddy.pid'), 'utf8'))

/** The sites that are never edited, and what they answer. */
async function makeTargets(admin: Browser, { port, origin }: { port: number; origin: number }) {
  const proxied = (name: string) => ({
    site_name: name,
    domains: [`${name}.test`],
    tls: { mode: 'off' },
    upstreams: [{ url: `http://127.0.0.1:${origin}` }],
  })
  const texts = ['still-one', 'still-two']
  for (const name of texts) await makeSite(admin, sayingSite(name, `I am ${name}`))
  await makeSite(admin, proxied('still-proxied'))
  await makeSite(admin, { ...proxied('still-slow'), timeouts: { flush: 'immediate' } })
  const at = (name: string, path: string, body: string) => ({ port, host: `${name}.test`, path, body })
  return {
    fresh: [...texts.map((name) => at(name, '/', `I am ${name}`)), at('still-proxied', '/page', page)],
    kept: at('still-proxied', '/page', page),
    slow: at('still-slow', '/slow', slowPart.repeat(slowParts)),
  }
}

const page = 'a page of the origin '.repeat(200)
const slowPart = 'drop by drop '.repeat(100)
const slowParts = 40

/** A page that comes at once, and one that takes four seconds. */
async function startOrigin(): Promise<Server> {
  const server = createServer((incoming, answer) => {
    if (incoming.url !== '/slow') {
      answer.end(page)
      return
    }
    void (async () => {
      for (let part = 0; part < slowParts; part++) {
        answer.write(slowPart)
        await pause(100)
      }
      answer.end()
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Asks every site whether it answers what the list says of it. */
async function findUntrue(admin: Browser, port: number): Promise<string[]> {
  const { body: sites } = await admin.json<Site[]>('GET', '/api/sites?limit=1000')
  const words: string[] = []
  for (const site of sites.filter(({ kind }) => kind === 'respond')) {
    const { status, text } = await askHost(port, site.domains[0] ?? '')
    const isTrue = site.enabled ? status === 200 && text === site.respond?.body : status === 404
    const isSettled = site.apply_state === (site.enabled ? 'applied' : 'disabled')
    if (!isTrue || !isSettled) words.push(`${site.site_name} is ${site.apply_state} and answers ${status} ${text}`)
  }
  return words
}

if (import.meta.main) {
  const [, , seed, network] = process.argv
  if (network === 'own-network') await settleNetwork()
  process.stdout.write(`${JSON.stringify(await drive(Number(seed)))}\n`)
}
