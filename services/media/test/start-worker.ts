import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const commandLine = join(import.meta.dirname, '../../../cli/hearth.mjs')

/** Starts a worker process as an operator does, and waits until it works. */
export async function startWorker(environment: Record<string, string>): Promise<ChildProcess> {
  const child = spawn(process.execPath, [commandLine, 'media', 'worker'], {
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(createInterface({ input: child.stdout }), 'line')
  return child
}
