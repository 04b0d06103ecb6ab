import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { runProgram } from './run-program.ts'

test('a finished program returns its exit code and output', async () => {
  const { signal } = new AbortController()
  const words = ['-e', 'console.log("out"); console.error("err"); process.exitCode = 3']
  assert.deepEqual(await runProgram(process.execPath, words, { signal }), { code: 3, stdout: 'out\n', stderr: 'err\n' })
  await assert.rejects(runProgram('/no/such/program', [], { signal }), /ENOENT/)
})

test('an abort ends the program and its child processes', async () => {
  const stop = new AbortController()
  const inner = 'setInterval(() => {}, 1000)'
  const outer = `const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}])
    console.log(child.pid); ${inner}`
  const running = runProgram(process.execPath, ['-e', outer], { signal: stop.signal })
  await pause(500)
  stop.abort()
  const { code, stdout } = await running
  assert.equal(code, null)
  const grandchild = Number(stdout)
  assert.ok(grandchild > 0, 'it had started')
  await pause(200)
  assert.equal(isRunning(grandchild), false)
})

/** A process that has ended may still be listed, when the system's first process is slow to take note of it. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
