import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { hasMemoryLimits, makeRepository, type Repository } from './fixture.ts'
import { root } from './services.ts'

/** Versions of Node that hosts have; the one at hand is what npm was started with. */
const versions = ['18.20.8', '20.20.2', '22.23.3']

/** The packages of the repository as npm 10 leaves them: without a link to Node 26. */
function addPackages({ folder }: Repository): void {
  cpSync(join(root, 'cli'), join(folder, 'cli'), { recursive: true })
  mkdirSync(join(folder, 'node_modules'))
  for (const name of readdirSync(join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name))
  }
}

for (const version of versions) {
  test(`the command line runs on Node ${version}, also without a link to Node 26`, async (t) => {
    const host = provideNode(version)
    if (host === undefined) return t.skip(`node ${version} could not be had from the registry`)
    assert.equal(execFileSync(host, ['--version'], { encoding: 'utf8' }).trim(), `v${version}`)
    const repository = makeRepository(t, ['alpha'])
    const early = await run(host, repository, ['alpha', 'serve'])
    assert.equal(early.code, 1)
    assert.match(early.stderr, /^hearth: not set up yet; run npm start, or npm run setup, in \S+ first\n$/)
    assert.deepEqual(await run(host, repository, ['--version']), { code: 0, stdout: '1.2.3\n', stderr: '' })
    addPackages(repository)
    assert.deepEqual(await run(host, repository, ['--version']), { code: 0, stdout: '1.2.3\n', stderr: '' })
    assert.equal((await run(host, repository, ['gamma'])).code, 1)
    await stopsWith(t, host, repository)
  })
}

test('the host’s Node 26 is used when the packages have none for the platform', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  addPackages(repository)
  rmSync(join(repository.folder, `node_modules/node-${process.platform}-${process.arch}`), { force: true })
  assert.deepEqual(await run(process.execPath, repository, ['--version']), { code: 0, stdout: '1.2.3\n', stderr: '' })
  assert.match((await run(process.execPath, repository, ['gamma'])).stderr, /unknown command 'gamma'/)
})

test('npx hearth works before set-up without asking the registry for a package named hearth', async (t) => {
  const { folder } = makeRepository(t, ['alpha'])
  mkdirSync(join(folder, 'cli'))
  for (const name of ['package.json', 'package-lock.json', 'cli/hearth.mjs', 'cli/memory-limits.mjs'])
    cpSync(join(root, name), join(folder, name))
  const env = { ...process.env, npm_config_cache: join(folder, 'npm-cache'), npm_config_offline: 'true' }
  const options = { cwd: folder, env, encoding: 'utf8' } as const
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const answer = spawnSync('npx', ['--yes', 'hearth', '--version'], options)
  assert.equal(answer.stdout, `${version}\n`, answer.stderr)
  const serve = spawnSync('npx', ['--yes', 'hearth', 'vpn', 'serve'], options)
  assert.match(serve.stderr, /^hearth: not set up yet; run npm start, or npm run setup, in /m)
})

test('a service that is started on Node 26 runs with the limits of memory, under the process number it had', async (t) => {
  const repository = makeRepository(t, ['alpha'])
  addPackages(repository)
  const child = spawn(process.execPath, [join(repository.folder, 'cli/hearth.mjs'), 'alpha', 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines: string[] = []
  child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text))
  while (!lines.join('').includes('listening on')) await once(child.stdout, 'data')
  assert.equal(processIn(lines), String(child.pid))
  assert.ok(hasMemoryLimits(processIn(lines)))
  child.kill('SIGTERM')
  assert.deepEqual(await once(child, 'exit'), [0, null])
})

/** The process that a made-up service says it is. */
const processIn = (lines: readonly string[]): string => /is process (\d+)/.exec(lines.join(''))?.[1] ?? ''

