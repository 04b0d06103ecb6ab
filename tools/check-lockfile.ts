import { spawnSync } from 'node:child_process'
import { root } from '../cli/services.ts'

/**
 * `npm ci` must accept the lockfile. Some fresh versions in the registry lack packages for other platforms; npm then
 * writes a lockfile that it refuses itself, here and on every other machine.
 */
const result = spawnSync('npm', ['ci', '--dry-run', '--ignore-scripts', '--loglevel=error'], {
  cwd: root,
  encoding: 'utf8',
})
if (result.status !== 0)
  process.stderr.write(`${result.stderr}\nthe lockfile does not fit the packages; see the messages above\n`)
process.exit(result.status ?? 1)
