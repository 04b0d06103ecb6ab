import type { Kysely } from 'kysely'
import { nameKey } from '../../envelope.ts'
import type { Tables } from '../../tables.ts'
import { allGroupRows } from '../../access-rules/store.ts'
import * as store from './store.ts'
import type { DnsProfileRow } from './tables.ts'

/** The profile of a peer, and what it is assigned to. */
export interface Assignment {
  /** Id of the profile. */
  readonly profile: string
  readonly by: 'peer' | 'group' | 'interface'
  /** Name of the group or the interface. */
  readonly via: string | null
}

interface AssignedGroup {
  readonly profile: string
  readonly name: string
  readonly peers: ReadonlySet<string>
  /** As they are compared. */
  readonly tags: readonly string[]
}

/**
 * What profiles are assigned to. The most exact assignment of a peer counts: its own, then that of a group, then that of its
 * interface. Of several groups it is the one whose profile comes first by name.
 */
export class Assignments {
  readonly #peers = new Map<string, string>()
  readonly #interfaces = new Map<string, string>()
  readonly #groups: readonly AssignedGroup[]

  private constructor(rows: Awaited<ReturnType<typeof store.allTargetRows>>, groups: readonly AssignedGroup[]) {
    this.#groups = groups
    for (const { profile_id: profile, peer_id: peer, interface: name } of rows) {
      if (peer !== null) this.#peers.set(peer, profile)
      if (name !== null) this.#interfaces.set(name, profile)
    }
  }

  /** Reads them; `profiles` are in the order of their names. */
  static async read(db: Kysely<Tables>, profiles: readonly DnsProfileRow[]): Promise<Assignments> {
    if (profiles.length === 0) return new Assignments([], [])
    const rows = await store.allTargetRows(db)
    const ofGroup = new Map(
      rows.flatMap(({ group_id: id, profile_id: profile }) => (id === null ? [] : [[id, profile]])),
    )
    const members = Map.groupBy(await store.groupPeerRows(db, [...ofGroup.keys()]), (row) => row.group_id)
    const groups = ofGroup.size === 0 ? [] : await allGroupRows(db)
    const assigned = groups.flatMap(({ id, name, tags }): AssignedGroup[] => {
      const profile = ofGroup.get(id)
      const peers = new Set(members.get(id)?.map((row) => row.peer_id))
      return profile === undefined ? [] : [{ profile, name, peers, tags: (JSON.parse(tags) as string[]).map(nameKey) }]
    })
    const order = new Map(profiles.map(({ id }, place) => [id, place]))
    const placeOf = ({ profile }: AssignedGroup) => order.get(profile) ?? profiles.length
    return new Assignments(
      rows,
      assigned.toSorted((one, other) => placeOf(one) - placeOf(other)),
    )
  }

  /** The profile of a peer; undefined for none. */
  of({ id, interface: name, tag_keys: tags }: store.ProfilePeerRow): Assignment | undefined {
    const own = this.#peers.get(id)
    if (own !== undefined) return { profile: own, by: 'peer', via: null }
    if (this.#groups.length > 0) {
      const has = new Set(tags.split('\n').filter((tag) => tag !== ''))
      const group = this.#groups.find(({ peers, tags: wanted }) => peers.has(id) || wanted.some((tag) => has.has(tag)))
      if (group !== undefined) return { profile: group.profile, by: 'group', via: group.name }
    }
    const profile = this.#interfaces.get(name)
    return profile === undefined ? undefined : { profile, by: 'interface', via: name }
  }

  /** The profile that is assigned to the peer itself. */
  ownOf(peer: string): string | undefined {
    return this.#peers.get(peer)
  }
}
