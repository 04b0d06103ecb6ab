import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { eventually } from '@hearth/testing'
import { sampleProcess } from './process-sample.ts'

const skip = existsSync('/proc/self/schedstat') ? false : 'this system has no /proc/PID/schedstat'

async function startProgram(text: string) {
  const child = spawn(process.execPath, ['-e', `${text}; setInterval(() => {}, 1e6); console.log('ready')`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return {
    pid: child.pid ?? 0,
    [Symbol.asyncDispose]: async () => void (child.kill('SIGKILL'), await once(child, 'exit')),
  }
}

test('a process is asleep when all its threads are', { skip }, async () => {
  await using program = await startProgram('')
  await eventually(
    () => sampleProcess(program.pid)?.state,
    (state) => state === 'S',
  )
})

test('a process with another runnable thread is not asleep', { skip }, async () => {
  await using program = await startProgram("new (require('worker_threads').Worker)('for (;;);', { eval: true })")
  await eventually(
    () => sampleProcess(program.pid)?.state,
    (state) => state === 'R',
  )
  const states = Array.from({ length: 50 }, () => sampleProcess(program.pid)?.state)
  assert.ok(!states.includes('S'), states.join(''))
})

test('a stopped process is reported as stopped, and an ended one as missing', { skip }, async () => {
  await using program = await startProgram('')
  process.kill(program.pid, 'SIGSTOP')
  await eventually(
    () => sampleProcess(program.pid)?.state,
    (state) => state === 'T',
  )
  assert.equal(sampleProcess(2 ** 22 + 1), undefined)
})
