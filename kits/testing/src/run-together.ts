import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

/** How a program ended, and what it complained of. */
export interface TogetherEnd {
  readonly code: number | null
  readonly complaint: string
}

/**
 * Runs the same module text in several processes. `process.argv` gives it the folder, and the moment (milliseconds since the
 * epoch) at which all of them have started and may begin.
 */
export async function runTogether(
  module: string,
  { folder, processes, startMs }: { folder: string; processes: number; startMs: number },
): Promise<TogetherEnd[]> {
  const begin = String(Date.now() + startMs)
  const ends = Array.from({ length: processes }, async () => {
    const words = ['--input-type=module', '--eval', module, folder, begin]
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', 'pipe'] })
    const [complaint, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
    return { code: code as number | null, complaint }
  })
  return Promise.all(ends)
}
