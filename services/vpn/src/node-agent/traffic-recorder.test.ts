import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { systemClock } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import type { DeviceState } from '../wireguard/device.ts'
import { stateFileName } from './state-file.ts'
import { journalFileName, TrafficRecorder } from './traffic-recorder.ts'

/** A device with one peer that transferred so much. */
const device = (bytes: number): DeviceState => {
  const peer = { publicKey: 'key', rxBytes: bytes, txBytes: bytes, latestHandshake: 1, endpoint: null }
  return { peers: new Map([['key', peer]]) } as unknown as DeviceState
}

async function countedAfter(directory: string, bytes: number): Promise<number | undefined> {
  const recorder = await TrafficRecorder.open({ directory, clock: systemClock, log: { warn: () => undefined } })
  await recorder.take(['wg0'], async () => device(bytes))
  return (await recorder.toSend())?.batches[0]?.peers[0]?.rx
}

test('what was transferred before the first reading counts, also when the program was killed before it', async () => {
  await using folder = await temporaryDirectory('recorder')
  await TrafficRecorder.open({ directory: folder.path, clock: systemClock, log: { warn: () => undefined } })
  // The program took over a state and was killed.
  await writeFile(join(folder.path, stateFileName), '{}')
  assert.equal(await countedAfter(folder.path, 700), 700)
})

test('when the journal is gone although the node ran, what the devices show by then is not counted again', async () => {
  await using folder = await temporaryDirectory('recorder')
  await writeFile(join(folder.path, stateFileName), '{}')
  await rm(join(folder.path, journalFileName), { force: true })
  assert.equal(await countedAfter(folder.path, 700), undefined)
})
