import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'

const module = new URL('notify.ts', import.meta.url).href

test('systemd hears that the service is ready, and again and again that it is alive', async () => {
  await using folder = await temporaryDirectory('notify')
  const heard = join(folder.path, 'heard')
  // In the place of systemd's own program, which wants a systemd.
  writeFileSync(join(folder.path, 'systemd-notify'), '#!/bin/sh\necho "$1" >>"$NOTIFY_SOCKET"\n', { mode: 0o755 })
  const work = `import(${JSON.stringify(module)}).then((it) => it.notifySystemd(process.env, console.error)); setInterval(() => {}, 1000)`
  const service = spawn(process.execPath, ['--eval', work], {
    env: { PATH: folder.path, NOTIFY_SOCKET: heard, WATCHDOG_USEC: '300000' },
    stdio: 'inherit',
  })
  try {
    const words = await eventually(
      () => (existsSync(heard) ? readFileSync(heard, 'utf8').trimEnd().split('\n') : []),
      (found) => found.filter((word) => word === 'WATCHDOG=1').length >= 3,
    )
    assert.equal(words[0], '--ready')
  } finally {
    service.kill('SIGKILL')
  }
})
