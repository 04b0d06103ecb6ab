import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { runProgram } from './run-program.ts'

test('a finished program returns its exit code and output', async () => {
  const { signal } = new AbortController()
  const words = ['-e', 'console.log("out"); console.error("err"); process.exitCode = 3']
  assert.deepEqual(await runProgram(process.execPath, words, { signal }), { code: 3, stdout: 'out\n', stderr: 'err\n' })
  await assert.rejects(runProgram('/no/such/program', [], { signal }), /ENOENT/)
})

test('an abort ends the program and its child processes', async () => {
  await using folder = await temporaryDirectory()
  const file = join(folder.path, 'pid')
  const stop = new AbortController()
  const inner = 'setInterval(() => {}, 1000)'
  const outer = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}])
    require('node:fs').writeFileSync(process.argv[1], child.pid + '.'); ${inner}`
  const running = runProgram(process.execPath, ['-e', outer, file], { signal: stop.signal })
  const pid = await eventually(
    () => readFileSync(file, 'utf8'),
    (text) => text.endsWith('.'),
  )
  stop.abort()
  assert.equal((await running).code, null)
  await eventually(
    () => isRunning(Number.parseInt(pid, 10)),
    (is) => !is,
  )
})

/** A process that has ended may still be listed, when the system's first process is slow to take note of it. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
