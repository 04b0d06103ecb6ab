import { z } from 'zod'
import type { RunCommand } from './command.ts'
import { checkedInterfaceName, type DeviceConfig, DeviceError } from './device.ts'
import { cidrOf } from './network-address.ts'
import { readRoutes, setRoutes } from './kernel-routes.ts'

/** A network link as the system shows it. */
export interface Link {
  readonly name: string
  /** Kind of the link: `wireguard`, `tun`, `veth`, … or empty for hardware. */
  readonly kind: string
  readonly isUp: boolean
  readonly mtu: number
  /** Addresses with their prefix, without the link-local ones the kernel makes itself. */
  readonly addresses: readonly string[]
}

const Links = z.array(
  z.object({
    ifname: z.string().optional(),
    flags: z.array(z.string()).default([]),
    mtu: z.number().default(0),
    linkinfo: z.object({ info_kind: z.string().optional() }).optional(),
    addr_info: z
      .array(z.object({ local: z.string().optional(), prefixlen: z.number().optional(), scope: z.string().optional() }))
      .default([]),
  }),
)

/** All links of this host, or the one of that name. */
async function showLinks(run: RunCommand, args: readonly string[]): Promise<Link[]> {
  const text = await run('ip', ['-json', '-details', 'address', 'show', ...args])
  const parsed = Links.safeParse(text.trim() === '' ? [] : JSON.parse(text))
  if (!parsed.success) throw new DeviceError('ip address show: the answer has an unknown form')
  return parsed.data.flatMap(({ ifname, flags, mtu, linkinfo, addr_info }) => {
    if (ifname === undefined) return []
    const addresses = addr_info.flatMap(({ local, prefixlen, scope }) =>
      local === undefined || prefixlen === undefined || scope === 'link' ? [] : [`${local}/${prefixlen}`],
    )
    return [{ name: ifname, kind: linkinfo?.info_kind ?? '', isUp: flags.includes('UP'), mtu, addresses }]
  })
}

/** All network links of this host. */
export function listLinks(run: RunCommand): Promise<Link[]> {
  return showLinks(run, [])
}

/** The link of that name, or undefined when there is none. */
export async function findLink(run: RunCommand, name: string): Promise<Link | undefined> {
  try {
    const links = await showLinks(run, ['dev', checkedInterfaceName(name)])
    return links.find((link) => link.name === name)
  } catch (error) {
    if (error instanceof DeviceError && /does not exist/.test(error.message)) return undefined
    throw error
  }
}

/**
 * Gives a link its addresses, MTU and routes, with as few changes as possible, and brings it up. Missing addresses come before
 * stale ones go, so that the host keeps an address throughout.
 */
export async function adjustLink(
  run: RunCommand,
  link: Link,
  config: Pick<DeviceConfig, 'addresses' | 'mtu' | 'routes'>,
): Promise<void> {
  const wanted = config.addresses.map(cidrOf)
  const changes: string[] = []
  if (link.mtu !== config.mtu) changes.push('mtu', String(config.mtu))
  if (!link.isUp) changes.push('up')
  if (changes.length > 0) await run('ip', ['link', 'set', 'dev', link.name, ...changes])
  await addMissing(run, link, wanted)
  const stale = link.addresses.filter((address) => !wanted.includes(address))
  for (const address of stale) await run('ip', ['address', 'delete', address, 'dev', link.name])
  // With the first address of a network the kernel drops the others of that network too.
  const left = stale.length === 0 ? undefined : await findLink(run, link.name)
  if (left !== undefined) await addMissing(run, left, wanted)
  await setRoutes(run, link.name, config.routes)
}

async function addMissing(run: RunCommand, link: Link, wanted: readonly string[]): Promise<void> {
  for (const address of wanted) {
    if (!link.addresses.includes(address)) await run('ip', ['address', 'add', address, 'dev', link.name])
  }
}

/** Compares the link of a device with its configuration; see `linkDifferences`. */
export async function compareLink(run: RunCommand, config: DeviceConfig): Promise<string[]> {
  const link = await findLink(run, config.name)
  return linkDifferences(link && { ...link, routes: await readRoutes(run, config.name) }, config)
}

/** Returns the differences of a link to its configuration, in words; empty for none. */
export function linkDifferences(
  link: (Link & { readonly routes: readonly string[] }) | undefined,
  config: Pick<DeviceConfig, 'addresses' | 'mtu' | 'routes'>,
): string[] {
  if (link === undefined) return ['device missing']
  const wanted = config.addresses.map(cidrOf)
  return [
    ...(link.isUp ? [] : ['link down']),
    ...(link.mtu === config.mtu ? [] : [`mtu ${link.mtu}`]),
    ...wanted.filter((address) => !link.addresses.includes(address)).map((address) => `address ${address} missing`),
    ...link.addresses.filter((address) => !wanted.includes(address)).map((address) => `address ${address} extra`),
    ...config.routes.filter((network) => !link.routes.includes(network)).map((network) => `route ${network} missing`),
    ...link.routes.filter((network) => !config.routes.includes(network)).map((network) => `route ${network} extra`),
  ]
}

/** Removes a link; not an error when it is not there. */
export async function deleteLink(run: RunCommand, name: string): Promise<void> {
  try {
    await run('ip', ['link', 'delete', 'dev', checkedInterfaceName(name)])
  } catch (error) {
    if (!(error instanceof DeviceError && /Cannot find device|does not exist/.test(error.message))) throw error
  }
}
