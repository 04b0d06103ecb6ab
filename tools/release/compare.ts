import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from '../../cli/services.ts'
import { chooseArchitectures, provideNode } from './node-program.ts'

// Makes the release twice, from copies in different folders, with different time zones, languages and file modes, and compares the
// checksums. Its options are those of `npm run release`.
const text = { type: 'string', multiple: true } as const
const { values } = parseArgs({ options: { arch: text, only: text, compression: text } })
const options = process.argv.slice(2)

// Fetched here, where the settings of this machine's network hold.
for (const architecture of chooseArchitectures(values.arch)) provideNode(architecture)

const folder = mkdtempSync(join(tmpdir(), 'hearth-compare-'))
try {
  const places = [
    { name: 'a', umask: 0o022, env: { TZ: 'Asia/Tokyo', LANG: 'C', HOME: '/nonexistent' } },
    { name: 'another-folder/inside', umask: 0o077, env: { TZ: 'America/St_Johns', LANG: 'C.UTF-8' } },
  ]
  const [first, second] = places.map(({ name, umask, env }) => build(join(folder, name), umask, env))
  if (first === undefined || first === '' || first !== second) fail(first ?? '', second ?? '')
  else process.stdout.write(`${first}two builds made the same files\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Copies the sources and packages, makes a release there and returns its checksums. */
function build(place: string, umask: number, env: Readonly<Record<string, string>>): string {
  const before = process.umask(umask)
  copySources(place)
  // Without the history the time of the commit comes from here.
  const time = run('git', ['log', '-1', '--format=%ct'], { cwd: root }).trim()
  const settings = { PATH: process.env['PATH'] ?? '', SOURCE_DATE_EPOCH: time, ...env }
  const began = performance.now()
  run('node_modules/.bin/node', ['tools/release/release.ts', ...options], { cwd: place, env: settings })
  process.umask(before)
  process.stdout.write(`built in ${place} (${((performance.now() - began) / 1000).toFixed(0)} s)\n`)
  return readFileSync(join(place, 'release/SHA256SUMS'), 'utf8')
}

function copySources(place: string): void {
  const words = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  for (const path of run('git', words, { cwd: root }).split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(place, path)), { recursive: true })
    cpSync(join(root, path), join(place, path))
  }
  const packages = join(place, 'node_modules')
  mkdirSync(packages)
  // What was built before must not be taken from the cache.
  const names = readdirSync(join(root, 'node_modules')).filter((name) => name !== '.cache')
  run('cp', ['-a', '--reflink=auto', ...names.map((name) => join(root, 'node_modules', name)), packages], {})
  // The Node of other machines, whose checksum is looked at, is no work of ours.
  const fetched = join(root, 'node_modules/.cache/release')
  if (existsSync(fetched)) cpSync(fetched, join(packages, '.cache/release'), { recursive: true })
  for (const nested of globSync(['*/node_modules', '*/*/node_modules'], { cwd: root, exclude: ['node_modules/**'] }))
    run('cp', ['-a', '--reflink=auto', join(root, nested), join(place, nested)], {})
}

function run(program: string, args: readonly string[], options: { cwd?: string; env?: NodeJS.ProcessEnv }): string {
  const result = spawnSync(program, args, { ...options, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (result.status !== 0)
    throw new Error(`${program} ${args[0]}: ${result.error?.message ?? result.stdout + result.stderr}`)
  return result.stdout
}

function fail(first: string, second: string): void {
  const other = new Set(second.split('\n'))
  const lines = first.split('\n').filter((line) => !other.has(line))
  process.stdout.write(`two builds differ in:\n${lines.map((line) => `  ${line.slice(66)}\n`).join('')}`)
  process.exitCode = 1
}
