import { randomUUIDv7 } from 'node:crypto'
import type { Kysely } from 'kysely'
import { allGroupRows, unknownPeers } from '../../access-rules/store.ts'
import { invalidField } from '../../problems.ts'
import type { Tables } from '../../tables.ts'
import type { DnsProfileUpdate } from './schema.ts'
import * as store from './store.ts'

const nothing = { peer_id: null, group_id: null, interface: null }

/** Replaces what a profile is assigned to, as far as a change says; others lose what it takes. Throws a `Problem` for the unknown. */
export async function replaceTargets(trx: Kysely<Tables>, profile: string, changes: DnsProfileUpdate): Promise<void> {
  const { peer_ids: peers, group_ids: groups, interfaces } = changes
  if (peers !== undefined) {
    const unknown = await unknownPeers(trx, peers)
    refuseUnknown('peer_ids', peers, (id) => unknown.has(id))
    await replace(trx, { profile, kind: 'peer_id', names: peers })
  }
  if (groups !== undefined) {
    const known = new Set((await allGroupRows(trx)).map(({ id }) => id))
    refuseUnknown('group_ids', groups, (id) => !known.has(id))
    await replace(trx, { profile, kind: 'group_id', names: groups })
  }
  if (interfaces !== undefined) {
    const known = new Set(await store.interfaceNames(trx))
    refuseUnknown('interfaces', interfaces, (name) => !known.has(name))
    await replace(trx, { profile, kind: 'interface', names: interfaces })
  }
}

interface Replacing {
  readonly profile: string
  readonly kind: store.TargetKind
  readonly names: readonly string[]
}

async function replace(trx: Kysely<Tables>, { profile, kind, names }: Replacing): Promise<void> {
  const wanted = [...new Set(names)]
  await store.deleteTargetsOf(trx, profile, kind)
  await store.deleteTargets(trx, kind, wanted)
  await store.insertTargetRows(
    trx,
    wanted.map((name) => Object.assign({ id: randomUUIDv7(), profile_id: profile }, nothing, { [kind]: name })),
  )
}

function refuseUnknown(path: string, names: readonly string[], isUnknown: (name: string) => boolean): void {
  const place = names.findIndex(isUnknown)
  const what = { peer_ids: 'peer', group_ids: 'group', interfaces: 'interface' }[path] ?? path
  if (place >= 0) throw invalidField(`${path}.${place}`, `is no ${what}`, 'unknown')
}
