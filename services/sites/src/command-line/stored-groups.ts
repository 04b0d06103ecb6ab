import { recordCommand } from '@hearth/accounts/security-log'
import type { Kysely } from 'kysely'
import type { AccountTables } from '../accounts/tables.ts'
import { usersIn } from '../accounts/users.ts'
import type { GroupEntry, PlannedGroup, StoredGroups } from '../as-code/group-plan.ts'
import type { OpenIdProviderTables } from '../openid-provider/tables.ts'
import { conflict } from '../problems.ts'
import * as store from '../portal/store.ts'
import type { PortalTables } from '../portal/tables.ts'

/** A database, or a transaction of one, with users and their groups. */
export type GroupQuery = Kysely<AccountTables & PortalTables & OpenIdProviderTables>

/** Returns the groups and users that there are; `applications` are the names of applications by the groups that they name. */
export async function readStoredGroups(
  db: GroupQuery,
  applications: StoredGroups['applications'],
): Promise<StoredGroups> {
  const groups = await store.listGroups(db)
  const users = await usersIn(db).list()
  return {
    groups: groups.map(({ name, user_ids: userIds }) => ({ name, userIds })),
    users: new Map(users.map(({ id, username }) => [username.toLowerCase(), id])),
    applications,
  }
}

/** Returns the groups as a file has them, with the names of their users. */
export async function groupEntries(db: GroupQuery): Promise<GroupEntry[]> {
  const groups = await store.listGroups(db)
  const names = new Map((await usersIn(db).list()).map(({ id, username }) => [id, username]))
  return groups.map(({ name, user_ids: ids }) => ({ name, users: ids.flatMap((id) => names.get(id) ?? []) }))
}

const pasts = { create: 'created', change: 'changed', delete: 'deleted' } as const

/**
 * Makes the groups what a plan says, and notes it in the security log. `now` is milliseconds since the epoch. A conflict when one
 * of them is no longer as it was when the plan was made.
 */
export async function writeGroups(trx: GroupQuery, changes: readonly PlannedGroup[], now: number): Promise<void> {
  const present = new Map((await store.listGroups(trx)).map(({ name, user_ids: ids }) => [name, ids.toSorted()]))
  for (const { kind, name, userIds, before } of changes) {
    if (present.get(name)?.join() !== before?.join())
      throw conflict(`Somebody else changed the group ${name} meanwhile`, 'changed_meanwhile')
    if (kind === 'delete') await store.deleteGroupRow(trx, name)
    else {
      await store.insertGroupRow(trx, { name, created_at: now })
      await store.replaceMemberRows(trx, name, userIds)
    }
    const event = { kind: 'rights_changed', target: name, detail: `group ${pasts[kind]} by a file` } as const
    await recordCommand(trx, event, now)
  }
}
