import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Client } from './client.ts'

/** What an older version of the inverter's service had, as its own tests know it. */
interface Recorded {
  readonly signIn: { readonly path: string; readonly json: unknown }
  readonly answers: Readonly<Record<string, Devices>>
}

interface Devices {
  readonly devices: readonly { readonly device_id: string }[]
}

const recorded = JSON.parse(readFileSync('/trial/older/recorded.json', 'utf8')) as Recorded
const path = '/admin/api/devices'
const idsOf = ({ devices }: Devices) => devices.map(({ device_id: id }) => id)
const before = recorded.answers[path]
assert.ok(before !== undefined)
const client = new Client(8102)
await client.openPage()
await client.call('POST', recorded.signIn.path, recorded.signIn.json)
assert.deepEqual(idsOf(await client.call<Devices>('GET', path)), idsOf(before), 'the devices of the older version')
