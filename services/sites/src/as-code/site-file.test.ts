import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { arbitrarySite } from '../../test/site-arbitrary.ts'
import { makeRecord } from '../../test/site-makers.ts'
import { readSiteFile, SiteFileRefused, UploadNames, writeSiteFile } from './site-file.ts'
import { planGroups } from './group-plan.ts'
import { planSites } from './site-plan.ts'

const none = new UploadNames([])
const storedOf = (records: readonly ReturnType<typeof makeRecord>[]) =>
  records.map((record, index) => ({ id: index + 1, wanted: { record, extras: { hashes: {} } } }))

test('any site comes back as it was, and the same sites give the same text', async () => {
  await fc.assert(
    fc.asyncProperty(arbitrarySite(1), async ({ record }) => {
      const text = writeSiteFile([record], none)
      const read = readSiteFile(text, none)
      const { changes, unlisted } = await planSites(read.sites, storedOf([record]), true)
      assert.deepEqual([changes, unlisted], [[], []], text)
    }),
    { numRuns: 300 },
  )
})

test('a file says what differs from the defaults, in the order of names', () => {
  const zoo = makeRecord({
    site_name: 'Zoo',
    domains: ['zoo.example.org'],
    upstreams: [{ url: 'http://10.0.0.5:80' }],
    reach: 'home',
  })
  const arc = makeRecord({
    site_name: 'Arc',
    domains: ['arc.example.org'],
    upstreams: [{ url: 'https://10.0.0.6:443', weight: 2 }],
    upstream_tls: { verify: false },
    paths: [{ path: '/api', kind: 'respond', respond: { status: 404 } }],
    basic_auth: [{ username: 'ada', password: 'correct horse' }],
  })
  const text = writeSiteFile([zoo, arc], none)
  assert.equal(
    text,
    `sites:
  - site_name: Arc
    domains:
      - arc.example.org
    kind: proxy
    upstream_tls:
      verify: false
    basic_auth:
      - username: ada
    upstreams:
      - url: https://10.0.0.6:443
        weight: 2
    paths:
      - path: /api
        kind: respond
        respond:
          status: 404
          body: ""
          content_type: text/plain; charset=utf-8
  - site_name: Zoo
    domains:
      - zoo.example.org
    kind: proxy
    reach: home
    upstreams:
      - url: http://10.0.0.5:80
`,
  )
  assert.equal(writeSiteFile([arc, zoo], none), text)
})

test('certificates and authorities stand by their names', () => {
  const uploads = new UploadNames([
    { id: 7, name: 'wildcard' },
    { id: 8, name: 'twice' },
    { id: 9, name: 'twice' },
  ])
  const record = makeRecord({
    site_name: 'Shop',
    domains: ['shop.example.org'],
    upstreams: [{ url: 'https://10.0.0.5:443' }],
    upstream_tls: { ca_id: 8 },
    tls: { mode: 'custom', certificate_id: 7 },
  })
  const text = writeSiteFile([record], uploads)
  assert.match(text, /certificate: wildcard/)
  assert.match(text, /ca_id: 8/)
  const [site] = readSiteFile(text, uploads).sites
  assert.deepEqual([site?.tls.certificate_id, site?.upstream_tls.ca_id], [7, 8])
  assert.throws(() => readSiteFile(text, none), /Shop: there is no one upload of the name wildcard/)
})

test('a file is refused with every reason', () => {
  for (const [text, ...reasons] of [
    ['sites: [', /no YAML/],
    ['- a', /no list `sites`/],
    ['sites: []\nother: 1', /has other, which is not known/],
    ['sites: &a [*a]', /no YAML/],
    ['sites: [{ site_name: A }, 5]', /A: domains/, /number 2/],
    ['sites: [{ site_name: A, domains: [a.example.org], colour: red }]', /A: .*colour/],
    ['sites: []\ngroups: [family]', /^groups: must be names of groups, each with a list of users$/m],
    ['sites: []\ngroups: { "no name": [] }', /^group no name: must be 1 to 50 letters/m],
    ['sites: []\ngroups: { family: [], Family: [ada] }', /^group family: stands twice$/m],
    ['sites: []\ngroups: { family: ada }', /^group family: .*list/m],
    [
      'sites: [{ site_name: A, domains: [a.example.org] }, { site_name: a, domains: [b.example.org] }]',
      /^a: stands twice$/m,
    ],
    [
      'sites: [{ site_name: A, domains: [a.example.org] }, { site_name: B, domains: [b.example.org, a.example.org] }]',
      /^a\.example\.org: is of two sites$/m,
    ],
  ] as const)
    for (const reason of reasons)
      assert.throws(
        () => readSiteFile(text, none),
        (error) => error instanceof SiteFileRefused && reason.test(error.message),
        text,
      )
})

