import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DeviceError } from './device.ts'
import type { InterfaceRules } from './firewall.ts'
import { parseNetworkAddress } from './network-address.ts'

/** Lets the host pass packets on between networks; never disables it again, because other programs may rely on it. */
export type RaiseForwarding = (rules: readonly InterfaceRules[]) => Promise<void>

/** A `RaiseForwarding` on `/proc/sys/net`, or on another folder of the same form. */
export function createForwarding(folder = '/proc/sys/net'): RaiseForwarding {
  return async (rules) => {
    const routed = rules.filter(({ nat, forwarding }) => nat || forwarding).flatMap(({ subnets }) => subnets)
    const families = new Set(routed.map((subnet) => parseNetworkAddress(subnet).family))
    if (families.has(4)) await raise(join(folder, 'ipv4/ip_forward'))
    if (families.has(6)) await raiseIpv6(folder)
  }
}

/**
 * A host that forwards IPv6 stops listening to router advertisements, and loses its default route with them. Links that listen
 * get the setting that keeps them listening.
 */
async function raiseIpv6(folder: string): Promise<void> {
  const switchFile = join(folder, 'ipv6/conf/all/forwarding')
  if ((await valueOf(switchFile)) === '1') return
  const links = await readdir(join(folder, 'ipv6/conf')).catch(() => [])
  for (const link of links) {
    const file = join(folder, 'ipv6/conf', link, 'accept_ra')
    if ((await valueOf(file)) === '1') await writeFile(file, '2').catch(() => undefined)
  }
  await raise(switchFile)
}

async function raise(file: string): Promise<void> {
  if ((await valueOf(file)) === '1') return
  try {
    await writeFile(file, '1')
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    const name = file
      .split('/')
      .slice(-4)
      .join('.')
      .replace(/^.*?(ipv[46])/, 'net.$1')
    throw new DeviceError(
      `forwarding cannot be switched on (${reason}); set ${name} = 1 with sysctl, or switch forwarding and NAT off`,
    )
  }
}

async function valueOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}
