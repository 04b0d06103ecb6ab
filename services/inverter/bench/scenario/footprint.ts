import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FootprintSubject } from '@hearth/testing'

const password = 'tall-giraffe-on-ice-7'

/** The inverter's gateway for the measurement of memory, with the simulated inverter of a first start. */
export const subject: FootprintSubject = {
  service: 'inverter',
  limits: { service: 70 },
  environment: { RATE_LIMIT_EXEMPT: '10.0.0.0/8,127.0.0.1' },
  liveness: '/health',
  async signIn(visitor, folder) {
    const first = (await readFile(join(folder, 'initial-admin-password'), 'utf8')).trim()
    const signIn = (word: string) =>
      visitor.demand('POST', '/admin/api/session', { json: { username: 'admin', password: word } })
    await signIn(first)
    const json = { current_password: first, new_password: password }
    await visitor.demand('POST', '/admin/api/session/password', { json })
    await signIn(password)
  },
  hour: {
    '/': 20,
    '/admin/api/devices': 360,
    '/admin/api/energy/devices': 360,
    '/api/v1/metrics': 60,
    '/api/v1/readiness': 240,
    '/admin/api/parameters': 30,
  },
}
