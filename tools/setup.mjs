// Runs on whatever Node the host has (18 or newer) and puts everything else in place, Node 26 included.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))
const lockfile = join(root, 'package-lock.json')
const stamp = join(root, 'node_modules/.hearth-lockfile')
const node26 = join(root, 'node_modules/.bin/node')
const platform = `${process.platform} ${process.arch}`
const isMyTurn = process.argv.includes('--my-turn')

if (Number(process.versions.node.split('.')[0]) < 18)
  fail(`needs Node 18 or newer to set itself up, not ${process.version}`)
if (!existsSync(lockfile)) fail(`${lockfile} is missing; this is not a whole copy of Hearth`)
const wanted = `${createHash('sha256').update(readFileSync(lockfile)).digest('hex')} ${platform}`

if (!isDone()) {
  if (isMyTurn || !waitForTurn()) install()
}
if (!isMyTurn) writeApiTypes()

function isDone() {
  return existsSync(stamp) && existsSync(node26) && readFileSync(stamp, 'utf8') === wanted
}

/**
 * Two set-ups at the same moment take turns: this program runs again under a lock, which the system lets go of however its
 * holder ends. False where there is no `flock` program; then it goes on without.
 */
function waitForTurn() {
  const again = [lockfile, process.execPath, program, '--my-turn']
  const busy = 75
  let result = spawnSync('flock', ['--nonblock', '--conflict-exit-code', String(busy), ...again], { stdio: 'inherit' })
  if (result.error) return false
  if (result.status === busy) {
    console.error('hearth: another set-up is running in this folder; waiting for it')
    result = spawnSync('flock', again, { stdio: 'inherit' })
  }
  if (result.status !== 0) process.exit(result.status ?? 1)
  return true
}

function install() {
  console.error('hearth: installing the npm packages of the lockfile (npm ci)')
  runNpmCi('npm')
  provideLibrary()
  if (!isHostEnough()) {
    console.error(`hearth: for ${process.version} npm leaves out tools that want a newer Node; once more with Node 26`)
    runNpmCi(node26, npmProgram())
  }
  writeFileSync(stamp, wanted)
}

function runNpmCi(program, ...before) {
  // What npm says goes to stderr: stdout belongs to the command that follows.
  const result = spawnSync(program, [...before, 'ci', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] })
  if (result.error) fail(`cannot run npm: ${result.error.message}`)
  if (result.status !== 0)
    fail(`npm ci failed with ${result.signal ?? `exit code ${result.status}`}; the reason is above`)
  if (!existsSync(node26)) provideNode()
}

/** Node 26 needs a library that a minimal Debian lacks: root gets it installed, others are told how. */
function provideLibrary() {
  const isMissing = () => spawnSync(node26, ['--version'], { encoding: 'utf8' }).stderr?.includes('libatomic.so.1')
  if (!isMissing()) return
  const words = ['install', '-y', '-qq', '--no-install-recommends', 'libatomic1']
  if (process.getuid() === 0) {
    console.error('hearth: installing the Debian package libatomic1, which Node 26 needs')
    const apt = (...args) => spawnSync('apt-get', args, { stdio: ['ignore', 2, 2] }).status === 0
    if (!apt(...words) && apt('update', '-qq')) apt(...words)
  }
  if (isMissing()) fail(`Node 26 needs libatomic.so.1; on Debian: sudo apt-get ${words.join(' ')}`)
}

/** npm leaves out optional packages, such as the native parts of Vite and oxlint, whose `engines` the Node it runs on does not fit. */
function isHostEnough() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major === 20 ? minor >= 19 : major > 22 || (major === 22 && minor >= 12)
}

/** npm's own program, for another Node to run: the one that started this, otherwise the one in `PATH` or beside the host's Node. */
function npmProgram() {
  const inPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'npm'))
  const beside = join(process.execPath, '../../lib/node_modules/npm/bin/npm-cli.js')
  const found = [process.env.npm_execpath, ...inPath, beside]
    .filter((file) => file !== undefined && existsSync(file))
    .map((file) => realpathSync(file))
    .find((file) => /npm(-cli)?\.c?js$/.test(file))
  return found ?? fail('npm itself was not found; install Node 22 or newer on this host and try again')
}

/** The types of the APIs, which the web pages are checked against, are made here and not committed. */
function writeApiTypes() {
  const types = join(root, 'tools/api-types.ts')
  if (!existsSync(types)) return
  const result = spawnSync(node26, [types], { stdio: ['ignore', 2, 2] })
  if (result.status !== 0) fail('the types of the APIs could not be made; the reason is above')
}

/**
 * The npm packages have Node 26 for Linux. npm 10, which comes with Node 20, unpacks it but makes no link to it. Elsewhere a
 * Node 26 of the host's own serves.
 */
function provideNode() {
  const packaged = `node-${process.platform}-${process.arch}/bin/node`
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  if (existsSync(join(root, 'node_modules', packaged))) symlinkSync(`../${packaged}`, node26)
  else if (Number(process.versions.node.split('.')[0]) >= 26) symlinkSync(process.execPath, node26)
  else {
    fail(
      `the npm packages have no Node 26 for ${platform}, only for linux x64 and arm64; install Node 26 and try again`,
    )
  }
}

function fail(message) {
  console.error(`hearth: ${message}`)
  process.exit(1)
}
