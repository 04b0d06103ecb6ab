import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, mock, test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { openDatabase } from '@hearth/database'
import { createOutboundAllow } from '@hearth/outbound'
import { createFastTimers, createLog } from '@hearth/runtime'
import {
  createPostgresDatabase,
  eventually,
  postgresObstacle,
  startWebhookReceiver,
  type WebhookReceiver,
} from '@hearth/testing'
import type { NotificationDestinationValues } from './destinations/schema.ts'
import { Notifications } from './notifications.ts'
import type { NotificationRules } from './rules/schema.ts'
import { createNotificationTables, type NotificationTables } from './tables.ts'

const noon = Date.parse('2026-03-02T12:00:00Z')
const hour = 3_600_000
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const classes = [
  { id: 'site.down', group: 'Sites', label: 'Site down', severity: 'critical' },
  { id: 'drift', group: 'Sites', label: 'Drift', severity: 'warning' },
] as const

async function startReceiver(): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver()
  after(() => receiver[Symbol.asyncDispose]())
  return receiver
}

const rules: NotificationRules = {
  classes: null,
  minimum_severity: 'info',
  time_zone: 'UTC',
  quiet_hours: null,
  digest: { every: 'message' },
}

const destination = (
  url: string,
  more: Partial<NotificationDestinationValues> & { rules?: NotificationRules } = {},
): NotificationDestinationValues => ({
  name: 'Hook',
  is_enabled: true,
  target: { kind: 'webhook', url, secret },
  rules,
  ...more,
})

type Kind = 'sqlite' | 'postgres'

/** The notifications of a service on its own database; `again` opens another process's on the same one. */
async function open(kind: Kind, timers = createFastTimers(1, noon)) {
  const location = kind === 'sqlite' ? { file: ':memory:' } : { url: await createPostgresDatabase() }
  const database = openDatabase<NotificationTables>(location)
  await createNotificationTables(database.query as never)
  const opened: Notifications[] = []
  const log = createLog({ name: 'test', level: 'silent' })
  const { mock: warn } = mock.method(log, 'warn')
  const again = async () => {
    const notifications = new Notifications(database, {
      sealer: createSealer(Buffer.alloc(32, 1)),
      timers,
      log,
      allow: createOutboundAllow(['127.0.0.1']),
      service: 'Test',
      publicUrl: 'https://test.example.org',
      classes,
      timeoutMs: 5000,
    })
    opened.push(notifications)
    await notifications.start()
    return notifications
  }
  const notifications = await again()
  const rows = () => database.query.selectFrom('notification_deliveries').selectAll().orderBy('created_at').execute()
  // Messages that are due are looked for every half minute, and after each report.
  const look = () => notifications.reports.end({ class: 'drift', subject: 'none', title: '', text: '' })
  return {
    database,
    notifications,
    reports: notifications.reports,
    warnings: () => warn.calls.map((call) => call.arguments.at(-1)),
    again,
    rows,
    look,
    /** Waits for an attempt of the one message to fail, and goes to the time of the next; returns the delay until then. */
    async failedAttempt(attempt: number): Promise<number> {
      const [row] = await eventually(rows, ([first]) => first?.attempts === attempt && first.lease === null)
      const delay = (row?.due_at ?? 0) - timers.now()
      timers.jump(delay + 1)
      look()
      return delay
    },
    async [Symbol.asyncDispose]() {
      for (const each of opened) await each.close()
      await database.close()
    },
  }
}

const drift = (title: string) => ({ class: 'drift', title, text: '' })
const settledAs = (state: string) => (rows: readonly { state: string }[]) =>
  rows.length > 0 && rows.every((row) => row.state === state)

