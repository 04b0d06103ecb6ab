// Runs on whatever Node the host has (18 or newer) and puts everything else in place, Node 26 included.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stamp = join(root, 'node_modules/.hearth-lockfile')
const claim = join(root, '.hearth-setup')
const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
const isDone = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted

if (!isDone()) {
  await oneAtATime(() => {
    if (isDone()) return
    console.error('hearth: installing the npm packages of the lockfile (npm ci)')
    const result = spawnSync('npm', ['ci', '--loglevel=error'], { cwd: root, stdio: ['ignore', 2, 2] })
    if (result.status !== 0) fail(`npm ci failed (${result.error?.message ?? `exit code ${result.status}`}); see above`)
    if (!existsSync(join(root, 'node_modules/.bin/node')))
      fail(`no Node 26 for ${process.platform} ${process.arch} in the npm registry; Hearth runs on linux x64 and arm64`)
    writeFileSync(stamp, wanted)
  })
}

/** Two starts at the same moment take turns; a claim left behind by a crash is taken over after ten minutes. */
async function oneAtATime(work) {
  const deadline = Date.now() + 600_000
  for (;;) {
    try {
      mkdirSync(claim)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') fail(`cannot write to ${root}: ${error.message}`)
      if (Date.now() > deadline) break
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
  const release = () => rmSync(claim, { recursive: true, force: true })
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => (release(), process.exit(1)))
  process.once('exit', release)
  work()
}

function fail(message) {
  console.error(`hearth: ${message}`)
  process.exit(1)
}
