import { openAccessTable } from '../access-rules/policy/table.ts'
import { type BackendSetting, chooseForHost, openDataPlane } from '../wireguard/choose-driver.ts'
import { createCommandRunner } from '../wireguard/command.ts'
import { withNodeTables } from './node-tables.ts'

/** Opens what runs tunnels on this host, chosen as in the service: driver, firewall, limits and access rules. */
export async function openNodeDataPlane({ backend, directory }: { backend: BackendSetting; directory: string }) {
  const run = withNodeTables(createCommandRunner())
  const choice = await chooseForHost(backend, run)
  return {
    choice,
    ...openDataPlane(choice.backend, { directory, run }),
    accessTable: openAccessTable(choice.backend, run),
  }
}
export type NodeDataPlane = Awaited<ReturnType<typeof openNodeDataPlane>>
