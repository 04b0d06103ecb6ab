import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import { startServiceProcess } from '@hearth/testing'
import { execa } from 'execa'
import { resolverFile } from '../../src/dns/resolver-files.ts'
import { addManyPeers } from '../scenario/many-peers.ts'
import { ports } from './trial.ts'
import type { Server } from './servers.ts'

const benchInterface = 'wgb'
/** Peers and local names of a furnished service. */
const furnished = 10_000

const commandLine = join(import.meta.dirname, '../../../../cli/hearth.mjs')

/** Settings of the service under test. */
export interface HearthOptions {
  readonly folder: string
  readonly log: 'all' | 'none'
  readonly engine: 'ffi' | 'dgram'
  /** Ten thousand peers with a profile each, and as many local names; the queries are those of one of these peers. */
  readonly isFurnished?: boolean
}

/** A service with its lists in place, to be started again and again, and how to reach it. */
export interface PreparedHearth {
  readonly server: Server
  /** The same, but started without what it compiled: from the lists' texts. */
  readonly fromText: Server
  /** The file of its query log. */
  readonly queryLog: string
  readonly token: string
  readonly url: string
}

/**
 * Sets a service up as an operator does, over its API: the lists come from a server on loopback, queries on loopback are
 * taken. Everything a service does is on: API, pages, sampling, statistics.
 */
export async function prepareHearth(list: string, options: HearthOptions): Promise<PreparedHearth> {
  const data = join(options.folder, 'data')
  const environment = {
    DATA_DIR: data,
    BIND_PORT: '8191',
    WIREGUARD_BACKEND: 'simulated',
    DNS_LISTEN: `127.0.0.1:${ports.server}`,
    DNS_UPSTREAMS: `udp://127.0.0.1:${ports.upstream}`,
    DNS_ENGINE: options.engine,
    OUTBOUND_ALLOW: '127.0.0.1',
    RATE_LIMIT_EXEMPT: '127.0.0.1',
    LOG_LEVEL: 'error',
  }
  const words = ['vpn', 'token', 'create', '--user', 'admin', '--name', 'bench', '--permissions', 'full']
  const { stdout } = await execa(process.execPath, [commandLine, ...words], { env: environment })
  const token = stdout.trim()
  const url = 'http://127.0.0.1:8191'
  await using lists = await serveParts(list)
  {
    await using service = await startServiceProcess('vpn', environment)
    void service
    const call = caller(url, token)
    await call('PUT', '/api/dns/settings', { query_log: options.log, blocklists_update_interval_hours: 0 })
    for (const { id, enabled } of await call('GET', '/api/dns/blocklists'))
      if (enabled) await call('PUT', `/api/dns/blocklists/${id}`, { enabled: false })
    for (const [index, address] of lists.addresses.entries())
      await call('POST', '/api/dns/blocklists', { name: `Part ${index + 1}`, url: address, format: 'domains' })
    for (;;) {
      const { status, lists: states } = await call('POST', '/api/dns/blocklists/update')
      const failed = states.find((each: { error: string | null }) => each.error !== null)
      if (failed !== undefined) throw new Error(failed.error)
      if (status === 'done') break
    }
  }
  if (options.isFurnished === true) await furnish(data, environment, caller(url, token))
  const table = join(data, 'dns', resolverFile.bundle)
  const client = options.isFurnished === true ? { DNS_LISTEN_CLIENT: `phone ${benchInterface} 0` } : {}
  const command = [process.execPath, commandLine, 'vpn', 'serve']
  const server: Server = { command, environment: { ...environment, ...client }, table }
  const fromText = { ...server, prepare: () => rm(table, { force: true }) }
  return { server, fromText, queryLog: join(data, 'dns', resolverFile.queryLog), token, url }
}

/** Adds ten thousand peers, a profile that each of them has, and ten thousand local names. */
async function furnish(
  data: string,
  environment: Record<string, string>,
  call: ReturnType<typeof caller>,
): Promise<void> {
  const started = () => startServiceProcess('vpn', environment)
  {
    await using service = await started()
    void service
    await call('POST', '/api/interfaces', { name: benchInterface, address: '10.64.0.1/16', allow_host_overlap: true })
  }
  await addManyPeers(data, benchInterface, furnished)
  await using service = await started()
  void service
  const rules = Array.from({ length: 100 }, (_, n) => ({ action: 'block', domain: `rule${n}.profile.example` }))
  const profile = { name: 'Everyone', rules, services: ['tiktok', 'roblox'], safe_search: true }
  await call('POST', '/api/dns/profiles', { ...profile, interfaces: [benchInterface] })
  const lines = Array.from({ length: furnished }, (_, n) => `host${n}.home.example A 192.168.${n >> 8}.${n & 255}`)
  await call('POST', '/api/dns/records/import', { text: lines.join('\n') })
}

/** Calls the API and returns `data`; throws when it fails. */
export function caller(url: string, token: string) {
  // oxlint-disable-next-line typescript/no-explicit-any -- a benchmark looks into bodies freely
  return async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`${method} ${path}: ${JSON.stringify(answer)}`)
    return (answer as { data: unknown }).data
  }
}

/** Lists have a size limit, so a large one is served in parts of a million names. */
async function serveParts(list: string) {
  const lines = (await readFile(list, 'latin1')).trimEnd().split('\n')
  const parts = Array.from({ length: Math.ceil(lines.length / 1_000_000) }, (_, n) =>
    lines.slice(n * 1_000_000, (n + 1) * 1_000_000).join('\n'),
  )
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/plain')
    response.end(parts[Number((request.url ?? '/').slice(1))] ?? '')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    addresses: parts.map((_, index) => `http://127.0.0.1:${port}/${index}`),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
