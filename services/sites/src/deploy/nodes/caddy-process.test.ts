import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createLog, OperatorError, systemTimers, type Timers } from '@hearth/runtime'
import { eventually, temporaryDirectory } from '@hearth/testing'
import { createAdminClient } from './admin-client.ts'
import { startCaddyProcess } from './caddy-process.ts'

const log = createLog({ name: 'test', level: 'silent' })

async function start(folder: string, program = 'caddy') {
  const caddy = await startCaddyProcess({ folder, program, log, timers: systemTimers })
  return Object.assign(caddy, { [Symbol.asyncDispose]: () => caddy.close() })
}

const pidOf = async (folder: string): Promise<number> => Number(await readFile(join(folder, 'caddy.pid'), 'utf8'))

/** Processes that were started with the configuration of the folder. */
const startedIn = (folder: string): string[] =>
  globSync('/proc/[0-9]*/cmdline').filter((file) => {
    try {
      return readFileSync(file, 'utf8').includes(join(folder, 'start.json'))
    } catch {
      return false // It ended meanwhile.
    }
  })

const isRunning = (pid: number): boolean => existsSync(`/proc/${pid}`)

test('Caddy runs with a private socket and stops with the service', async () => {
  await using place = await temporaryDirectory()
  await using caddy = await start(place.path)
  assert.deepEqual((await createAdminClient(caddy.admin).readConfig()).config, {
    admin: { listen: `unix/${join(place.path, 'admin.sock')}` },
  })
  const pid = await pidOf(place.path)
  await caddy.close()
  assert.equal(isRunning(pid), false)
})

test('a crashed Caddy is restarted', async () => {
  await using place = await temporaryDirectory()
  await using caddy = await start(place.path)
  const pid = await pidOf(place.path)
  process.kill(pid, 'SIGKILL')
  await eventually(
    async () => (await pidOf(place.path)) !== pid && caddy.failure === undefined,
    (isBack) => isBack,
  )
  await createAdminClient(caddy.admin).readConfig()
})

test('after the service is killed, Caddy keeps running and the next start adopts it', async () => {
  await using place = await temporaryDirectory()
  await using first = await start(place.path)
  const pid = await pidOf(place.path)
  const config = { admin: { listen: `unix/${join(place.path, 'admin.sock')}` }, apps: { http: { grace_period: 1 } } }
  assert.deepEqual(await createAdminClient(first.admin).replaceConfig(config, undefined), { kind: 'accepted' })
  await using second = await start(place.path)
  assert.equal(await pidOf(place.path), pid)
  assert.deepEqual((await createAdminClient(second.admin).readConfig()).config, config)
  await second.close()
  assert.equal(isRunning(pid), false)
})

test('a service that stops while Caddy restarts leaves no process behind', async () => {
  await using place = await temporaryDirectory()
  const ended = Promise.withResolvers<void>()
  const after: Timers['after'] = (ms, run) =>
    systemTimers.after(ms, () => {
      run()
      void caddy.close().then(ended.resolve, ended.reject)
    })
  const timers = { ...systemTimers, after }
  const caddy = await startCaddyProcess({ folder: place.path, program: 'caddy', log, timers })
  process.kill(await pidOf(place.path), 'SIGKILL')
  await ended.promise
  assert.deepEqual(startedIn(place.path), [])
  // Nor does one begin that closing did not know of.
  await pause(300)
  assert.deepEqual(startedIn(place.path), [])
})

test('a program that cannot be started is named in the error', async () => {
  await using place = await temporaryDirectory()
  await assert.rejects(start(place.path, '/nowhere/caddy'), (error: Error) => {
    assert.ok(error instanceof OperatorError)
    assert.match(error.message, /nowhere\/caddy/)
    return true
  })
})