/** A service that an older Node handed over ends with it, however that happens. */
async function stopsWith(t: TestContext, host: string, repository: Repository): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const child = spawn(host, [join(repository.folder, 'cli/hearth.mjs'), 'alpha', 'serve'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const lines: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => lines.push(text))
    const exited = once(child, 'exit')
    const closed = once(child.stdout, 'close')
    while (!lines.join('').includes('listening on')) {
      await Promise.race([once(child.stdout, 'data'), closed.then(() => assert.fail('it ended before it listened'))])
    }
    assert.ok(hasMemoryLimits(processIn(lines)))
    child.kill(signal)
    // The pipe closes when the service, which writes to it too, is gone.
    await closed
    assert.match(lines.join(''), /alpha stops/)
    assert.deepEqual(await exited, signal === 'SIGTERM' ? [0, null] : [null, 'SIGKILL'])
  }
}

async function run(host: string, { folder }: Repository, args: readonly string[]) {
  const program = join(folder, 'cli/hearth.mjs')
  mkdirSync(join(folder, 'cli'), { recursive: true })
  for (const name of ['hearth.mjs', 'memory-limits.mjs']) cpSync(join(root, 'cli', name), join(folder, 'cli', name))
  const child = spawn(host, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...texts }
}

/** The program of a version of Node, from npm's registry, kept between runs; undefined where it cannot be had. */
function provideNode(version: string): string | undefined {
  const cache = join(root, 'node_modules/.cache/host-nodes')
  const folder = join(cache, version)
  const program = join(folder, 'package/bin/node')
  if (existsSync(program)) return program
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(tmpdir(), 'hearth-node-'))
  try {
    const name = `node-${process.platform}-${process.arch}@${version}`
    const text = execFileSync('npm', ['pack', name, '--silent', '--pack-destination', fresh], {
      encoding: 'utf8',
      timeout: 120_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    execFileSync('tar', ['-xzf', join(fresh, text.trim().split('\n').at(-1) ?? ''), '-C', fresh, 'package/bin/node'])
    cpSync(fresh, `${folder}-${process.pid}`, { recursive: true })
    if (!existsSync(folder)) renameSync(`${folder}-${process.pid}`, folder)
    return program
  } catch {
    return undefined
  } finally {
    rmSync(fresh, { recursive: true })
    rmSync(`${folder}-${process.pid}`, { recursive: true, force: true })
  }
}

for (const { version, ranOn } of [
  { version: '18.20.8', ranOn: ['18.20.8', process.versions.node] },
  { version: '20.20.2', ranOn: ['20.20.2'] },
]) {
  test(`set-up on Node ${version} runs npm with a Node version for which npm installs every package`, (t) => {
    const host = provideNode(version)
    if (host === undefined) return t.skip(`node ${version} could not be had from the registry`)
    const { folder } = makeRepository(t, [])
    for (const name of ['tools', 'bin']) mkdirSync(join(folder, name), { recursive: true })
    cpSync(join(root, 'tools/setup.mjs'), join(folder, 'tools/setup.mjs'))
    writeFileSync(join(folder, 'package-lock.json'), '{}')
    const npm = `#!/usr/bin/env node
      const { appendFileSync, mkdirSync, rmSync, symlinkSync } = require('node:fs')
      appendFileSync('calls', process.versions.node + ' ' + process.argv.slice(2).join(' ') + '\\n')
      rmSync('node_modules', { recursive: true, force: true })
      mkdirSync('node_modules/.bin', { recursive: true })
      symlinkSync(${JSON.stringify(process.execPath)}, 'node_modules/.bin/node')`
    writeFileSync(join(folder, 'bin/npm-cli.cjs'), npm, { mode: 0o755 })
    symlinkSync('npm-cli.cjs', join(folder, 'bin/npm'))
    const env = { PATH: `${join(folder, 'bin')}:${join(host, '..')}:${process.env['PATH']}` }
    const setUp = spawnSync(host, [join(folder, 'tools/setup.mjs')], { cwd: folder, env, encoding: 'utf8' })
    assert.equal(setUp.status, 0, setUp.stderr)
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
    assert.deepEqual(
      calls,
      ranOn.map((each) => `${each} ci --loglevel=error`),
    )
  })
}
