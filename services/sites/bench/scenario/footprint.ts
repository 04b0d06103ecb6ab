import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort, type FootprintSubject } from '@hearth/testing'
import { fillFolder } from '../many-sites.ts'

const password = 'tall-giraffe-on-ice-7'

/** Sites for the measurement of memory, with a Caddy of its own. */
export const subject: FootprintSubject = {
  service: 'sites',
  limits: { service: 80 },
  environment: {
    SSLLABS_BASE_URL: 'http://127.0.0.1:9',
    CADDY_HTTP_PORT: String(await freePort()),
    CADDY_HTTPS_PORT: String(await freePort()),
  },
  liveness: '/api/v1/health',
  async signIn(visitor, folder) {
    const token = (await readFile(join(folder, 'setup-token'), 'utf8')).trim()
    await visitor.demand('POST', '/api/setup', { json: { token, username: 'admin', password } })
  },
  hour: {
    '/': 20,
    '/metrics': 240,
    '/api/sites?limit=50': 200,
    '/api/v1/traffic': 200,
    '/api/caddy/status': 100,
    '/api/v1/dashboard/metrics': 100,
  },
  large: {
    name: '5,000 sites',
    limit: { rss: 150, isAboveIdle: true },
    fill: (folder) => fillFolder(folder, 5000, 'http://127.0.0.1:9'),
  },
}
