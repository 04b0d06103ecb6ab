import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'

const program = '/usr/bin/promtool'

/** Returns the reason why promtool is not available, for a skipped test; false when it is. */
export function promtoolObstacle(): string | false {
  return existsSync(program) ? false : `promtool is not installed (${program} not found)`
}

/** Runs promtool and returns what it finds wrong; an empty text when all is well. `input` goes to its standard input. */
export async function promtoolProblems(args: readonly string[], input = ''): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  const child = execFile(program, args, { timeout: 60_000 }, (error, stdout, stderr) =>
    resolve(error === null ? '' : `${stdout}${stderr}` || error.message),
  )
  child.stdin?.end(input)
  return promise
}
