import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSealer } from '@hearth/credentials'
import { openDatabase } from '@hearth/database'
import { createOutboundAllow } from '@hearth/outbound'
import { createLog, systemTimers } from '@hearth/runtime'
import { eventually, startWebhookReceiver, temporaryDirectory } from '@hearth/testing'
import { Notifications } from '../notifications.ts'
import { createNotificationTables, type NotificationTables } from '../tables.ts'

/** Places at which the process is killed: after so many requests reached the receiver, before or after its answer. */
const places = [
  [1, 'asked'],
  [1, 'answered'],
  [4, 'asked'],
  [4, 'answered'],
] as const

const titles = Array.from({ length: 6 }, (_, index) => `Drift ${index}`)

/** Opens the notifications of the database in a folder. */
function open(folder: string) {
  const database = openDatabase<NotificationTables>({ file: join(folder, 'test.db') })
  const notifications = new Notifications(database, {
    sealer: createSealer(Buffer.alloc(32, 1)),
    timers: systemTimers,
    log: createLog({ name: 'test', level: 'silent' }),
    allow: createOutboundAllow(['127.0.0.1']),
    service: 'Test',
    publicUrl: undefined,
    classes: [{ id: 'drift', group: 'Sites', label: 'Drift', severity: 'warning' }],
  })
  return { database, notifications }
}

const [, , role, folder = '', url = ''] = process.argv
if (role === 'killed') {
  const { notifications } = open(folder)
  await notifications.create({
    name: 'Hook',
    is_enabled: true,
    target: { kind: 'webhook', url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` },
    rules: {
      classes: null,
      minimum_severity: 'info',
      time_zone: 'UTC',
      quiet_hours: null,
      digest: { every: 'message' },
    },
  })
  for (const title of titles) notifications.reports.notify({ class: 'drift', title, text: '' })
  await notifications.stored()
  process.stdout.write('stored\n')
  await notifications.start()
  // Until it is killed.
  setInterval(() => undefined, 1000)
} else
  for (const [count, moment] of places)
    test(`a process that is killed when request ${count} is ${moment} loses no message, and repeats at most that one`, async () => {
      await using directory = await temporaryDirectory('killed')
      await using receiver = await startWebhookReceiver()
      const first = open(directory.path)
      await createNotificationTables(first.database.query as never)
      await first.database.close()
      const child = spawn(process.execPath, [import.meta.filename, 'killed', directory.path, receiver.url], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      receiver.answer = (_, response) => {
        if (receiver.received.length !== count) return void response.end()
        if (moment === 'answered') response.end()
        child.kill('SIGKILL')
      }
      await once(child, 'exit')
      receiver.answer = (_, response) => void response.end()
      const { database, notifications } = open(directory.path)
      await notifications.start()
      await eventually(
        () => new Set(receiver.titles()).size,
        (size) => size === titles.length,
      )
      await notifications.close()
      await database.close()
      assert.deepEqual([...new Set(receiver.titles())].toSorted(), titles)
      assert.ok(receiver.received.length <= titles.length + 1)
      // A receiver recognises a repetition by its id.
      assert.equal(new Set(receiver.received.map(({ id }) => id)).size, titles.length)
    })
