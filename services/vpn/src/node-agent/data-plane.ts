import { openAccessTable } from '../access-rules/policy/table.ts'
import { type GateDependencies, openHandshakeGate } from '../handshakes/handshake-gate.ts'
import { type BackendSetting, chooseForHost, openDataPlane } from '../wireguard/choose-driver.ts'
import { createCommandRunner } from '../wireguard/command.ts'
import { withNodeTables } from './node-tables.ts'

/** Opens what runs tunnels on this host, chosen as in the service: driver, firewall, limits, access rules and what holds handshakes. */
export async function openNodeDataPlane({ backend, directory }: { backend: BackendSetting; directory: string }) {
  const run = withNodeTables(createCommandRunner())
  const choice = await chooseForHost(backend, run)
  return {
    choice,
    ...openDataPlane(choice.backend, { directory, run }),
    accessTable: openAccessTable(choice.backend, run),
    openGate: (options: Pick<GateDependencies, 'log' | 'timers'>) =>
      openHandshakeGate(choice.backend, { run, ...options }),
  }
}
export type NodeDataPlane = Awaited<ReturnType<typeof openNodeDataPlane>>
