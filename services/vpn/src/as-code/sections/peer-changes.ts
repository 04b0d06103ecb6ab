import { allListRows } from '../../lists/store.ts'
import type { NewPeer } from '../../peers/many-new-peers.ts'
import type { PeerAlteration } from '../../peers/many-altered-peers.ts'
import type { PeerKeys } from '../../peers/new-peer.ts'
import type { PeerUpdate } from '../../peers/schema.ts'
import { invalidField, Problem } from '../../problems.ts'
import { generatePresharedKey, publicKeyOf } from '../../wireguard/keys.ts'
import { faultsOf, faultsOfMany, prepared } from '../faults.ts'
import { type Ids, idsNamed, idsOf, peerIds } from '../names.ts'
import { secretPlace } from '../secrets.ts'
import type { Change, Fault, SectionContext, Wanted, Work } from '../section.ts'
import { openSecret } from './interfaces.ts'
import type { PeerEntry } from './peer-entry.ts'

/** Changes peers, then creates new ones, each as one, and sets their quotas. */
export async function applyPeers(context: SectionContext, work: Work<PeerEntry>): Promise<Fault[]> {
  const { peers, db } = context.parts
  const lists = idsOf(await allListRows(db))
  const changes = prepared(
    work.change,
    ({ wanted }) => wanted.path,
    (change) => alterationOf(context, change, lists),
  )
  const creations = prepared(
    work.create,
    ({ path }) => path,
    (wanted) => newPeerOf(context, wanted, lists),
  )
  const unusable = [...changes.faults, ...creations.faults]
  if (unusable.length > 0) return unusable
  const altered = changes.items.filter(({ made }) => Object.keys(made.changes).length > 0 || made.keys !== undefined)
  const problems = await peers.alterMany(altered.map(({ made }) => made))
  const faults = faultsOfMany(altered, ({ item }) => item.wanted.path, problems)
  if (creations.items.length > 0) {
    const made = creations.items.map((each) => each.made)
    const outcomes = await peers.createMany(made, { isTrial: faults.length > 0 })
    const refused = outcomes.map((outcome) => (outcome instanceof Problem ? outcome : undefined))
    faults.push(...faultsOfMany(creations.items, ({ item }) => item.path, refused))
  }
  return faults.length > 0 ? faults : setQuotas(context, work)
}

function newPeerOf(context: SectionContext, { name, value }: Wanted<PeerEntry>, lists: Ids): NewPeer {
  const { private_key: privateKey, preshared_key: preshared, quota: _, blocklists, ...input } = value
  const keys = keysOf(context, value)
  if (privateKey !== undefined && keys === undefined) throw invalidField('private_key', 'needs public_key beside it')
  return {
    ...input,
    ...(context.allowHostOverlap ? { allow_host_overlap: true } : {}),
    ...(preshared === undefined ? {} : { use_preshared_key: preshared !== false }),
    name,
    blocklist_ids: listIds(blocklists, lists),
    keys,
  }
}

function alterationOf(
  context: SectionContext,
  { held, wanted, members }: Change<PeerEntry>,
  lists: Ids,
): PeerAlteration {
  const { private_key: _, preshared_key: preshared, quota: _q, blocklists, interface: on, ...changes } = members
  if (on !== undefined)
    throw invalidField('interface', 'cannot change; give the peer another name and key on the other interface')
  const isKeyed = members.private_key !== undefined || typeof preshared === 'string'
  const update: PeerUpdate = {
    ...changes,
    ...(changes.networks !== undefined && context.allowHostOverlap ? { allow_host_overlap: true } : {}),
    ...(typeof preshared === 'boolean' ? { use_preshared_key: preshared } : {}),
    ...(held.name === wanted.name ? {} : { name: wanted.name }),
    ...(blocklists === undefined ? {} : { blocklist_ids: listIds(blocklists, lists) }),
  }
  // What the file does not say of the same key stays as it is.
  const isSameKey = members.public_key === undefined
  const keys = isKeyed
    ? keysOf(context, isSameKey ? { ...held.value, ...given(wanted.value) } : wanted.value)
    : undefined
  return { id: held.id, changes: update, keys }
}

function given(entry: PeerEntry): PeerEntry {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined)) as PeerEntry
}

/** The keys that an entry has in a file with secrets; undefined when it has none. */
function keysOf({ secrets }: SectionContext, entry: PeerEntry): PeerKeys | undefined {
  const { public_key: publicKey, private_key: sealed, preshared_key: preshared } = entry
  if (secrets === undefined || publicKey === undefined) return undefined
  if (sealed === undefined && typeof preshared !== 'string') return undefined
  const privateKey =
    sealed === undefined ? null : openSecret(secrets, { sealed, place: secretPlace.peerKey(publicKey) })
  if (privateKey === undefined || (privateKey !== null && publicKeyOf(privateKey) !== publicKey))
    throw invalidField('private_key', 'does not belong to this public_key')
  return { publicKey, privateKey, presharedKey: presharedOf(secrets, publicKey, preshared) }
}

function presharedOf(
  secrets: NonNullable<SectionContext['secrets']>,
  publicKey: string,
  preshared: PeerEntry['preshared_key'],
): string | null {
  if (preshared === false) return null
  if (typeof preshared !== 'string') return generatePresharedKey()
  const opened = openSecret(secrets, { sealed: preshared, place: secretPlace.presharedKey(publicKey) })
  if (opened === undefined) throw invalidField('preshared_key', 'does not belong to this public_key')
  return opened
}

/** The member with the lists of a peer. */
export const blocklistsOfPeer = { member: 'blocklists', noun: 'list' }

const listIds = (names: PeerEntry['blocklists'], lists: Ids): string[] | null =>
  names && idsNamed(blocklistsOfPeer, names, lists)

async function setQuotas(context: SectionContext, { create, change }: Work<PeerEntry>): Promise<Fault[]> {
  const changed = change.filter(({ members }) => members.quota !== undefined).map(({ wanted }) => wanted)
  const wanted = [...changed, ...create.filter(({ value }) => value.quota !== null)]
  if (wanted.length === 0) return []
  const { quotas } = context.parts
  const ids = await peerIds(context)
  return faultsOf(
    wanted,
    ({ path }) => [...path, 'quota'],
    async ({ key, value: { quota } }) => {
      const id = ids.get(key) ?? ''
      await (quota === null ? quotas.remove(id) : quotas.set(id, quota))
    },
  )
}
