import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '../openid-provider/clients/clients.ts'
import { OpenIdClientValues } from '../openid-provider/schema.ts'
import { applicationEntries, readApplications } from './application-file.ts'
import { planApplications } from './application-plan.ts'

const valuesOf = (name: string, members: object = {}) =>
  OpenIdClientValues.parse({ name, redirect_uris: [`https://${name.toLowerCase()}.test/cb`], ...members })

const clientOf = (values: OpenIdClientValues): Client => {
  return { ...values, id: `id-${values.name}`, secretHash: values.is_public ? null : 'hash' }
}
const storedOf = (...all: readonly OpenIdClientValues[]) => all.map(clientOf)

const some = [
  valuesOf('Grafana', { preset: 'grafana', groups: ['family'], post_logout_redirect_uris: ['https://grafana.test/'] }),
  valuesOf('Phone', { is_public: true, consent: 'asked' }),
  valuesOf('VPN', { preset: 'hearth-vpn', admin_groups: ['admins'] }),
]

test('applications come back from a file as they were, without what is usual and without Hearth services', () => {
  const entries = applicationEntries(some.toReversed())
  assert.deepEqual(entries[1], {
    name: 'Phone',
    preset: 'other',
    redirect_uris: ['https://phone.test/cb'],
    consent: 'asked',
    is_public: true,
  })
  const reasons: string[] = []
  const read = readApplications(entries, reasons)
  assert.deepEqual([read, reasons], [some.slice(0, 2), []])
  const plan = planApplications(read, storedOf(...some), true)
  assert.deepEqual([plan.changes, plan.unlisted, plan.after.length], [[], [], 3])
})

test('a plan says what is added, changed and deleted, and a file without applications changes none', () => {
  const stored = storedOf(...some)
  const file = [valuesOf('Grafana', { preset: 'grafana' }), valuesOf('New')]
  const planned = (prune: boolean) =>
    planApplications(file, stored, prune).changes.map((change) => [
      change.kind,
      change.name,
      change.kind === 'change' ? change.members : [],
    ])
  const changes = [
    ['change', 'Grafana', ['post_logout_redirect_uris', 'groups']],
    ['create', 'New', []],
  ]
  assert.deepEqual(planned(false), changes)
  assert.deepEqual(planApplications(file, stored, false).unlisted, ['Phone'])
  assert.deepEqual(planned(true), [...changes, ['delete', 'Phone', []]])
  assert.deepEqual(planApplications(undefined, stored, true).changes, [])
})

test('a list of applications is refused with every reason', () => {
  const reasons: string[] = []
  readApplications(
    [
      { name: 'A', redirect_uris: [] },
      { name: 'B', redirect_uris: ['https://b.test/'], client_secret: 'x' },
      { name: 'C', redirect_uris: ['https://c.test/'] },
      { name: 'C', redirect_uris: ['https://c.test/'] },
      { name: 'D', redirect_uris: ['https://d.test/'], preset: 'hearth-vpn' },
      5,
    ],
    reasons,
  )
  assert.deepEqual(
    reasons.map((reason) => reason.split(':')[0]),
    ['application A', 'application B', 'application C', 'application D', 'application number 6'],
  )
  assert.match(reasons.join('\n'), /client_secret/)
  readApplications({}, reasons)
  assert.equal(reasons.at(-1), 'applications: must be a list')
})
