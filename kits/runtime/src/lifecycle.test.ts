import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

/** A process that says `ready`, and closes as told when it is asked to stop. */
function startProcess(close: string) {
  const url = (file: string) => JSON.stringify(new URL(file, import.meta.url))
  const program = `
    import { closeOnSignal } from ${url('./lifecycle.ts')}
    import { createLog } from ${url('./log.ts')}
    import { systemTimers } from ${url('./timers.ts')}
    const busy = setInterval(() => undefined, 1000)
    const service = { async close() { clearInterval(busy); ${close} } }
    closeOnSignal(service, createLog({ name: 'test', level: 'silent' }))
    console.log('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  return { child, output: () => output }
}

async function stop({ child, output }: ReturnType<typeof startProcess>): Promise<[number | null, string]> {
  if (!output().includes('ready')) await once(child.stdout, 'data')
  child.kill('SIGTERM')
  await once(child, 'close')
  return [child.exitCode, output()]
}

test('a process ends when closing is over, also when what it waits for keeps nothing', async () => {
  const stopped = startProcess("await systemTimers.delay(200); console.log('closed')")
  assert.deepEqual(await stop(stopped), [0, 'ready\nclosed\n'])
})

test('a process whose closing fails ends with 1', async () => {
  assert.deepEqual(await stop(startProcess("throw new Error('no')")), [1, 'ready\n'])
})
