import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually, temporaryDirectory } from '@hearth/testing'

const module = new URL('notify.ts', import.meta.url).href

/** Runs the work with a program in the place of systemd's own, which wants a systemd; returns what it heard when `isDone`. */
async function hearing(
  work: string,
  more: Readonly<Record<string, string>>,
  isDone: (words: string[]) => boolean,
): Promise<string[]> {
  await using folder = await temporaryDirectory('notify')
  const heard = join(folder.path, 'heard')
  writeFileSync(join(folder.path, 'systemd-notify'), '#!/bin/sh\necho "$1" >>"$NOTIFY_SOCKET"\n', { mode: 0o755 })
  const script = `import(${JSON.stringify(module)}).then((it) => ${work}); setInterval(() => {}, 1000)`
  const service = spawn(process.execPath, ['--eval', script], {
    env: { PATH: folder.path, NOTIFY_SOCKET: heard, ...more },
    stdio: 'inherit',
  })
  try {
    return await eventually(
      () => (existsSync(heard) ? readFileSync(heard, 'utf8').trimEnd().split('\n') : []),
      (words) => isDone(words),
    )
  } finally {
    service.kill('SIGKILL')
  }
}

test('systemd hears that the service is ready, and again and again that it is alive', async () => {
  const words = await hearing(
    'it.notifySystemd(process.env, console.error)',
    { WATCHDOG_USEC: '300000' },
    (found) => found.filter((word) => word === 'WATCHDOG=1').length >= 3,
  )
  assert.equal(words[0], '--ready')
})

test('systemd hears that a start takes longer', async () => {
  const words = await hearing('it.extendStart(process.env, 90, console.error)', {}, (found) => found.length > 0)
  assert.deepEqual(words, ['EXTEND_TIMEOUT_USEC=90000000'])
})

/** Prints what comes to a datagram socket of the unix kind, which Node has none of. */
const listen = `use Socket; socket(my $socket, AF_UNIX, SOCK_DGRAM, 0) or die; bind($socket, pack_sockaddr_un($ARGV[0])) or die;
$| = 1; print "listening\\n"; while (defined recv($socket, my $text, 4096, 0)) { print "$text\\n" }`

const obstacle = ['systemd-notify', 'perl'].find((name) => spawnSync(name, ['--version']).error !== undefined)

test(
  'the program of systemd brings both messages to its socket',
  { skip: obstacle !== undefined && `${obstacle} is not installed` },
  async () => {
    await using folder = await temporaryDirectory('notify')
    const socket = join(folder.path, 'socket')
    const receiver = spawn('perl', ['-e', listen, socket], { stdio: ['ignore', 'pipe', 'inherit'] })
    let received = ''
    receiver.stdout.setEncoding('utf8').on('data', (text: string) => (received += text))
    await eventually(
      () => received,
      (text) => text.includes('listening'),
    )
    const script = `import(${JSON.stringify(module)}).then((it) => it.notifySystemd(process.env, console.error)); setInterval(() => {}, 1000)`
    const service = spawn(process.execPath, ['--eval', script], {
      env: { PATH: process.env['PATH'], NOTIFY_SOCKET: socket, WATCHDOG_USEC: '300000' },
      stdio: 'inherit',
    })
    try {
      await eventually(
        () => received,
        (text) => text.includes('READY=1') && text.includes('WATCHDOG=1'),
      )
    } finally {
      service.kill('SIGKILL')
      receiver.kill('SIGKILL')
    }
  },
)
