import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openToldNotifications } from '@hearth/notifications/test'
import type { OrderView } from '../acme/schema.ts'
import type { HostCertificate } from '../certificates/inventory/certificate-state.ts'
import { eventClasses } from './event-classes.ts'
import { createSiteReports } from './site-reports.ts'

async function openReports() {
  const notifications = await openToldNotifications(eventClasses)
  return {
    reports: createSiteReports({ reports: notifications.reports, now: () => 0 }),
    told: () => notifications.told(),
    [Symbol.asyncDispose]: () => notifications[Symbol.asyncDispose](),
  }
}

const certificate = (host: string, state: HostCertificate['state']): HostCertificate => {
  return { host, siteId: 1, tlsMode: 'auto', state, message: 'Reason', certificate: null, checkedAt: 0 }
}

test('a certificate that needs somebody is told once, and once more when it is valid; a silent server changes nothing', async () => {
  await using world = await openReports()
  world.reports.certificates([certificate('a.example', 'valid'), certificate('b.example', 'pending')])
  assert.deepEqual(await world.told(), [])
  for (const state of ['expiring', 'expired', 'error', 'missing'] as const)
    world.reports.certificates([certificate('a.example', state)])
  assert.deepEqual(await world.told(), ['began: Certificate of a.example'])
  world.reports.certificates([certificate('a.example', 'valid')])
  const ended = ['began: Certificate of a.example', 'ended: Certificate of a.example is valid again']
  assert.deepEqual(await world.told(), ended)
  world.reports.certificates([certificate('b.example', 'missing')])
  world.reports.certificates([])
  assert.deepEqual(
    await world.told(),
    [...ended, 'began: Certificate of b.example'],
    'a deleted site is not valid again',
  )
})

test('a revocation that has to wait is told once, and once more when it is done', async () => {
  await using world = await openReports()
  const order = (state: 'waiting' | 'due' | 'revoked', problem: string | null) => {
    const revocation = { state, problem }
    return { id: 'o', name: 'House', state: 'valid', problem: null, not_after: null, revocation } as OrderView
  }
  world.reports.order(order('waiting', null))
  world.reports.order(order('revoked', null))
  assert.deepEqual(await world.told(), [])
  for (const problem of ['away', 'still away']) world.reports.order(order('due', problem))
  world.reports.order(order('revoked', null))
  assert.deepEqual(await world.told(), [
    'began: The old certificate of House is not revoked yet',
    'ended: The old certificate of House is revoked',
  ])
})

test('a fallen grade is told', async () => {
  await using world = await openReports()
  world.reports.fallenGrade({ host: 'a.example', source: 'local', grade: 'B', before: 'A+' })
  assert.deepEqual(await world.told(), ['happened: Grade of a.example fell to B'])
})

test('drift and a silent Caddy server are told once each, and once more when they are over', async () => {
  await using world = await openReports()
  const drift = { type: 'drift', id: '7', details: { node: 'edge' } } as const
  const node = { type: 'node', id: '7', details: { name: 'edge' } } as const
  world.reports.event({ ...drift, action: 'found' })
  world.reports.event({ ...drift, action: 'found' })
  world.reports.event({ ...node, action: 'unreachable' })
  world.reports.event({ ...node, action: 'reachable' })
  world.reports.event({ ...node, action: 'reachable' })
  world.reports.event({ ...drift, action: 'resolved' })
  assert.deepEqual(await world.told(), [
    'began: Configuration of edge was changed outside Hearth',
    'began: Caddy server edge does not answer',
    'ended: Caddy server edge answers again',
    'ended: Configuration of edge is as wanted again',
  ])
})
