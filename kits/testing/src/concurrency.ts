import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** Exit code and error output of a program. */
export interface ProcessEnd {
  readonly code: number | null
  readonly errors: string
}

/**
 * Runs the same module text in several processes. `process.argv` gives it the folder, and the moment (milliseconds since the
 * epoch) at which all of them have started and may begin.
 */
export async function runConcurrently(
  module: string,
  { folder, processes, startMs }: { folder: string; processes: number; startMs: number },
): Promise<ProcessEnd[]> {
  const begin = String(Date.now() + startMs)
  const ends = Array.from({ length: processes }, async () => {
    const args = ['--input-type=module', '--eval', module, folder, begin]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    return { code: code as number | null, errors }
  })
  return Promise.all(ends)
}

/** Makes calls at the same time and returns their statuses, sorted. */
export async function concurrentStatuses(
  call: (index: number) => Promise<{ readonly status: number }>,
  count = 8,
): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => call(index)))
  return answers.map(({ status }) => status).sort((a, b) => a - b)
}

/** Result of `concurrentStatuses` when one call succeeds and every other is refused with a conflict. */
export function onlyOne(status: number, count = 8): number[] {
  return [status, ...Array.from({ length: count - 1 }, () => 409)]
}