for (const kind of ['sqlite', 'postgres'] as const)
  describe(kind, { skip: kind === 'postgres' && postgresObstacle() }, () => {
    test('a condition sends one message when it begins and one when it ends, with a link', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      await place.notifications.create(destination(receiver.url))
      const down = { class: 'site.down', subject: '3', title: 'Site down: wiki', text: 'No answer.', path: '/sites/3' }
      for (let index = 0; index < 3; index += 1) place.reports.begin(down)
      await eventually(receiver.titles, (titles) => titles.length === 1)
      for (let index = 0; index < 2; index += 1) place.reports.end({ ...down, title: 'Site up: wiki' })
      place.reports.begin(down)
      await eventually(receiver.titles, (titles) => titles.length === 3)
      assert.deepEqual(
        receiver.received.map(({ type, title, state }) => [type, title, state]),
        [
          ['site.down', 'Site down: wiki', 'began'],
          ['site.down', 'Site up: wiki', 'ended'],
          ['site.down', 'Site down: wiki', 'began'],
        ],
      )
      assert.match(receiver.received[1]?.text ?? '', /^No answer\. It lasted \d+ seconds?\.$/)
      assert.equal(receiver.received[0]?.link, 'https://test.example.org/sites/3')
      assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 3)
    })

    test('of all conditions of a class, those that are new and those that are over are told; one that is kept stays', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      await place.notifications.create(destination(receiver.url))
      const conditions = (...subjects: string[]) =>
        subjects.map((subject) => ({ subject, title: `Down ${subject}`, text: '' }))
      const ended = (subject: string) => (subject === 'gone' ? undefined : { title: `Up ${subject}`, text: '' })
      place.reports.replaceAll('site.down', conditions('a', 'b', 'gone', 'kept'), { ended })
      place.reports.replaceAll('site.down', conditions('a', 'c'), { ended, isKept: (subject) => subject === 'kept' })
      place.reports.replaceAll('site.down', conditions('a', 'c', 'kept'), { ended })
      const expected = ['Down a', 'Down b', 'Down gone', 'Down kept', 'Down c', 'Up b'].toSorted()
      await eventually(
        () => receiver.titles().toSorted(),
        (titles) => JSON.stringify(titles) === JSON.stringify(expected),
      )
    })

    test('what is reported while the database is away is told when it is there again, in order', async () => {
      await using place = await open(kind, createFastTimers(100, noon))
      const receiver = await startReceiver()
      await place.notifications.create(destination(receiver.url))
      const { schema } = place.database.query
      await schema.alterTable('notification_conditions').renameTo('away').execute()
      const down = { class: 'site.down', subject: '3', title: 'Site down: wiki', text: '' }
      place.reports.begin(down)
      place.reports.replaceAll('site.down', [], { ended: () => ({ title: 'Site up: wiki', text: '' }) })
      const warnings = await eventually(place.warnings, (texts) => texts.length > 0)
      assert.deepEqual(warnings, ['a notification could not be stored; it is tried again'])
      assert.deepEqual(receiver.titles(), [])
      await schema.alterTable('away').renameTo('notification_conditions').execute()
      await eventually(receiver.titles, (titles) => titles.length === 2)
      assert.deepEqual(receiver.titles(), ['Site down: wiki', 'Site up: wiki'])
    })

    test('each event goes once to each destination that wants it', async () => {
      await using place = await open(kind)
      const [all, critical, other, off] = await Promise.all([0, 1, 2, 3].map(startReceiver))
      assert.ok(all && critical && other && off)
      await place.notifications.create(destination(all.url))
      await place.notifications.create(destination(critical.url, { rules: { ...rules, minimum_severity: 'critical' } }))
      await place.notifications.create(destination(other.url, { rules: { ...rules, classes: ['site.down'] } }))
      await place.notifications.create(destination(off.url, { is_enabled: false }))
      place.reports.notify(drift('Drift'))
      place.reports.notify({ class: 'site.down', title: 'Down', text: '' })
      await eventually(place.rows, (rows) => rows.length === 4 && settledAs('delivered')(rows))
      assert.deepEqual(all.titles().toSorted(), ['Down', 'Drift'])
      assert.deepEqual(critical.titles(), ['Down'])
      assert.deepEqual(other.titles(), ['Down'])
      assert.deepEqual(off.titles(), [])
    })

    test('a failing server is tried again with the same id, later each time, until it answers', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      receiver.answer = (_, response) => response.writeHead(receiver.received.length < 4 ? 503 : 200).end()
      await place.notifications.create(destination(receiver.url))
      place.reports.notify(drift('Drift'))
      const delays = [await place.failedAttempt(1), await place.failedAttempt(2), await place.failedAttempt(3)]
      await eventually(place.rows, settledAs('delivered'))
      assert.equal(receiver.received.length, 4)
      assert.equal(new Set(receiver.received.map(({ id }) => id)).size, 1)
      const expected = [30_000, 105_000, 367_500]
      for (const [index, delay] of delays.entries()) {
        const usual = expected[index] ?? 0
        assert.ok(delay > 0.75 * usual && delay < 1.25 * usual, `delay ${index + 1}: ${delay}`)
      }
      const { destinations } = await place.notifications.overview()
      assert.equal(destinations[0]?.last_error, null)
    })

    test('Retry-After postpones the next attempt', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      receiver.answer = (_, response) => response.writeHead(429, { 'retry-after': '7200' }).end()
      await place.notifications.create(destination(receiver.url))
      place.reports.notify(drift('Drift'))
      const [row] = await eventually(place.rows, (rows) => rows[0]?.error !== null && rows.length === 1)
      assert.equal(row?.state, 'waiting')
      assert.ok((row?.due_at ?? 0) >= noon + 2 * hour)
      const { destinations } = await place.notifications.overview()
      assert.match(destinations[0]?.last_error ?? '', /answered 429/)
      assert.equal(destinations[0]?.waiting, 1)
    })

    test('after eight attempts a message is given up; it can be sent again, or dismissed', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      receiver.answer = (_, response) => response.writeHead(500).end()
      await place.notifications.create(destination(receiver.url, { name: 'Pager' }))
      place.reports.notify(drift('Drift'))
      for (let attempt = 1; attempt < 8; attempt += 1) await place.failedAttempt(attempt)
      await eventually(place.rows, settledAs('dead'))
      assert.equal(receiver.received.length, 8)
      const { failures, total } = await place.notifications.failures()
      assert.equal(total, 1)
      const [failure] = failures
      assert.ok(failure)
      assert.deepEqual([failure.title, failure.destination, failure.attempts], ['Drift', 'Pager', 8])
      assert.match(failure.error, /answered 500/)
      receiver.answer = (_, response) => void response.end()
      await place.notifications.sendAgain(failure.id)
      await eventually(place.rows, settledAs('delivered'))
      assert.equal((await place.notifications.failures()).total, 0)
      await assert.rejects(place.notifications.sendAgain(failure.id), { name: 'NotificationError' })
    })

    test('what the server refuses for good is given up at once, and dismissed', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      receiver.answer = (_, response) => response.writeHead(410).end()
      await place.notifications.create(destination(receiver.url))
      place.reports.notify(drift('Drift'))
      await eventually(place.rows, settledAs('dead'))
      assert.equal(receiver.received.length, 1)
      const [failure] = (await place.notifications.failures()).failures
      await place.notifications.dismiss(failure?.id ?? '')
      assert.deepEqual(await place.rows(), [])
      await assert.rejects(place.notifications.dismiss(failure?.id ?? ''), { name: 'NotificationError' })
    })

    test('a digest holds messages back and sends them as one', async () => {
      const timers = createFastTimers(1, noon)
      await using place = await open(kind, timers)
      const receiver = await startReceiver()
      await place.notifications.create(destination(receiver.url, { rules: { ...rules, digest: { every: 'hour' } } }))
      // At the same millisecond, mostly.
      const titles = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight']
      for (const title of titles) place.reports.notify(drift(title))
      await eventually(place.rows, (rows) => rows.length === titles.length)
      assert.equal(receiver.received.length, 0)
      timers.jump(hour)
      place.look()
      const [got] = await eventually(
        () => receiver.received,
        (all) => all.length > 0,
      )
      assert.deepEqual(got?.titles, titles)
      assert.equal(got?.type, 'digest')
      await eventually(place.rows, settledAs('delivered'))
      assert.equal(receiver.received.length, 1)
    })

    test('quiet hours hold back all but critical messages', async () => {
      const timers = createFastTimers(1, Date.parse('2026-03-02T22:30:00Z'))
      await using place = await open(kind, timers)
      const receiver = await startReceiver()
      const quiet = { ...rules, quiet_hours: { from: '22:00', to: '23:00' } }
      await place.notifications.create(destination(receiver.url, { rules: quiet }))
      place.reports.notify(drift('Drift'))
      place.reports.notify({ class: 'site.down', title: 'Down', text: '' })
      await eventually(place.rows, (rows) => rows.length === 2 && rows.some(({ state }) => state === 'delivered'))
      assert.deepEqual(receiver.titles(), ['Down'])
      timers.jump(hour / 2)
      place.look()
      await eventually(receiver.titles, (titles) => titles.length === 2)
    })

    test('a destination that hangs holds up no other', async () => {
      await using place = await open(kind)
      const [hanging, fine] = await Promise.all([startReceiver(), startReceiver()])
      hanging.answer = () => undefined
      await place.notifications.create(destination(hanging.url))
      await place.notifications.create(destination(fine.url))
      for (const title of ['One', 'Two', 'Three']) place.reports.notify(drift(title))
      await eventually(fine.titles, (titles) => titles.length === 3)
      assert.equal(hanging.received.length, 1)
      hanging.answer = (_, response) => void response.end()
    })

    test('two processes send each message once between them', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      const other = await place.again()
      await place.notifications.create(destination(receiver.url))
      for (let index = 0; index < 10; index += 1) {
        place.reports.notify(drift(`One ${index}`))
        other.reports.notify(drift(`Other ${index}`))
      }
      await eventually(place.rows, (rows) => rows.length === 20 && settledAs('delivered')(rows), { seconds: 30 })
      assert.equal(new Set(receiver.titles()).size, 20)
      assert.equal(receiver.received.length, 20)
    })

    test('an attempt whose process is gone is made again when its lease has ended', async () => {
      const timers = createFastTimers(1, noon)
      await using place = await open(kind, timers)
      const receiver = await startReceiver()
      await place.notifications.create(destination(receiver.url, { rules: { ...rules, digest: { every: 'hour' } } }))
      place.reports.notify(drift('Drift'))
      const [row] = await eventually(place.rows, (rows) => rows.length === 1)
      const lost = {
        batch: row?.id ?? '',
        lease: 'of a process that is gone',
        lease_until: noon + 2 * hour,
        attempts: 1,
      }
      await place.database.query
        .updateTable('notification_deliveries')
        .set({ ...lost, due_at: noon })
        .execute()
      timers.jump(hour)
      const other = await place.again()
      if (kind === 'postgres') {
        // Another process may still be at it.
        await other.test((await other.overview()).destinations[0]?.id ?? '')
        assert.deepEqual(receiver.titles(), ['Test from Hearth Test'])
        timers.jump(hour)
        await other.sendAgain(row?.id ?? '').catch(() => undefined)
        other.reports.notify(drift('Wakes'))
      }
      await eventually(place.rows, (rows) => rows.some(({ id, state }) => id === row?.id && state === 'delivered'))
      assert.ok(receiver.titles().includes('Drift'))
    })

    test('a test message tells how it ended, at once and whatever the rules', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      const { id } = await place.notifications.create(
        destination(receiver.url, { rules: { ...rules, classes: [], digest: { every: 'day', at: '08:00' } } }),
      )
      const good = await place.notifications.test(id)
      assert.equal(good.is_delivered, true)
      assert.match(good.detail, /answered 200/)
      assert.deepEqual(receiver.titles(), ['Test from Hearth Test'])
      receiver.answer = (_, response) => response.writeHead(403).end()
      const bad = await place.notifications.test(id)
      assert.deepEqual([bad.is_delivered, /answered 403/.test(bad.detail)], [false, true])
      const { destinations } = await place.notifications.overview()
      assert.match(destinations[0]?.last_error ?? '', /403/)
      assert.deepEqual(await place.rows(), [])
    })

    test('secrets are sealed, are never returned, stay when left out, and do not follow to another server', async () => {
      await using place = await open(kind)
      const { notifications } = place
      const ntfy = (server: string, token?: string) =>
        destination('', {
          target: { kind: 'ntfy', server, topic: 'home', ...(token === undefined ? {} : { token }) },
        })
      const { id } = await notifications.create(ntfy('http://127.0.0.1:1/', 'tk_s3cret'))
      const stored = await place.database.query.selectFrom('notification_destinations').selectAll().execute()
      assert.ok(!JSON.stringify(stored).includes('s3cret'))
      assert.ok(!JSON.stringify(await notifications.overview()).includes('s3cret'))
      const kept = await notifications.change(id, ntfy('http://127.0.0.1:1/'))
      assert.equal(kept.target.has_secret, true)
      await assert.rejects(notifications.change(id, ntfy('http://127.0.0.1:2/')), {
        message: 'target.token must be entered again, because the server is another',
      })
      const moved = await notifications.change(id, ntfy('http://127.0.0.1:2/', 'tk_2'))
      assert.equal(moved.target.has_secret, true)
      await assert.rejects(notifications.create(destination('', { target: { kind: 'webhook', url: 'http://a' } })), {
        message: 'target.secret is missing',
      })
    })

    test('a destination that is switched off or deleted loses what waits for it', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      const held = destination(receiver.url, { rules: { ...rules, digest: { every: 'hour' } } })
      const { id } = await place.notifications.create(held)
      place.reports.notify(drift('Drift'))
      await eventually(place.rows, (rows) => rows.length === 1)
      const off = await place.notifications.change(id, { ...held, is_enabled: false })
      assert.equal(off.waiting, 0)
      assert.deepEqual(await place.rows(), [])
      await place.notifications.change(id, held)
      place.reports.notify(drift('Drift'))
      await eventually(place.rows, (rows) => rows.length === 1)
      await place.notifications.remove(id)
      assert.deepEqual(await place.rows(), [])
      await assert.rejects(place.notifications.remove(id), { name: 'NotificationError' })
    })

    test('more messages than a destination may have waiting are given up with that reason', async () => {
      await using place = await open(kind)
      const receiver = await startReceiver()
      await place.notifications.create(destination(receiver.url, { rules: { ...rules, digest: { every: 'hour' } } }))
      const conditions = Array.from({ length: 1002 }, (_, index) => ({
        subject: String(index),
        title: `Down ${index}`,
        text: '',
      }))
      place.reports.replaceAll('site.down', conditions, { ended: () => undefined })
      const { failures, total } = await eventually(
        () => place.notifications.failures(),
        (answer) => answer.failures.length > 0,
        { seconds: 40 },
      )
      assert.equal(total, 2)
      assert.equal(failures[0]?.error, '1000 messages were waiting already')
    })

    test('an event class that the service does not have is refused', async () => {
      await using place = await open(kind)
      const unknown = destination('http://a', { rules: { ...rules, classes: ['drift', 'moon'] } })
      await assert.rejects(place.notifications.create(unknown), {
        message: 'rules.classes holds "moon", which is no event class of this service',
      })
    })
  })

test('many messages that are due at once reach people as one', async () => {
  await using place = await open('sqlite')
  const bodies: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (text: string) => (body += text))
    request.on('end', () => {
      bodies.push(body)
      response.end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => server.close())
  const { port } = server.address() as AddressInfo
  await place.notifications.create(
    destination('', { target: { kind: 'gotify', server: `http://127.0.0.1:${port}`, token: 'A' } }),
  )
  const conditions = Array.from({ length: 40 }, (_, index) => ({
    subject: String(index),
    title: `Down ${index}`,
    text: '',
  }))
  place.reports.replaceAll('site.down', conditions, { ended: () => undefined })
  await eventually(place.rows, (rows) => rows.length === 40 && settledAs('delivered')(rows))
  assert.equal(bodies.length, 1)
  assert.match(JSON.parse(bodies[0] ?? '{}').title, /^40 messages from Hearth Test$/)
})
