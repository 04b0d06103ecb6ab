import { constants } from 'node:fs'
import { access, open, readFile } from 'node:fs/promises'
import type { DoctorCheck } from '@hearth/runtime'
import { isProgram, type RunCommand } from './command.ts'
import { DeviceError } from './device.ts'

/** WireGuard features of this host. A string says why one does not work. */
export interface HostFacts {
  /** The service may change interfaces, routes and firewall: it has CAP_NET_ADMIN, as root usually has. */
  readonly isNetworkAdmin: boolean
  readonly tun: true | string
  readonly kernelModule: true | string
  /** Versions by program, undefined for a missing one. */
  readonly versions: Readonly<Record<Program, string | undefined>>
  readonly nft: true | string
}

/** The programs that are needed: the argument that makes them print their version and end, and their use. */
const programs = {
  ip: { version: '-Version', meaning: 'makes interfaces and sets their addresses' },
  wg: { version: '--version', meaning: 'changes peers of kernel interfaces' },
  'wireguard-go': { version: '--version', meaning: 'tunnels on kernels without WireGuard' },
  nft: { version: '--version', meaning: 'NAT, forwarding switches and isolation of peers' },
} as const

type Program = keyof typeof programs
const programNames = Object.keys(programs) as Program[]

/**
 * Examines the host. Tests the kernel by creating a device with an unused name and removing it at once. Programs are run for
 * their versions, or only looked for, which saves a start four processes.
 */
export async function readHostFacts(run: RunCommand, { withVersions = true } = {}): Promise<HostFacts> {
  const find = async (name: Program) => ((await isProgram(name)) ? 'unknown version' : undefined)
  const versions = await Promise.all(
    programNames.map(async (name) => [name, await (withVersions ? versionOf(run, name) : find(name))] as const),
  )
  return {
    isNetworkAdmin: await hasNetAdmin(),
    tun: await tryTun(),
    kernelModule: await tryKernel(run),
    versions: Object.fromEntries(versions) as HostFacts['versions'],
    nft: await attempt(() => run('nft', ['list', 'tables'])),
  }
}

/** The facts for `hearth doctor`. */
export function describeHost(facts: HostFacts): DoctorCheck[] {
  return [
    ...programNames.map((name) => programFact(name, facts.versions[name])),
    {
      name: 'privileges',
      state: facts.isNetworkAdmin ? 'ok' : 'degraded',
      detail: facts.isNetworkAdmin ? 'CAP_NET_ADMIN' : 'without CAP_NET_ADMIN',
      meaning: facts.isNetworkAdmin ? 'real tunnels can be made' : 'only simulated tunnels can be made',
    },
    usableFact('kernel WireGuard', facts.kernelModule, 'the fastest tunnels; wireguard-go does without'),
    usableFact('/dev/net/tun', facts.tun, 'needed for wireguard-go'),
    usableFact('firewall', facts.nft, 'NAT, forwarding switches and isolation of peers'),
  ]
}

function programFact(name: Program, version: string | undefined): DoctorCheck {
  return {
    name,
    state: version === undefined ? 'missing' : 'ok',
    detail: version ?? 'not installed',
    meaning: programs[name].meaning,
  }
}

function usableFact(name: string, found: true | string, meaning: string): DoctorCheck {
  return { name, state: found === true ? 'ok' : 'degraded', detail: found === true ? 'works' : found, meaning }
}

async function versionOf(run: RunCommand, program: Program): Promise<string | undefined> {
  const text = await run(program, [programs[program].version]).catch(() => undefined)
  return text === undefined ? undefined : (/v?\d+(\.\d+)+/.exec(text)?.[0] ?? 'unknown version')
}

/** Number of CAP_NET_ADMIN in the masks of `/proc/self/status`; see capabilities(7). */
const netAdmin = 12n

async function hasNetAdmin(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  return hasCapability(status, netAdmin)
}

/** True when the text of a `/proc/PID/status` says that the process has the capability of this number in effect. */
export function hasCapability(status: string, number: bigint): boolean {
  const [, mask = '0'] = /^CapEff:\s*([0-9a-f]+)$/m.exec(status) ?? []
  return ((BigInt(`0x${mask}`) >> number) & 1n) === 1n
}

async function tryTun(): Promise<true | string> {
  return attempt(async () => {
    await access('/dev/net/tun', constants.R_OK | constants.W_OK)
    await (await open('/dev/net/tun', 'r+')).close()
  })
}

async function tryKernel(run: RunCommand): Promise<true | string> {
  const name = `hearth${process.pid}`.slice(0, 15)
  const found = await attempt(async () => {
    await run('ip', ['link', 'add', 'dev', name, 'type', 'wireguard'])
    await run('ip', ['link', 'delete', 'dev', name])
  })
  return found !== true && found.includes('Unknown device type') ? 'this kernel has no wireguard module' : found
}

async function attempt(work: () => Promise<unknown>): Promise<true | string> {
  try {
    await work()
    return true
  } catch (error) {
    if (error instanceof DeviceError) return error.message
    return (error as NodeJS.ErrnoException).code ?? 'does not work'
  }
}
