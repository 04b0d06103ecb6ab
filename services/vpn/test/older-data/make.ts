import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { eventually, makeOlderData, runCommand } from '@hearth/testing'
import { ask } from '../dns-client.ts'
import { addressRecord, makeAnswer } from '../dns-packets.ts'
import { startUpstream } from '../dns-upstream.ts'
import { freeListener } from '../resolver-fixture.ts'

/** Writes the data of `older-data.test.ts` with the code as it is now. Run by hand: `node services/vpn/test/older-data/make.ts`. */

const password = 'tall-giraffe-on-ice-7'
const far = Date.parse('2100-01-01T00:00:00Z')

const server = createServer((_, response) => {
  response
    .writeHead(200, { 'content-type': 'text/plain' })
    .end('||tracker.example^\n||ads.example^\nx.example##.banner\n')
}).listen(0, '127.0.0.1')
await once(server, 'listening')
const list = `http://127.0.0.1:${(server.address() as AddressInfo).port}/list`
const upstream = await startUpstream((query) => makeAnswer(query, [addressRecord('192.0.2.1')]))
const { port } = await freeListener()
const environment = {
  // 32 bytes in hexadecimal digits that anybody sees to be of a test.
  SECRET_KEY: '0123456789abcdef'.repeat(4),
  WIREGUARD_BACKEND: 'simulated',
  DNS_UPSTREAMS: 'udp://127.0.0.1:9',
  RATE_LIMIT_EXEMPT: '127.0.0.1',
}
const fillingEnvironment = {
  DNS_UPSTREAMS: `udp://127.0.0.1:${upstream.port}`,
  DNS_LISTEN: `127.0.0.1:${port}`,
  DNS_LISTEN_CLIENT: 'Phone',
  OUTBOUND_ALLOW: '127.0.0.1',
}

