import { closeOnSignal, createLog, lockDataDirectory, openDataDirectory, systemTimers } from '@hearth/runtime'
import type { NodeAgentConfig } from './config.ts'
import { openNodeDataPlane } from './data-plane.ts'
import { readIdentity } from './identity.ts'
import { NodeAgent } from './node-agent.ts'

/** Runs this host as a node in the foreground until SIGTERM or SIGINT. Throws an `OperatorError` when it has not joined. */
export async function runNodeAgent(config: NodeAgentConfig, version: string): Promise<void> {
  const { dataDirectory: directory, logLevel, backend, driftCheckSeconds } = config
  const identity = await readIdentity(directory)
  const lock = lockDataDirectory(openDataDirectory(directory))
  const log = createLog({ name: 'vpn-node', level: logLevel })
  const { choice, ...dataPlane } = await openNodeDataPlane({ backend, directory })
  log.info(`tunnels: ${choice.backend}, because ${choice.reason}`)
  const checkEveryMs = driftCheckSeconds * 1000
  const agent = await NodeAgent.open({
    identity,
    directory,
    dataPlane,
    hasTunnels: choice.backend !== 'simulated',
    checkEveryMs,
    log,
    timers: systemTimers,
    version,
  })
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
  process.stdout.write(`node ${identity.name} of ${identity.url}\n`)
  await agent.start()
}
