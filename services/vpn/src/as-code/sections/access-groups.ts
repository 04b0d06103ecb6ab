import { z } from 'zod'
import { AccessGroupCreate } from '../../access-rules/schema.ts'
import { allGroupRows, groupPeerRows } from '../../access-rules/store.ts'
import { nameKey } from '../../envelope.ts'
import { PeerName } from '../../peers/schema.ts'
import { faultsOf } from '../faults.ts'
import { idsNamed, namesOf, peerIds, referencesTo } from '../names.ts'
import type { Section } from '../section.ts'
import { peerNameRows } from '../store.ts'

const { color, tags, name: GroupName } = AccessGroupCreate.shape

const GroupEntry = z.strictObject({ color, tags, peers: z.array(PeerName).max(10_000).default([]) })
type GroupEntry = z.infer<typeof GroupEntry>

const members = { member: 'peers', section: 'peers', noun: 'peer' }

/** The groups of peers, by name, with the peers that were put into them by hand. */
export const accessGroupsSection: Section<GroupEntry> = {
  name: 'access_groups',
  noun: 'group',
  form: 'map',
  schema: GroupEntry,
  names: GroupName,
  defaults: { color: 'blue', tags: [], peers: [] },
  needs: ['peers'],
  prunes: 'last',
  identify: (_, name) => ({ key: nameKey(name), name }),
  references: ({ peers }) => referencesTo(members, peers),
  async read({ parts: { db } }) {
    const names = namesOf(await peerNameRows(db))
    const members = Map.groupBy(await groupPeerRows(db), (row) => row.group_id)
    return (await allGroupRows(db)).map((row) => ({
      id: row.id,
      key: row.name_key,
      name: row.name,
      value: {
        color: row.color,
        tags: JSON.parse(row.tags) as string[],
        peers: (members.get(row.id) ?? []).flatMap(({ peer_id: id }) => names.get(id) ?? []).toSorted(),
      },
    }))
  },
  async apply(context, { create, change }) {
    const { accessGroups } = context.parts
    const ids = await peerIds(context)
    return [
      ...(await faultsOf(
        change,
        ({ wanted }) => wanted.path,
        ({ held, wanted, members: { peers, ...plain } }) =>
          accessGroups.update(held.id, {
            ...plain,
            ...(peers === undefined ? {} : { peer_ids: idsNamed(members, peers, ids) }),
            ...(held.name === wanted.name ? {} : { name: wanted.name }),
          }),
      )),
      ...(await faultsOf(
        create,
        ({ path }) => path,
        ({ name, value: { peers, ...value } }) =>
          accessGroups.create({ ...value, name, peer_ids: idsNamed(members, peers, ids) }),
      )),
    ]
  },
  async remove({ parts }, extra) {
    for (const { id } of extra) await parts.accessGroups.remove(id)
  },
}
