import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FootprintSubject } from '@hearth/testing'
import { addManyPeers } from './many-peers.ts'
import { timeResolverStarts } from './resolver-start.ts'

const password = 'tall-giraffe-on-ice-7'

/** VPN for the measurement of memory, with simulated tunnels. */
export const subject: FootprintSubject = {
  service: 'vpn',
  limits: { service: 80, resolver: 45 },
  environment: {
    WIREGUARD_BACKEND: 'simulated',
    RATE_LIMIT_EXEMPT: '10.0.0.0/8,127.0.0.1',
    DNS_UPSTREAMS: 'udp://127.0.0.1:9',
  },
  liveness: '/health',
  beside: { name: 'resolver', limitMs: 200, timeStarts: timeResolverStarts },
  async signIn(visitor, folder) {
    const first = (await readFile(join(folder, 'initial-admin-password'), 'utf8')).trim()
    const signIn = (word: string) =>
      visitor.demand('POST', '/api/session', { json: { username: 'admin', password: word } })
    await signIn(first)
    const json = { current_password: first, new_password: password }
    await visitor.demand('POST', '/api/session/password', { json })
    await signIn(password)
    await visitor.demand('POST', '/api/interfaces', { json: { name: 'wgf', address: '10.64.0.1/16' } })
  },
  hour: {
    '/': 20,
    '/metrics': 240,
    '/api/peers?limit=50': 360,
    '/api/metrics/dashboard': 720,
    '/api/dns/status': 100,
    '/api/dns/queries?limit=50': 100,
    '/api/metrics/traffic': 60,
  },
  large: {
    name: '10,000 peers',
    limit: { rss: 180, isAboveIdle: false },
    fill: (folder) => addManyPeers(folder, 'wgf', 10_000),
  },
}
