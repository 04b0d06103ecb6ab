import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

/** A process that prints `ready` and runs `close` on SIGTERM. */
function startProcess(close: string, limitMs = 20_000) {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url))
  const program = `
    import { closeOnSignal } from ${url('./lifecycle.ts')}
    import { createLog } from ${url('./log.ts')}
    import { systemTimers } from ${url('./timers.ts')}
    const busy = setInterval(() => undefined, 1000)
    const service = { async close() { clearInterval(busy); ${close} } }
    closeOnSignal(service, createLog({ name: 'test', level: 'silent' }), ${limitMs})
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  return { child, output: () => output, errors: () => errors }
}

async function stop({ child, output }: ReturnType<typeof startProcess>): Promise<[number | null, string]> {
  if (!output().includes('ready')) await once(child.stdout, 'data')
  child.kill('SIGTERM')
  const emergency = setTimeout(() => child.kill('SIGKILL'), 30_000)
  await once(child, 'close')
  clearTimeout(emergency)
  return [child.exitCode, output()]
}

test('a process exits with 0 after close, also when close waits on an unreferenced timer', async () => {
  const stopped = startProcess("await systemTimers.delay(200); console.log('closed')")
  assert.deepEqual(await stop(stopped), [0, 'ready\nclosed\n'])
})

test('a process whose close fails exits with 1', async () => {
  assert.deepEqual(await stop(startProcess("throw new Error('no')")), [1, 'ready\n'])
})

test('a process whose close never ends exits with 1 after the limit', async () => {
  assert.deepEqual(await stop(startProcess('await new Promise(() => undefined)', 300)), [1, 'ready\n'])
})

test('a process with a blocked event loop is killed after the limit, with a message', async () => {
  for (const spin of ['for (;;) await undefined', 'for (;;) continue']) {
    const spinning = startProcess(spin, 300)
    assert.deepEqual(await stop(spinning), [null, 'ready\n'], spin)
    assert.equal(spinning.child.signalCode, 'SIGKILL')
    assert.match(spinning.errors(), /did not stop within 0.8 s/)
  }
})
