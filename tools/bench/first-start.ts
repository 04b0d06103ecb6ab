import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { knownServices } from '@hearth/service'
import { temporaryDirectory } from '@hearth/testing'
import { findServices, root } from '../../cli/services.ts'

/*
 * `npm run bench -- first-start`: time from `npm start` in a fresh clone of the last commit to the answers of all services, with the
 * npm registry as near as it is and Debian's packages installed. The services take their usual ports. Ends with 1 when it is too long.
 */

const limitSeconds = 60
const giveUpSeconds = 600

const urls = findServices().map(
  ({ name, port }) => `http://127.0.0.1:${port}${knownServices.find((known) => known.name === name)?.health ?? '/'}`,
)

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined)
  await response?.bytes()
  return response?.ok === true
}

const allAnswer = async () => (await Promise.all(urls.map(answers))).every(Boolean)

async function measure(): Promise<number> {
  await using folder = await temporaryDirectory('first-start')
  const clone = join(folder.path, 'hearth')
  const { status } = spawnSync('git', ['clone', '--quiet', root, clone], { stdio: 'inherit' })
  if (status !== 0) throw new Error('the repository could not be cloned')
  const begin = performance.now()
  const child = spawn('npm', ['start'], { cwd: clone, stdio: ['ignore', 'ignore', 'inherit'] })
  const seconds = () => (performance.now() - begin) / 1000
  try {
    while (!(await allAnswer())) {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}`)
      if (seconds() > giveUpSeconds) throw new Error(`not all services answered within ${giveUpSeconds} s`)
      await pause(100)
    }
    return seconds()
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
}

if (await allAnswer()) throw new Error('the services run already; stop them first')
const seconds = await measure()
process.stdout.write(
  `npm start to ${urls.length} answering services: ${seconds.toFixed(1)} of ${limitSeconds} s: ${seconds <= limitSeconds ? 'met' : 'missed'}\n`,
)
process.exitCode = seconds <= limitSeconds ? 0 : 1
