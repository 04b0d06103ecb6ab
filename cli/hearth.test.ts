import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeRepository } from './fixture.ts'
import { findServices, type ServiceFolder } from './services.ts'
import { hashSources, stampName } from './web-pages.ts'

test('an unknown command or service is named in one line, with exit code 1', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  const command = await repository.start(['gamma']).ended
  assert.equal(command.code, 1)
  assert.match(command.stderr, /unknown command 'gamma'/)
  assert.equal((await repository.start(['alpha', 'gamma']).ended).code, 1)
  const service = await repository.start(['up', 'gamma']).ended
  assert.deepEqual(service, { code: 1, stdout: '', stderr: 'hearth: there is no service gamma; there are alpha\n' })
})

test('help names every service, also one whose code is broken', async (t) => {
  const repository = makeRepository(t, ['alpha', 'beta'])
  rmSync(join(repository.folder, 'services/beta/src/commands.ts'))
  const help = await repository.start(['--help']).ended
  assert.equal(help.code, 0)
  assert.match(help.stdout, /alpha[^]*beta/)
  assert.match((await repository.start(['help', 'alpha']).ended).stdout, /serve/)
  assert.match((await repository.start(['beta', 'serve']).ended).stderr, /^hearth: beta has no commands\n$/)
})

test('--version prints only the version', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  assert.deepEqual(await repository.start(['--version']).ended, { code: 0, stdout: '1.2.3\n', stderr: '' })
})

test('serve names missing or outdated web pages and the command that builds them', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  const ui = join(repository.folder, 'services/alpha/ui')
  mkdirSync(join(ui, 'dist'), { recursive: true })
  for (const name of ['ui/vite.config.ts', 'ui/main.tsx']) writeFileSync(join(ui, '..', name), 'export {}')
  writeFileSync(join(repository.folder, 'package-lock.json'), '{}')
  const advice = `run npm run setup in ${repository.folder}\n`
  const serve = async (said: RegExp) => {
    const running = repository.start(['alpha', 'serve'])
    await running.wrote(said)
    running.child.kill()
    return (await running.ended).stderr
  }
  assert.equal(await serve(/setup/), `hearth: the web pages of alpha are not built; ${advice}`)
  writeFileSync(join(ui, 'dist/index.html'), '')
  assert.equal(await serve(/setup/), `hearth: the web pages of alpha are older than their sources; ${advice}`)
  const service = findServices(repository.folder)[0] as ServiceFolder
  writeFileSync(join(ui, 'dist', stampName), hashSources(service))
  assert.equal(await serve(/listening on/), '')
  assert.match((await repository.start(['doctor']).ended).stdout, /✓ ok +web pages {2}built/)
  writeFileSync(join(ui, 'main.tsx'), 'export const changed = 1')
  assert.equal(await serve(/setup/), `hearth: the web pages of alpha are older than their sources; ${advice}`)
  const said = await repository.start(['doctor']).ended
  assert.match(said.stdout, /! degraded {2}web pages {2}older than their sources/)
})

test('an unexpected error is one line, and its stack is printed only on request', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  const failed = await repository.start(['alpha', 'fail']).ended
  assert.deepEqual(failed, { code: 1, stdout: '', stderr: 'hearth: first line (LOG_LEVEL=debug shows where)\n' })
  assert.match((await repository.start(['alpha', 'fail'], { LOG_LEVEL: 'debug' }).ended).stderr, /at .*commands\.ts/)
})

test('doctor lists what is installed and fails when something is missing', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  const well = await repository.start(['doctor', '--json']).ended
  assert.equal(well.code, 0, well.stderr)
  const [host, alpha] = JSON.parse(well.stdout) as { title: string; facts: { name: string; detail: string }[] }[]
  assert.equal(host?.facts[0]?.detail, process.version)
  assert.deepEqual(
    alpha?.facts.map(({ name }) => name),
    ['data', 'thing'],
  )
  mkdirSync(join(repository.folder, 'data/alpha'), { recursive: true, mode: 0o755 })
  const open = await repository.start(['doctor']).ended
  assert.equal(open.code, 0)
  assert.match(open.stdout, /! degraded {2}data {3}data\/alpha, mode 755 {2}others on this host can read it/)
  const missing = await repository.start(['doctor'], { ALPHA: 'missing' }).ended
  assert.equal(missing.code, 1)
  assert.match(missing.stdout, /✗ missing/)
  const broken = await repository.start(['doctor'], { ALPHA: 'refuse' }).ended
  assert.match(broken.stdout, /no examination/)
})
