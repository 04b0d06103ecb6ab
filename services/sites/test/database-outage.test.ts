import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPostgresDatabase, eventually, postgresObstacle, startTcpProxy } from '@hearth/testing'
import type { Browser } from './browser.ts'
import { askHost, type EditAnswer, sayingSite } from './served.ts'
import { startSites } from './in-process.ts'

/** Changes, and after how many of them the connections to the database break. */
const changes = 45
const every = 5

test(
  'when connections to PostgreSQL break in the middle of everything, what was acknowledged is served and the service goes on',
  { skip: postgresObstacle() },
  async () => {
    await using way = await startTcpProxy(await createPostgresDatabase())
    await using sites = await startSites({ DATABASE_URL: way.url }, { caddy: true })
    const admin = await sites.signIn()
    await eventually(
      async () => (await admin.call('GET', '/api/v1/ready')).status,
      (status) => status === 200,
    )
    await admin.csrf()

    const wanted = new Map<string, string | null>()
    let begun = 0
    const work = async (lane: number) => {
      for (let index = 0; begun < changes; index += 1) {
        begun += 1
        if (begun % every === 0) {
          way.cut()
          way.restore()
        }
        await changeSomething(admin, { wanted, name: `site-${lane}-${index}` })
      }
    }
    await Promise.all([1, 2, 3].map(work))

    const list = await eventually(
      () => admin.json<EditAnswer['site'][]>('GET', '/api/sites'),
      ({ status, body }) => status === 200 && body.every(({ apply_state: state }) => state === 'applied'),
    )
    const stored = new Map(list.body.map(({ site_name: name, respond }) => [name, respond?.body ?? '']))
    assert.ok(wanted.size > changes / 8, `${wanted.size} were acknowledged`)
    const [port] = sites.caddyPorts
    for (const [name, text] of wanted) assert.equal(stored.get(name) ?? null, text, `what was answered about ${name}`)
    for (const [name, text] of stored)
      assert.equal((await askHost(port, `${name}.test`)).text, text, `${name} is served`)
    for (const [name, text] of wanted)
      if (text === null) assert.equal((await askHost(port, `${name}.test`)).status, 404, `${name} is gone`)
  },
)

/** Makes, changes or deletes a site, and notes what was acknowledged; an answer that says that it failed may have done it or not. */
async function changeSomething(
  admin: Browser,
  { wanted, name }: { wanted: Map<string, string | null>; name: string },
): Promise<void> {
  const made = await admin.json<EditAnswer>('POST', '/api/sites', { json: sayingSite(name, 'first') })
  if (made.status !== 201) return assert.ok(made.status >= 500, JSON.stringify(made.body))
  const { id } = made.body.site
  wanted.set(name, 'first')
  const changed = await admin.json('PATCH', `/api/sites/${id}`, { json: { respond: { body: 'second' } } })
  if (changed.status === 200) wanted.set(name, 'second')
  else wanted.delete(name)
  if (!name.endsWith('2')) return
  const gone = await admin.call('DELETE', `/api/sites/${id}`)
  if (gone.status === 200) wanted.set(name, null)
  else wanted.delete(name)
}
