import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createAuthenticator, eventually, freePort, makeOlderData } from '@hearth/testing'
import { startForeignCaddy } from '../foreign-caddy.ts'
import { askHost } from '../served.ts'
import { createTestAuthority } from '../test-authority.ts'

/** Writes the data of `older-data.test.ts` with the code as it is now. Run by hand: `node services/sites/test/older-data/make.ts`. */

const password = 'tall-giraffe-on-ice-7'
const far = Date.parse('2100-01-01T00:00:00Z')
const origin = 'https://sites.example.org'
const httpPort = await freePort()
await using second = await startForeignCaddy({ admin: 'tcp' })

await makeOlderData(import.meta.dirname, {
  service: 'sites',
  environment: {
    // 32 bytes in hexadecimal digits that anybody sees to be of a test.
    SECRET_KEY: '0123456789abcdef'.repeat(4),
    PUBLIC_ORIGIN: origin,
    RP_ID: 'sites.example.org',
    SSLLABS_BASE_URL: 'http://127.0.0.1:9',
  },
  fillingEnvironment: { CADDY_HTTP_PORT: String(httpPort), CADDY_HTTPS_PORT: String(await freePort()) },
  changing: [
    'csrf_token last_login_at last_used_at http_port https_port http https version state last_seen',
    'applied_revisions certificate session_expires_at expires_at capabilities uptime in_sync reachable',
    'checked_at message error duration_ms sync_status synced health admin_url log_file warnings',
    'is_current apply_state',
  ].flatMap((names) => names.split(' ')),
  async fill(visitor, data) {
    const token = (await readFile(join(data, 'setup-token'), 'utf8')).trim()
    const signIn = { path: '/api/session', json: { username: 'admin', password } }
    const send = (method: string, path: string, json: object = {}) =>
      visitor.demand(method, path, { json, headers: { origin } })
    await send('POST', '/api/setup', { token, ...signIn.json })
    await eventually(
      async () => (await visitor.send('GET', '/api/v1/ready')).status,
      (status) => status === 200,
      { what: 'Caddy', seconds: 60 },
    )
    const grace = await send('POST', '/api/users', { username: 'grace', password, role: 'user' })
    await send('POST', '/api/users', { username: 'eve', password, role: 'user' })
    await send('PATCH', `/api/users/${grace.id}`, { is_active: false })
    const authenticator = createAuthenticator(origin)
    const { options } = await send('POST', '/api/passkeys/register/start', { current_password: password })
    const credential = authenticator.create(options)
    await send('POST', '/api/passkeys/register/finish', { credential, device_name: 'Laptop' })
    const { codes } = await send('POST', '/api/session/recovery-codes')
    await send('PATCH', '/api/v1/settings', {
      acme_email: 'ops@example.org',
      allow_raw: true,
      grade_retention_days: 0,
      grade_schedule: 'off',
      site_probe: false,
      maintenance_page: 'Back soon.',
      ssllabs: { first_name: 'Ada', last_name: 'L', email: 'ada@example.org', organization: 'Example' },
    })
    const certificate = createTestAuthority().issue({ names: ['mine.test'], notAfter: far })
    const { chain, key } = certificate
    const uploaded = await send('POST', '/api/certificates', { name: 'Mine', certificate: chain, private_key: key })
    const add = async (json: object) => (await send('POST', '/api/sites', json)).site as { id: number }
    const respond = { kind: 'respond', respond: { body: 'Hello' }, tls: { mode: 'off' } }
    const hello = await add({ site_name: 'Hello', domains: ['hello.test', 'www.hello.test'], ...respond })
    await send('PATCH', `/api/sites/${hello.id}`, { respond: { body: 'Hello again' } })
    await add({
      site_name: 'Proxy',
      domains: ['proxy.test'],
      kind: 'proxy',
      upstreams: [{ url: 'http://127.0.0.1:9', weight: 2 }],
      tls: { mode: 'custom', certificate_id: uploaded.id },
      basic_auth: [{ username: 'ada', password }],
      request_headers: [{ op: 'set', name: 'Authorization', value: 'Bearer of-a-test' }],
    })
    await add({
      site_name: 'Elsewhere',
      domains: ['old.test'],
      kind: 'redirect',
      redirect: { to: 'https://new.example.org' },
      tls: { mode: 'off' },
      enabled: false,
    })
    const gone = await add({ site_name: 'Gone', domains: ['gone.test'], ...respond })
    await send('DELETE', `/api/sites/${gone.id}`)
    await add({ site_name: 'House', domains: ['house.internal'], ...respond, tls: { mode: 'internal' } })
    await eventually(
      () => visitor.send('POST', '/api/v1/certificates/house.internal/grade', { json: {} }),
      ({ status }) => status === 200,
      { what: 'a grade', seconds: 60, everyMs: 3000 },
    )
    await send('POST', '/api/nodes', { name: 'second', ...second.asNode })
    await askHost(httpPort, 'hello.test')
    await eventually(
      async () => (await visitor.demand('GET', '/api/v1/traffic/last-seen')) as object,
      (seen) => JSON.stringify(seen).includes('20'),
      { what: 'traffic', seconds: 30 },
    )
    const revisions = (await visitor.demand('GET', '/api/revisions')) as { id: number }[]
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    return {
      signIn,
      credentials: [{ what: 'a session', headers: { cookie }, path: '/api/session', isInBackup: false }],
      more: { recoveryCodes: codes, passkey: authenticator.save() },
      paths: [
        '/api/users',
        '/api/passkeys',
        '/api/v1/settings',
        '/api/sites',
        ...[hello.id, hello.id + 1].map((id) => `/api/sites/${id}`),
        '/api/certificates',
        `/api/certificates/${uploaded.id}`,
        '/api/nodes',
        ...revisions.map(({ id }) => `/api/revisions/${id}`),
        '/api/v1/traffic/last-seen',
        '/api/v1/ssllabs/scans',
      ],
    }
  },
  beforePacking(data) {
    const database = new DatabaseSync(join(data, 'sites.db'))
    database.exec(`UPDATE sessions SET created_at = ${far}, last_used_at = ${far}, proved_at = ${far}`)
    database.close()
    return Promise.resolve()
  },
})
