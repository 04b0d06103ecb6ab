import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { eventually, startServiceProcess, temporaryDirectory } from '@hearth/testing'
import type { Step } from '../src/acme/orders/order-machine.ts'
import { openOrderPlace, orderObstacle } from './order-place.ts'

const steps: readonly Step[] = [
  'account',
  'order',
  'read',
  'publish',
  'spread',
  'validate',
  'finalize',
  'download',
  'idle',
]

interface State {
  readonly step: Step
  readonly nextAt: number
  readonly records: number
  readonly certificates: number
  readonly chain: string
}

/** Reads how far the only order is, past the service. */
function readState(file: string): State {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.exec('pragma busy_timeout = 5000')
    const one = (sql: string) => database.prepare(sql).get() as Record<string, number | string>
    const order = one('select progress, next_at from certificate_orders')
    return {
      step: (JSON.parse(String(order['progress'])) as { step: Step }).step,
      nextAt: Number(order['next_at']),
      records: Number(one('select count(*) as count from challenge_records')['count']),
      certificates: Number(
        one('select count(*) as count from uploaded_certificates where deleted_at is null')['count'],
      ),
      chain: String(one('select max(chain) as chain from uploaded_certificates')['chain']),
    }
  } finally {
    database.close()
  }
}

const skip = (await orderObstacle()) ?? false

test(
  'killed at any step, a renewal goes on: one account, one certificate, no record left',
  { skip },
  async (context) => {
    await using data = await temporaryDirectory('killed')
    await using place = await openOrderPlace({ folder: join(data.path, 'data'), caddy: false })
    const provider = await place.addProvider()
    const order = await place.order({
      name: 'House',
      domains: ['example.org', '*.example.org'],
      provider_id: provider.id,
    })
    await place.until(order.id, ({ state, records }) => state === 'valid' && records.length === 0)
    await place.sites[Symbol.asyncDispose]()
    const root = join(data.path, 'root.pem')
    await writeFile(root, place.pebble.root)
    const folder = join(data.path, 'data')
    const environment = {
      ...place.environment,
      DATA_DIR: folder,
      CADDY_ADMIN: 'http://127.0.0.1:9',
      NODE_EXTRA_CA_CERTS: root,
    }
    const file = join(folder, 'sites.db')
    const killedAt: Step[] = []
    for (const [index, step] of steps.slice(0, -1).entries()) {
      const before = readState(file)
      renew(file)
      const first = await startServiceProcess('sites', environment)
      const reached = await eventually(
        () => readState(file),
        (state) => steps.indexOf(state.step) >= index,
        { everyMs: 5, what: step },
      )
      await first.kill()
      killedAt.push(reached.step)
      assert.notEqual(readState(file).chain, '', 'a certificate is there all the time')
      await using second = await startServiceProcess('sites', environment)
      await eventually(
        () => readState(file),
        (state) => state.step === 'idle' && state.records === 0 && state.chain !== before.chain,
        { what: `the end of a renewal that was killed at ${reached.step}` },
      )
      await second.stop()
      assert.deepEqual(
        await place.names.txt('_acme-challenge.example.org'),
        [],
        `records after a kill at ${reached.step}`,
      )
      assert.equal(readState(file).certificates, 1)
    }
    context.diagnostic(`killed at ${killedAt.join(', ')}`)
    const accounts = place.pebble.output().match(/There are now (\d+) accounts/g) ?? []
    assert.deepEqual(accounts, ['There are now 1 accounts'])
  },
)

/** Makes the renewal due, as an administrator does on the page. */
function renew(file: string): void {
  const database = new DatabaseSync(file)
  database.prepare('update certificate_orders set progress = ?, next_at = 0').run(JSON.stringify({ step: 'account' }))
  database.close()
}
