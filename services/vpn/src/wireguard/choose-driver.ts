import { OperatorError } from '@hearth/runtime'
import type { RunCommand } from './command.ts'
import type { Backend, WireGuardDriver } from './device.ts'
import { createFirewall, createSimulatedFirewall, type Firewall } from './firewall.ts'
import { createForwarding } from './forwarding.ts'
import { readHostFacts, type HostFacts } from './host-facts.ts'
import { createKernelDriver } from './kernel-driver.ts'
import { createLimitTable, createSimulatedLimitTable, type LimitTable } from './limit-table.ts'
import { createSimulatedDriver } from './simulated-driver.ts'
import { createUserspaceDriver } from './userspace-driver.ts'

/** The data plane that fits this host, and why it is that one. */
export interface DataPlaneChoice {
  readonly backend: Backend
  /** One sentence for the log, `hearth doctor` and the start-up lines. */
  readonly reason: string
  /** Advice for getting a better one; null for the best. */
  readonly advice: string | null
}

/** Values of `WIREGUARD_BACKEND`. */
export type BackendSetting = Backend | 'auto'

const askedSimulation: DataPlaneChoice = {
  backend: 'simulated',
  reason: 'WIREGUARD_BACKEND is set to simulated',
  advice: 'unset WIREGUARD_BACKEND, or set it to auto',
}

/** Examines this host, unless a simulation was asked for, and picks the backend. */
export async function chooseForHost(setting: BackendSetting, run: RunCommand): Promise<DataPlaneChoice> {
  if (setting === 'simulated') return askedSimulation
  return chooseBackend(setting, await readHostFacts(run, { withVersions: false }))
}

/**
 * Picks the backend. `auto` takes the kernel where it works, then wireguard-go, then the simulation. A backend that was
 * named but cannot work is an `OperatorError`.
 */
export function chooseBackend(setting: BackendSetting, facts: HostFacts): DataPlaneChoice {
  if (setting === 'simulated') return askedSimulation
  const obstacles = { kernel: kernelObstacle(facts), userspace: userspaceObstacle(facts) }
  if (setting !== 'auto') {
    const obstacle = obstacles[setting]
    if (obstacle !== null) throw new OperatorError(`WIREGUARD_BACKEND: ${setting} cannot work here: ${obstacle}`)
    return { backend: setting, reason: `WIREGUARD_BACKEND is set to ${setting}`, advice: null }
  }
  if (obstacles.kernel === null) return { backend: 'kernel', reason: 'the kernel has WireGuard', advice: null }
  if (obstacles.userspace === null) {
    const advice = 'a kernel with the wireguard module and the package wireguard-tools would be faster'
    return { backend: 'userspace', reason: `wireguard-go works; ${obstacles.kernel}`, advice }
  }
  const reason = `tunnels are simulated and carry no traffic: ${obstacles.userspace}`
  return { backend: 'simulated', reason, advice: adviceFor(facts) }
}

/** The driver, the firewall and the bandwidth limits for a choice. `directory` is the data directory, for the simulation's files. */
export function openDataPlane(
  backend: Backend,
  options: { readonly directory: string; readonly run: RunCommand },
): { driver: WireGuardDriver; firewall: Firewall; limitTable: LimitTable } {
  const { directory, run } = options
  if (backend === 'simulated')
    return {
      driver: createSimulatedDriver(directory),
      firewall: createSimulatedFirewall(),
      limitTable: createSimulatedLimitTable(),
    }
  const driver = backend === 'kernel' ? createKernelDriver(run) : createUserspaceDriver(run)
  return { driver, firewall: createFirewall(run, createForwarding()), limitTable: createLimitTable(run) }
}

function kernelObstacle(facts: HostFacts): string | null {
  return (
    commonObstacle(facts) ??
    missing(facts, 'wg') ??
    (facts.kernelModule === true ? null : 'the kernel has no WireGuard')
  )
}

function userspaceObstacle(facts: HostFacts): string | null {
  return (
    commonObstacle(facts) ??
    missing(facts, 'wireguard-go') ??
    (facts.tun === true ? null : `/dev/net/tun cannot be opened (${facts.tun})`)
  )
}

function commonObstacle(facts: HostFacts): string | null {
  if (!facts.isNetworkAdmin) return 'the service may not change the network (CAP_NET_ADMIN)'
  return (
    missing(facts, 'ip') ?? missing(facts, 'nft') ?? (facts.nft === true ? null : `nft does not work (${facts.nft})`)
  )
}

function missing(facts: HostFacts, program: keyof HostFacts['versions']): string | null {
  return facts.versions[program] === undefined ? `${program} is not installed` : null
}

function adviceFor(facts: HostFacts): string {
  const packages = { ip: 'iproute2', nft: 'nftables', wg: 'wireguard-tools', 'wireguard-go': 'wireguard-go' }
  const absent = Object.entries(packages).filter(
    ([program]) => facts.versions[program as keyof typeof packages] === undefined,
  )
  const steps = [
    ...(absent.length === 0 ? [] : [`install ${absent.map(([, name]) => name).join(', ')}`]),
    ...(facts.tun === true ? [] : ['give the host or container /dev/net/tun']),
    ...(facts.isNetworkAdmin ? [] : ['run the service as root or with CAP_NET_ADMIN']),
  ]
  return `for real tunnels: ${steps.length === 0 ? 'make nft work on this host' : steps.join(', ')}`
}