await makeOlderData(import.meta.dirname, {
  service: 'vpn',
  environment,
  fillingEnvironment,
  changing: [
    'last_login_at last_login_ip last_used_at last_used_ip last_checked last_error last_hit_at csrf_token',
    'expires_in effective_upstreams age_seconds next_cursor active_sessions',
  ].flatMap((names) => names.split(' ')),
  async fill(visitor, data) {
    const first = (await readFile(join(data, 'initial-admin-password'), 'utf8')).trim()
    const signIn = { path: '/api/session', json: { username: 'admin', password } }
    await visitor.demand('POST', signIn.path, { json: { username: 'admin', password: first } })
    const change = { current_password: first, new_password: password }
    await visitor.demand('POST', '/api/session/password', { json: change })
    await visitor.demand('POST', signIn.path, { json: signIn.json })
    const post = async (path: string, json: object) => (await visitor.demand('POST', path, { json })).data
    const put = async (path: string, json: object) => (await visitor.demand('PUT', path, { json })).data
    const reader = await post('/api/users', { username: 'reader', email: 'reader@example.org', password, role: 'user' })
    await put(`/api/users/${reader.id}`, { is_active: false })
    const token = await post('/api/session/tokens', { name: 'full', permissions: 'full', expires: 'never' })
    await post('/api/session/tokens', {
      name: 'home',
      permissions: 'read-only',
      expires: 'never',
      ip_whitelist: ['192.0.2.0/24'],
    })
    const wg0 = { name: 'wg0', address: '10.8.0.1/24', address6: 'fd08::1/64', listen_port: 51_820 }
    await post('/api/interfaces', wg0)
    await post('/api/interfaces', { name: 'wg1', address: '10.9.0.1/24', listen_port: 51_821, mtu: 1380 })
    await post('/api/interfaces/wg1/stop', {})
    const phone = await post('/api/peers', { name: 'Phone', interface: 'wg0' })
    const laptop = await post('/api/peers', {
      name: 'Zoë’s laptop',
      interface: 'wg0',
      routing_mode: 'split_tunnel',
      allowed_ips: ['192.0.2.0/24'],
      persistent_keepalive: 0,
      client_isolation: true,
      use_preshared_key: false,
      dns_logging_enabled: false,
      expires_at: '2100-01-01T00:00:00Z',
    })
    await post('/api/peers', {
      name: 'own key',
      interface: 'wg1',
      enabled: false,
      public_key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
    })
    for (const { id } of (await visitor.demand('GET', '/api/dns/blocklists')).data)
      await visitor.demand('DELETE', `/api/dns/blocklists/${id}`)
    const made = await post('/api/dns/blocklists', { name: 'Trackers', url: list, format: 'adblock' })
    await post('/api/dns/blocklists', { name: 'Off', url: `${list}/off`, enabled: false })
    await put(`/api/peers/${laptop.id}`, { blocklist_ids: [made.id] })
    await post('/api/dns/blocklists/update', {})
    await eventually(
      async () => (await visitor.demand('GET', '/api/dns/blocklists')).data[0].entries as number,
      (entries) => entries > 0,
      { what: 'a fetched list', seconds: 20 },
    )
    await post('/api/dns/rules', { action: 'block', domain: '*.blocked.example' })
    await post('/api/dns/rules', { action: 'allow', domain: 'ads.example', client: 'Phone', enabled: false })
    await put('/api/dns/settings', { block_mode: 'nxdomain', log_retention_days: 365, cache_size: 100 })
    await put('/api/settings', {
      public_endpoint: 'vpn.example.org',
      default_mtu: 1390,
      session_timeout_minutes: 10_080,
    })
    for (const name of ['tracker.example', 'www.example.org', 'a.blocked.example'])
      await eventually(
        () => ask(port, { name, timeoutMs: 500 }),
        (answer) => answer !== undefined,
        { what: `an answer for ${name}` },
      )
    await eventually(
      async () => (await visitor.demand('GET', '/api/dns/stats')).data.total_queries as number,
      (total) => total >= 3,
      { what: 'logged queries', seconds: 20 },
    )
    const command = await runCommand(
      [
        'vpn',
        'token',
        'create',
        '--user',
        'admin',
        '--name',
        'command line',
        '--permissions',
        'read-only',
        '--expires',
        'never',
      ],
      { ...environment, ...fillingEnvironment, DATA_DIR: data },
    )
    const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return {
      signIn,
      credentials: [
        { what: 'a full token', headers: bearer(token.token), path: '/api/users', isInBackup: true },
        {
          what: 'a token of the command line',
          headers: bearer(command.stdout.trim()),
          path: '/api/peers',
          isInBackup: true,
        },
        { what: 'a session', headers: { cookie }, path: '/api/session', isInBackup: true },
      ],
      paths: [
        '/api/session/tokens',
        '/api/interfaces',
        '/api/peers',
        ...[phone, laptop].map(({ id }) => `/api/peers/${id}/config`),
        '/api/dns/settings',
        '/api/dns/rules',
        '/api/dns/blocklists',
        '/api/dns/queries?end=2101-01-01T00:00:00Z',
        '/api/users',
        '/api/settings',
        '/api/metrics/geo/countries?by=endpoint&hours=24',
        '/api/metrics/geo/asn?by=endpoint&hours=24',
        `/api/metrics/peers/${phone.id}?start=2026-01-05T00:00:00Z&end=2026-01-06T00:00:00Z&resolution=daily`,
        '/api/metrics/traffic?start=2026-01-05T00:00:00Z&end=2026-01-06T00:00:00Z&resolution=daily',
      ],
    }
  },
  async beforePacking(data) {
    const database = new DatabaseSync(join(data, 'vpn.db'))
    database.exec(`UPDATE sessions SET created_at = ${far}, last_used_at = ${far}`)
    const { id } = database.prepare("SELECT id FROM peers WHERE name = 'Phone'").get() as { id: string }
    const day = Date.parse('2026-01-05T00:00:00Z')
    const bucket = `86400, ${day}, 1000, 5000, 60000`
    const columns = 'seconds, start, rx_bytes, tx_bytes, active_ms'
    database.exec(`INSERT INTO peer_traffic (peer_id, ${columns}) VALUES ('${id}', ${bucket})`)
    database.exec(`INSERT INTO interface_traffic (interface, ${columns}) VALUES ('wg0', ${bucket})`)
    database.exec(`INSERT INTO networks (asn, organization) VALUES (64496, 'Example Networks')`)
    database.exec(
      `INSERT INTO place_traffic (source, start, peer_id, country, asn, rx_bytes, tx_bytes) VALUES ('endpoint', ${far}, '${id}', 'DE', 64496, 1000, 5000)`,
    )
    database.close()
    const log = new DatabaseSync(join(data, 'dns/query-log.db'))
    // Ids are milliseconds and eleven bits that count.
    log.exec(`UPDATE recent SET id = id + ${far - Date.now()} * 2048`)
    log.close()
  },
})
server.close()
await upstream[Symbol.asyncDispose]()
