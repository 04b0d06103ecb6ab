import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const program = `
const { createLog } = await import(${JSON.stringify(new URL('log.ts', import.meta.url).href)})
createLog({ name: 'lamp', level: 'info' }).info({ room: 'kitchen', password: 'hunter2' }, 'switched on')
`

async function log(environment: Record<string, string>): Promise<string> {
  const env = { PATH: process.env['PATH'], ...environment }
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env })
  return stderr
}

test('a log is one JSON object a line, without secrets', async () => {
  const line = JSON.parse(await log({})) as Record<string, unknown>
  assert.deepEqual([line['name'], line['msg'], line['room']], ['lamp', 'switched on', 'kitchen'])
  assert.equal('password' in line, false)
})

test('a log is text for people, without secrets, when what reads it writes to a terminal', async () => {
  const text = await log({ HEARTH_TERMINAL: '1' })
  assert.match(text, /\d\d:\d\d:\d\d.*INFO.*switched on/)
  assert.match(text, /room.*kitchen/)
  assert.doesNotMatch(text, /hunter2|^\{/)
})
