import type { Sealer } from '@hearth/credentials'
import type { InterfaceRow } from '../database/tables.ts'
import { invalidField } from '../problems.ts'
import type { Settings } from '../settings/schema.ts'
import { generateKeyPair } from '../wireguard/keys.ts'
import { sealedPlace } from './desired-devices.ts'
import { normaliseResolvers } from './resolvers.ts'
import type { InterfaceCreate, InterfaceUpdate } from './schema.ts'
import { address4Problem, address6Problem, canonicalIpv6, subnet4 } from './subnet.ts'

/** A row for a new interface with a key pair of its own. Throws a `Problem` when this host cannot have the addresses. */
export function newInterfaceRow(
  input: InterfaceCreate & { listen_port: number },
  making: { sealer: Sealer; settings: Settings; now: number },
): InterfaceRow {
  const { sealer, settings, now } = making
  const pair = generateKeyPair()
  return withCheckedAddresses({
    name: input.name,
    address: input.address,
    address6: input.address6 ?? null,
    listen_port: input.listen_port,
    dns: normaliseResolvers(input.dns ?? settings.default_dns),
    mtu: input.mtu ?? settings.default_mtu,
    nat: input.nat === false ? 0 : 1,
    forwarding: input.forwarding === false ? 0 : 1,
    enabled: input.enabled === false ? 0 : 1,
    private_key: sealer.seal(pair.privateKey, sealedPlace.interfaceKey(input.name)),
    public_key: pair.publicKey,
    next_host: subnet4(input.address).network + 1,
    created_at: now,
    updated_at: now,
  })
}

/** The row after a change. */
export function changedInterfaceRow(row: InterfaceRow, changes: InterfaceUpdate, now: number): InterfaceRow {
  if (changes.name !== undefined && changes.name !== row.name) throw invalidField('name', 'cannot change')
  const flag = (value: boolean | undefined, stored: number) => (value === undefined ? stored : Number(value))
  return withCheckedAddresses({
    ...row,
    address: changes.address ?? row.address,
    address6: changes.address6 === undefined ? row.address6 : changes.address6,
    listen_port: changes.listen_port ?? row.listen_port,
    dns: changes.dns === undefined ? row.dns : normaliseResolvers(changes.dns),
    mtu: changes.mtu ?? row.mtu,
    nat: flag(changes.nat, row.nat),
    forwarding: flag(changes.forwarding, row.forwarding),
    enabled: flag(changes.enabled, row.enabled),
    updated_at: now,
  })
}

function withCheckedAddresses(row: InterfaceRow): InterfaceRow {
  const problem4 = address4Problem(row.address)
  if (problem4 !== undefined) throw invalidField('address', problem4)
  if (row.address6 === null) return row
  const problem6 = address6Problem(row.address6)
  if (problem6 !== undefined) throw invalidField('address6', problem6)
  const [address = '', prefix = ''] = row.address6.split('/')
  return { ...row, address6: `${canonicalIpv6(address)}/${prefix}` }
}
