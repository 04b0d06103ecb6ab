import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SiteCreate } from '../sites/schema.ts'
import type { ImportedSite, SiteInput } from './config/read-config.ts'
import { leftOutOf, runImport, type CreateOutcome, type ImportTarget, type NewSite } from './run-import.ts'

const found = (name: string, more: Partial<SiteInput> = {}, others: Partial<ImportedSite> = {}): ImportedSite => ({
  path: `/${name}`,
  site: { site_name: name, domains: [`${name}.example.org`], upstreams: [{ url: 'http://10.0.0.5:80' }], ...more },
  hashes: {},
  ...others,
})

/** A location for sites that takes all but those named `broken`, and remembers what it was given. */
function openTarget(members: Partial<ImportTarget> = {}) {
  const given: NewSite[] = []
  const target: ImportTarget = {
    existing: () =>
      Promise.resolve({ names: new Set(['taken', 'taken (2)']), domains: new Map([['shop.example.org', 'Shop']]) }),
    createMany(sites) {
      given.push(...sites)
      return Promise.resolve(
        sites.map(({ input }, index): CreateOutcome =>
          input.site_name === 'broken' ? { problems: [{ field: '', message: 'Caddy says no' }] } : { id: 10 + index },
        ),
      )
    },
    ...members,
  }
  return { target, given }
}

const choices = { isDryRun: false, author: 'admin' }
const summary = ({ sites }: Awaited<ReturnType<typeof runImport>>) =>
  sites.map(({ site_name: name, status, site_id: id, renamed_from: before, problems }) => [
    name,
    status,
    id,
    before,
    problems.map(({ field, message }) => `${field}: ${message}`),
  ])

describe('an import', () => {
  test('creates what is possible, renames sites whose name is taken, and explains every omission', async () => {
    const { target, given } = openTarget()
    const sites = [
      found('a'),
      found('Taken', { domains: ['new.example.org'] }),
      found('b', { domains: ['b.example.org', 'shop.example.org'] }),
      found('c', { domains: ['A.example.org'] }),
      found('d', { lb: { retries: 99 } }),
      found('broken'),
    ]
    const answer = await runImport({ sites, report: [] }, target, choices)
    assert.deepEqual(summary(answer), [
      ['a', 'created', 10, null, []],
      ['Taken (3)', 'created', 11, 'Taken', []],
      ['b', 'conflicting', null, null, ['domains: shop.example.org belongs to the site Shop']],
      ['c', 'conflicting', null, null, ['domains: a.example.org belongs to the site a']],
      ['d', 'invalid', null, null, ['lb.retries: must be at most 10']],
      ['broken', 'failed', null, null, [': Caddy says no']],
    ])
    assert.deepEqual(leftOutOf(answer).slice(-2), [
      { path: '/d', message: 'd: lb.retries must be at most 10' },
      { path: '/broken', message: 'broken: Caddy says no' },
    ])
    assert.deepEqual(answer.counts, { found: 6, created: 2, new: 0, failed: 1, conflicting: 2, invalid: 1 })
    assert.deepEqual(
      given.map(({ input }) => input.site_name),
      ['a', 'Taken (3)', 'broken'],
    )
  })

  test('a dry run reports the same and creates nothing', async () => {
    const { target, given } = openTarget()
    const answer = await runImport({ sites: [found('a'), found('taken')], report: [] }, target, {
      ...choices,
      isDryRun: true,
    })
    assert.deepEqual(summary(answer), [
      ['a', 'new', null, null, []],
      ['taken (3)', 'new', null, 'taken', []],
    ])
    assert.deepEqual(given, [])
  })

  test('a violated rule beyond the schema makes a site invalid', async () => {
    const rules = ({ upstreams }: SiteCreate) =>
      upstreams.length > 1 ? [{ field: 'upstreams', message: 'are too many' }] : []
    const { target } = openTarget({ rules })
    const answer = await runImport(
      { sites: [found('a', { upstreams: [{ url: 'http://a:1' }, { url: 'http://a:2' }] })], report: [] },
      target,
      choices,
    )
    assert.deepEqual(summary(answer), [['a', 'invalid', null, null, ['upstreams: are too many']]])
  })

  test('a site with a wildcard is switched off where it would answer for a name that is closed', async () => {
    const wild = found('wild', { domains: ['*.example.org'] })
    const enabledOf = async (sites: ImportedSite[], closed: string[], members: Partial<ImportTarget> = {}) => {
      const { target, given } = openTarget(members)
      const answer = await runImport({ sites, report: [], closed }, target, choices)
      const [view] = answer.sites
      assert.equal(given[0]?.input.enabled, view?.enabled)
      return [view?.enabled, answer.report.map(({ path, what }) => `${path}: ${what}`).join()]
    }
    const line = (name: string) =>
      `/wild: *.example.org would answer for ${name}, whose own site is left out or switched off; the site is switched off`
    assert.deepEqual(await enabledOf([wild], []), [true, ''])
    assert.deepEqual(await enabledOf([wild], ['a.example.org']), [false, line('a.example.org')])
    assert.deepEqual(await enabledOf([wild], ['a.b.example.org', 'example.org', '*.example.org']), [true, ''])
    assert.deepEqual(await enabledOf([wild, found('a')], ['a.example.org']), [true, ''])
    assert.deepEqual(await enabledOf([wild, found('a', { enabled: false })], ['a.example.org']), [
      false,
      line('a.example.org'),
    ])
    assert.deepEqual(await enabledOf([wild, found('a', { enabled: false })], []), [true, ''], 'it was off before')
    assert.deepEqual(await enabledOf([wild, found('d', { lb: { retries: 99 } })], []), [false, line('d.example.org')])
    const taken = found('a', { domains: ['a.example.org', 'shop.example.org'] })
    assert.deepEqual(await enabledOf([wild, taken], []), [false, line('a.example.org')])
    assert.deepEqual(await enabledOf([wild, { ...taken, site: { ...taken.site, enabled: false } }], []), [true, ''])
    assert.deepEqual(await enabledOf([wild], ['shop.example.org']), [true, ''], 'another site has it')
    const answering = found('wild', { domains: ['*.example.org'], kind: 'respond', respond: { body: 'x' } })
    assert.deepEqual(await enabledOf([answering], ['a.example.org']), [true, ''])
  })

  test('certificates are stored first; a site whose certificate fails uses Caddy’s own', async () => {
    const certificate = { certificate: 'LEAF', key: 'KEY' }
    const { target, given } = openTarget({
      addCertificate: (_certificate, name) =>
        name === 'a' ? Promise.resolve(5) : Promise.reject(new Error('the key is another’s')),
    })
    const tls = { mode: 'custom' as const }
    const answer = await runImport(
      { sites: [found('a', { tls }, { certificate }), found('b', { tls }, { certificate })], report: [] },
      target,
      choices,
    )
    assert.deepEqual(
      given.map(({ input }) => [input.tls.mode, input.tls.certificate_id]),
      [
        ['custom', 5],
        ['auto', null],
      ],
    )
    assert.deepEqual(
      answer.report.map(({ path, what }) => `${path}: ${what}`),
      ['/b: its certificate, which has to be uploaded (the key is another’s); until then Caddy gets one itself'],
    )
  })
})