test('a plan says what is created, changed and deleted; passwords that are not in the file stay', async () => {
  const keep = makeRecord({ site_name: 'Keep', domains: ['keep.example.org'], upstreams: [{ url: 'http://a:1' }] })
  const guarded = makeRecord({
    site_name: 'Guarded',
    domains: ['guarded.example.org'],
    upstreams: [{ url: 'http://b:1' }],
    basic_auth: [{ username: 'ada', password: 'correct horse' }],
  })
  const gone = makeRecord({ site_name: 'Gone', domains: ['gone.example.org'], upstreams: [{ url: 'http://c:1' }] })
  const stored = storedOf([keep, guarded, gone]).map(({ id, wanted }) =>
    id === 2 ? { id, wanted: { ...wanted, extras: { hashes: { ada: 'a hash' } } } } : { id, wanted },
  )
  const file = readSiteFile(
    writeSiteFile(
      [
        keep,
        { ...guarded, site_name: 'GUARDED', max_body: 5 },
        { ...gone, site_name: 'New', domains: ['new.example.org'] },
      ],
      none,
    ),
    none,
  )
  const { changes, unlisted } = await planSites(file.sites, stored, false)
  assert.deepEqual(
    unlisted.map(({ id }) => id),
    [3],
  )
  assert.deepEqual(
    changes.map((change) => [change.kind, change.name]),
    [
      ['change', 'GUARDED'],
      ['create', 'New'],
    ],
  )
  const [change] = changes
  assert.ok(change?.kind === 'change')
  assert.deepEqual([...change.members].sort(), ['max_body', 'site_name'])
  assert.deepEqual(change.wanted.extras.hashes, { ada: 'a hash' })
  const pruned = await planSites(file.sites, stored, true)
  assert.deepEqual(pruned.changes.at(-1), { kind: 'delete', name: 'Gone', id: 3 })
})

test('a site under a new name is known by its domains, and stays the same site', async () => {
  const old = makeRecord({
    site_name: 'Old',
    domains: ['a.example.org', 'b.example.org'],
    upstreams: [{ url: 'http://a:1' }],
  })
  const text = writeSiteFile([{ ...old, site_name: 'New', domains: ['b.example.org'] }], none)
  const { changes } = await planSites(readSiteFile(text, none).sites, storedOf([old]), true)
  assert.deepEqual(
    changes.map((change) => [change.kind, change.name, change.kind === 'create' ? undefined : change.id]),
    [['change', 'New', 1]],
  )
})

test('groups stand in the file by the names of their users, and a file without groups says nothing of them', () => {
  const groups = [
    { name: 'work', users: ['bob'] },
    { name: 'family', users: ['bob', 'ada'] },
  ]
  const text = writeSiteFile([], none, { groups })
  assert.equal(text, 'groups:\n  family:\n    - ada\n    - bob\n  work:\n    - bob\nsites: []\n')
  assert.deepEqual(readSiteFile(text, none).groups, [
    { name: 'family', users: ['ada', 'bob'] },
    { name: 'work', users: ['bob'] },
  ])
  assert.equal(readSiteFile('sites: []', none).groups, undefined)
})

test('a plan of groups says what is created, changed and deleted, and why it cannot be', () => {
  const stored = {
    groups: [
      { name: 'family', userIds: ['1', '2'] },
      { name: 'old', userIds: [] },
    ],
    users: new Map([
      ['ada', '1'],
      ['bob', '2'],
    ]),
    applications: new Map([['old', 'Grafana']]),
  }
  const file = [
    { name: 'family', users: ['Bob', 'ada'] },
    { name: 'work', users: ['bob'] },
  ]
  const staying = [makeRecord({ site_name: 'Wiki', domains: ['wiki.test'], sign_in: { groups: ['old'] } })]
  const again = [{ name: 'family', users: ['ada', 'ADA', 'bob'] }]
  assert.deepEqual(planGroups(again, stored, { prune: false, staying: [] }).changes, [], 'a user counts once')
  assert.deepEqual(planGroups(undefined, stored, { prune: true, staying: [] }).changes, [])
  assert.deepEqual(planGroups(file, stored, { prune: false, staying: [] }).changes, [
    { kind: 'create', name: 'work', userIds: ['2'], before: undefined, joining: ['bob'], leaving: [] },
  ])
  assert.deepEqual(planGroups([{ name: 'family', users: ['ada'] }], stored, { prune: false, staying: [] }).changes, [
    { kind: 'change', name: 'family', userIds: ['1'], before: ['1', '2'], joining: [], leaving: ['bob'] },
  ])
  assert.deepEqual(planGroups(file, stored, { prune: true, staying: [] }).changes.at(-1), {
    kind: 'delete',
    name: 'old',
    userIds: [],
    before: [],
    joining: [],
    leaving: [],
  })
  assert.deepEqual(planGroups([{ name: 'family', users: ['eve'] }], stored, { prune: true, staying }).reasons, [
    'group family: there is no user eve',
    'group old: the site Wiki names it, so it cannot go',
    'group old: the application Grafana names it, so it cannot go',
  ])
})
