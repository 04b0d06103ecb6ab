import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { hasMemoryLimits, makeRepository } from './fixture.ts'

test('up runs several services, prefixes their output with their names, and SIGTERM stops all', async (t) => {
  const up = makeRepository(t, ['alpha', 'be']).start(['up'])
  await up.wrote(/Ctrl-C stops them/)
  assert.match(up.text(), /^alpha \| listening on /m)
  assert.match(up.text(), /^be {4}\| listening on /m)
  assert.match(up.text(), /^ {2}The alpha {2}http:\/\/127\.0\.0\.1:1\n {2}The be {5}http:\/\/127\.0\.0\.1:1$/m)
  const pids = [...up.text().matchAll(/is process (\d+)/g)].map(([, pid]) => Number(pid))
  assert.equal(pids.length, 2)
  assert.deepEqual(pids.map(hasMemoryLimits), [true, true])
  up.child.kill('SIGTERM')
  assert.equal((await up.ended).code, 0)
  assert.match(up.text(), /alpha stops/)
  assert.deepEqual(pids.filter(isRunning), [])
})

test('services log text when hearth up runs on a terminal, and JSON otherwise', async (t) => {
  const repository = makeRepository(t, ['alpha', 'be'])
  const piped = repository.start(['up'])
  await piped.wrote(/Ctrl-C stops them/)
  assert.doesNotMatch(piped.text(), /logs for a terminal/)
  const [command, ...args] = [process.execPath, join(repository.folder, 'hearth.ts'), 'up']
  const terminal = spawn('script', ['--quiet', '--return', '--command', [command, ...args].join(' '), '/dev/null'])
  let text = ''
  terminal.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  t.after(() => terminal.kill('SIGKILL'))
  while (!text.includes('Ctrl-C stops them')) await once(terminal.stdout, 'data')
  assert.match(text, /alpha \| alpha logs for a terminal/)
  assert.match(text, /be {4}\| be logs for a terminal/)
  const pids = [...text.matchAll(/is process (\d+)/g)].map(([, pid]) => Number(pid))
  terminal.stdin.write('\u0003')
  await once(terminal, 'close')
  for (const pid of pids) await gone(pid)
})

test('a second SIGINT right after the first counts as the same Ctrl-C', async (t) => {
  const up = makeRepository(t, ['alpha']).start(['up'], { ALPHA: 'slow' })
  await up.wrote(/Ctrl-C stops it/)
  up.child.kill('SIGINT')
  await pause(20)
  up.child.kill('SIGINT')
  assert.equal((await up.ended).code, 0)
  assert.match(up.text(), /^alpha stops$/m)
})

test('a second signal kills a service that does not stop', async (t) => {
  const up = makeRepository(t, ['alpha']).start(['up'], { ALPHA: 'stubborn' })
  const [, pid] = await up.wrote(/is process (\d+)\nlistening/)
  up.child.kill('SIGTERM')
  await pause(1200)
  assert.equal(isRunning(Number(pid)), true)
  up.child.kill('SIGTERM')
  assert.equal((await up.ended).code, 0)
  assert.equal(isRunning(Number(pid)), false)
})

test('services stop when hearth up is killed', async (t) => {
  const up = makeRepository(t, ['alpha']).start(['up'])
  const [, pid] = await up.wrote(/is process (\d+)\nlistening/)
  up.child.kill('SIGKILL')
  await up.ended
  await gone(Number(pid))
})

test('a service stops when the npx shell that started it is killed', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  const args = ['-c', '"$@"; true', 'sh', process.execPath, join(repository.folder, 'hearth.ts'), 'alpha', 'serve']
  const shell = spawn('sh', args, {
    env: { ...process.env, npm_lifecycle_event: 'npx' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  shell.stdout.setEncoding('utf8').on('data', (part: string) => (text += part))
  while (!text.includes('listening')) await pause(20)
  shell.kill('SIGTERM')
  await once(shell, 'close')
  assert.match(text, /alpha stops/)
  await gone(Number(/is process (\d+)/.exec(text)?.[1]))
})

test('a service that exits unexpectedly is restarted', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  const up = repository.start(['up'], { ALPHA: 'die', MARK: join(repository.folder, 'died') })
  await up.wrote(/alpha ended unexpectedly \(exit code 4\); starting it again in 1 s/)
  await up.wrote(/listening[^]*listening/)
  up.child.kill('SIGTERM')
  assert.equal((await up.ended).code, 0)
})

test('a service with invalid settings is not restarted; when it is the only one, up exits with 1', async (t) => {
  const repository = makeRepository(t, ['alpha', 'be'])
  const alone = await repository.start(['up', 'alpha'], { ALPHA: 'refuse' }).ended
  assert.equal(alone.code, 1)
  assert.match(alone.stderr, /WRONG: must be right[^]*alpha refused to start\nhearth: no service could start\n$/)
  const up = repository.start(['up'], { ALPHA: 'refuse' })
  await up.wrote(/The alpha {2}refused to start; the reason is above\n {2}The be {5}http/)
  up.child.kill('SIGTERM')
  assert.equal((await up.ended).code, 0)
})

test('a service that crashes during its first start is restarted', async (t) => {
  const up = makeRepository(t, ['alpha']).start(['up'], { ALPHA: 'crash' })
  await up.wrote(/exit code 3\); starting it again in 1 s[^]*again in 2 s/)
  up.child.kill('SIGTERM')
  assert.equal((await up.ended).code, 0)
})

test('a setting that services cannot share is refused when several run', async (t) => {
  const repository = makeRepository(t, ['alpha', 'be'])
  const refused = await repository.start(['up'], { BIND_PORT: '9000' }).ended
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^hearth: BIND_PORT: cannot be the same for several services/)
  const alone = repository.start(['up', 'be'], { BIND_PORT: '9000' })
  await alone.wrote(/listening/)
})

async function gone(pid: number): Promise<void> {
  for (let waited = 0; isRunning(pid) && waited < 5000; waited += 50) await pause(50)
  assert.equal(isRunning(pid), false)
}

/** A process that has ended may still be listed, when the system's first process is slow to take note of it. */
function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}
