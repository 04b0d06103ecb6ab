import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compare } from 'bcryptjs'
import { z } from 'zod'
import { Site, SiteCreate, siteDefaults, SitePatch, SiteRecord } from './schema.ts'
import { changedSite } from './site-change.ts'
import { siteOfRow, siteRow } from './site-row.ts'

const messagesOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? []

test('a new site needs a name and domains; everything else has a default', () => {
  const { site_name: name, domains, ...rest } = SiteCreate.parse({ site_name: ' Home ', domains: ['a.org'] })
  assert.deepEqual([name, domains], ['Home', ['a.org']])
  assert.deepEqual(rest, siteDefaults)
  assert.deepEqual(messagesOf(SiteCreate, {}), ['site_name: is required', 'domains: is required'])
})

test('domains may be one string, and directives keep their old field name', () => {
  const site = SiteCreate.parse({ site_name: 'a', domain: 'A.org, müller.de', caddy_directives: 'respond ok' })
  assert.deepEqual([site.domains, site.raw_directives, site.kind], [['a.org', 'xn--mller-kva.de'], 'respond ok', 'raw'])
  assert.deepEqual(SitePatch.parse({ domain: 'b.org' }), { domains: ['b.org'] })
  assert.deepEqual(messagesOf(SitePatch, { domain: 'b.org', domains: ['c.org'] }), [
    'domain: must not stand beside domains',
  ])
  assert.deepEqual(messagesOf(SitePatch, { domain: 'b.org b.org' }), ['domain: must not name a domain twice'])
})

test('an error names the field it is about', () => {
  assert.deepEqual(messagesOf(SitePatch, { domains: ['a.org:80'] }), [
    'domains.0: "a.org:80" must be a name without a port',
  ])
  assert.match(messagesOf(SitePatch, { upstream: [] })[0] ?? '', /upstream/)
  assert.match(messagesOf(SitePatch, { tls: { mode: 'maybe' } })[0] ?? '', /^tls\.mode/)
  assert.match(messagesOf(SitePatch, { health: { active: { interval: 1 } } })[0] ?? '', /^health\.active\.interval/)
  assert.match(messagesOf(SitePatch, { site_name: 'a\u200Bb' })[0] ?? '', /invisible/)
})

test('a PATCH contains only the fields that were sent', async () => {
  assert.deepEqual(SitePatch.parse({}), {})
  assert.deepEqual(SitePatch.parse({ enabled: false }), { enabled: false })
  const body = SiteCreate.parse({ site_name: 'a', domain: 'a.org', compression: 'off' })
  const before = await changedSite(undefined, body)
  const after = await changedSite(before, SitePatch.parse({ enabled: false }))
  assert.deepEqual(after.record, { ...before.record, enabled: false })
})

test('passwords are hashed before a site is stored and appear in no response', async () => {
  const site = SiteCreate.parse({
    site_name: 'a',
    domain: 'a.org',
    basic_auth: [{ username: 'ann', password: 'correct horse' }, { username: 'bob' }],
  })
  const wanted = await changedSite(undefined, site)
  const { hashes } = wanted.extras
  assert.deepEqual(Object.keys(hashes), ['ann'])
  assert.ok(await compare('correct horse', hashes['ann'] ?? ''))
  assert.deepEqual(SiteRecord.parse(wanted.record), wanted.record)
  const now = Date.parse('2026-01-01T00:00:00Z')
  const row = siteRow(wanted, { id: 1, revision: 1, created_at: now, updated_at: now })
  assert.doesNotMatch(JSON.stringify(row), /horse/)
  const answer = Site.parse(siteOfRow(row, [], new Map()))
  assert.deepEqual(answer.basic_auth, [{ username: 'ann' }, { username: 'bob' }])
  assert.doesNotMatch(JSON.stringify(answer), /horse/)
  assert.deepEqual([answer.domain, answer.upstream_url], ['a.org', null])
})

test('the schemas convert to JSON Schema for the OpenAPI document', () => {
  for (const schema of [SiteCreate, SitePatch])
    assert.equal(z.toJSONSchema(schema, { io: 'input' }).$defs?.['SiteChange']?.type, 'object')
  assert.equal(z.toJSONSchema(Site, { io: 'output' }).$defs?.['Site']?.type, 'object')
})
