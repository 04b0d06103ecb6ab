import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { OperatorError } from '@hearth/runtime'
import { readBounded } from './read-bounded.ts'

test('a file is read whole up to the bound, and refused by name beyond it', async () => {
  const file = import.meta.filename
  const whole = await readFile(file)
  assert.deepEqual(Buffer.from(await readBounded(file, whole.length)), whole)
  await assert.rejects(readBounded(file, whole.length - 1), {
    name: 'OperatorError',
    message: `${file}: is larger than ${whole.length - 1} bytes`,
  })
  await assert.rejects(readBounded(`${file}.missing`, 1000), OperatorError)
})

test('a device that never ends is refused as well', async () => {
  await assert.rejects(readBounded('/dev/zero', 1000), OperatorError)
})
