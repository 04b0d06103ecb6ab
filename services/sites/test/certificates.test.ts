import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import type { z } from 'zod'
import type {
  CertificateGrade,
  CertificateList,
  GradeHistory,
  UploadedCertificate,
} from '../src/certificates/schema.ts'
import { createTestAuthority } from './test-authority.ts'
import { startSites, type Browser, type Sites } from './in-process.ts'
import { caddyObstacle } from './real-caddy.ts'

type List = z.infer<typeof CertificateList>

const skip = caddyObstacle() ?? false

async function readySites(): Promise<{ sites: Sites; admin: Browser }> {
  const sites = await startSites({}, { caddy: true })
  const admin = await sites.signIn()
  await eventually(
    async () => (await admin.call('GET', '/api/v1/ready')).status,
    (status) => status === 200,
  )
  return { sites, admin }
}

async function addSite(admin: Browser, more: object): Promise<number> {
  const json = { kind: 'respond', respond: { body: 'Hello' }, ...more }
  const made = await admin.json<{ site: { id: number } }>('POST', '/api/sites', { json })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  return made.body.site.id
}

const serialAt = (port: number, host: string) =>
  new Promise<string | undefined>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()?.serialNumber)
      socket.destroy()
    })
    socket.on('error', reject)
  })

test('presented certificates are listed, graded and recorded, also for local names', { skip }, async () => {
  const { sites, admin } = await readySites()
  await using _sites = sites
  const id = await addSite(admin, {
    site_name: 'House',
    domains: ['house.internal', '*.apps.internal'],
    tls: { mode: 'internal' },
    hsts: {},
  })
  await addSite(admin, { site_name: 'Plain', domains: ['plain.internal'], tls: { mode: 'off' } })
  const list = await eventually(
    async () => (await admin.json<List>('POST', '/api/v1/certificates/refresh', { json: {} })).body,
    ({ certificates }) => certificates.length === 2 && certificates.every(({ state }) => state === 'valid'),
  )
  const house = list.certificates.find(({ host }) => host === 'house.internal')
  assert.deepEqual([house?.site_id, house?.tls_mode, house?.names], [id, 'internal', ['house.internal']])
  assert.match(house?.issuer ?? '', /Caddy Local Authority/)
  // Nothing installed Caddy's own authority on this machine.
  assert.equal(house?.trusted, false)
  assert.deepEqual(list.counts, { valid: 2, expired: 0, expiring_soon: 0 })
  const graded = await admin.json<z.infer<typeof CertificateGrade>>('POST', '/api/v1/certificates/house.internal/grade')
  assert.equal(graded.status, 200, JSON.stringify(graded.body))
  const { grade, grade_trust_ignored, label, protocols, parts } = graded.body
  assert.deepEqual([grade, grade_trust_ignored, label], ['T', 'A+', 'local grade, SSL Labs-like'])
  assert.deepEqual([protocols, parts.protocol], [['TLSv1.2', 'TLSv1.3'], 100])
  const shown = (await admin.json<List>('GET', '/api/v1/certificates')).body.certificates
  assert.equal(shown.find(({ host }) => host === 'house.internal')?.grades[0]?.grade_trust_ignored, 'A+')
  const history = await admin.json<z.infer<typeof GradeHistory>>(
    'GET',
    '/api/v1/dashboard/ssllabs-history?range_key=30d',
  )
  const points = history.body.series.flatMap((series) => series.points)
  assert.deepEqual([history.body.series.length, points.length, points[0]?.grade, points[0]?.rank], [1, 1, 'T', -1])
  assert.equal((await admin.call('POST', '/api/v1/certificates/plain.internal/grade')).status, 404)
})

test('an uploaded certificate is served, renewed in place, and cannot be deleted while in use', { skip }, async () => {
  const { sites, admin } = await readySites()
  await using _sites = sites
  const authority = createTestAuthority()
  const mine = authority.issue({ names: ['mine.test'] })
  const body = (made: typeof mine) => ({ certificate: made.chain, private_key: made.key })
  const added = await admin.json<z.infer<typeof UploadedCertificate>>('POST', '/api/certificates', {
    json: { name: 'Mine', ...body(mine) },
  })
  assert.equal(added.status, 201, JSON.stringify(added.body))
  assert.ok(!JSON.stringify(added.body).includes('PRIVATE'))
  const { id } = added.body
  const tls = { mode: 'custom', certificate_id: id }
  const site = await addSite(admin, { site_name: 'Mine', domains: ['mine.test'], tls })
  const [, port] = sites.caddyPorts
  const serial = await serialAt(port, 'mine.test')
  const renewed = authority.issue({ names: ['mine.test'] })
  assert.equal((await admin.call('PUT', `/api/certificates/${id}`, { json: body(renewed) })).status, 200)
  await eventually(
    () => serialAt(port, 'mine.test'),
    (now) => now !== serial,
  )
  const refused = await admin.json<{ detail: string }>('DELETE', `/api/certificates/${id}`)
  assert.deepEqual([refused.status, refused.body.detail], [409, `Sites use the certificate: ${site}`])
  const wrong = await admin.json<{ errors: { field: string }[] }>('PUT', `/api/certificates/${id}`, {
    json: { certificate: mine.chain, private_key: renewed.key },
  })
  assert.deepEqual([wrong.status, wrong.body.errors[0]?.field], [422, 'private_key'])
  // Nothing of a key is in the database, in configurations neither.
  for (const name of (await readdir(sites.folder)).filter((file) => file.startsWith('sites.db'))) {
    const content = await readFile(join(sites.folder, name), 'latin1')
    for (const { key } of [mine, renewed]) assert.ok(!content.includes(key.split('\n')[1] ?? ''), name)
  }
  assert.equal((await admin.call('DELETE', `/api/sites/${site}`)).status, 200)
  assert.equal((await admin.call('DELETE', `/api/certificates/${id}`)).status, 200)
})
