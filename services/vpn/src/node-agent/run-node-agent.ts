import { closeOnSignal, createLog, lockDataDirectory, openDataDirectory, systemTimers } from '@hearth/runtime'
import type { NodeAgentConfig } from './config.ts'
import { readIdentity } from './identity.ts'
import { NodeAgent } from './node-agent.ts'

/** Runs this host as a node in the foreground until SIGTERM or SIGINT. Throws an `OperatorError` when it has not joined. */
export async function runNodeAgent({ dataDirectory, logLevel }: NodeAgentConfig, version: string): Promise<void> {
  const identity = await readIdentity(dataDirectory)
  const lock = lockDataDirectory(openDataDirectory(dataDirectory))
  const log = createLog({ name: 'vpn-node', level: logLevel })
  const agent = new NodeAgent({ identity, log, timers: systemTimers, version })
  // Timers do not keep the process alive.
  const alive = setInterval(() => undefined, 60_000)
  closeOnSignal(
    {
      async close() {
        await agent.close()
        clearInterval(alive)
        lock.release()
      },
    },
    log,
  )
  agent.start()
  process.stdout.write(`node ${identity.name} of ${identity.url}\n`)
}
