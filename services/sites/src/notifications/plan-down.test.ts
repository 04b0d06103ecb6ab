import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openToldNotifications } from '@hearth/notifications/test'
import type { SiteReport } from '../uptime/site-reports.ts'
import { eventClasses } from './event-classes.ts'
import { createSiteReports } from './site-reports.ts'

const names = ['Wiki', 'Photos', 'Git', 'Cloud']

/** Reports of four sites: up, down, failing (not down yet), flapping (up again), unknown. */
const states = (text: string): SiteReport[] =>
  text.split(' ').map((word, index) => ({
    id: index + 1,
    name: names[index] ?? '',
    state: word === 'down' || word === 'unknown' ? word : 'up',
    text: word === 'down' ? 'Nobody listens there.' : '',
    downSince: word === 'down' ? 0 : undefined,
    isFailing: word === 'failing',
    isFlapping: word === 'flapping',
  }))

async function openReports() {
  const notifications = await openToldNotifications(eventClasses)
  let now = 0
  const reports = createSiteReports({ reports: notifications.reports, now: () => now })
  return {
    async see(text: string, at = 0) {
      now = at
      reports.sites(states(text))
      return notifications.told()
    },
    [Symbol.asyncDispose]: () => notifications[Symbol.asyncDispose](),
  }
}

test('a site that is down is told once, and once more when it is up', async () => {
  await using world = await openReports()
  assert.deepEqual(await world.see('up up up up'), [])
  await world.see('failing up up up')
  await world.see('down up up up')
  const told = ['began: Site down: Wiki']
  assert.deepEqual(await world.see('down up up up'), told)
  assert.deepEqual(await world.see('unknown up up up'), told, 'nothing is known in maintenance')
  assert.deepEqual(await world.see('up up up up'), [...told, 'ended: Site up: Wiki'])
})

test('when everything is down there is one message, and one when it is over', async () => {
  await using world = await openReports()
  assert.deepEqual(await world.see('down failing failing failing'), [])
  assert.deepEqual(await world.see('down down failing down'), [])
  const told = ['began: All 4 sites are down']
  assert.deepEqual(await world.see('down down down down'), told)
  const over = [...told, 'began: Site down: Photos', 'ended: Sites are up again']
  assert.deepEqual(await world.see('up down up up'), over)
  assert.deepEqual(await world.see('up up up up'), [...over, 'ended: Site up: Photos'])
})

test('the wait for all other sites ends after five minutes', async () => {
  await using world = await openReports()
  assert.deepEqual(await world.see('down failing failing failing', 299_000), [])
  assert.deepEqual(await world.see('down failing failing failing', 301_000), ['began: Site down: Wiki'])
})

test('a site that goes up and down is told once until it is stable', async () => {
  await using world = await openReports()
  const told = ['began: Site down: Wiki']
  for (const text of ['down up up up', 'flapping up up up', 'down up up up', 'flapping up up up'])
    assert.deepEqual(await world.see(text), told)
  assert.deepEqual(await world.see('up up up up'), [...told, 'ended: Site up: Wiki'])
})
