import type { Database } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { AccountTables } from '../accounts/tables.ts'
import { usersIn } from '../accounts/users.ts'
import { conflict, invalidField, notFound } from '../problems.ts'
import { allSiteRows } from '../sites/store.ts'
import { wantedOfRow } from '../sites/site-change.ts'
import { groupsOf, maxGroups } from '../sites/sign-in-schema.ts'
import type { SiteTables } from '../sites/tables.ts'
import type { ApplicationSignIn } from './applications.ts'
import type { PortalState } from './portal-state.ts'
import type { AccessGroup, AccessGroupCreate } from './schema.ts'
import * as store from './store.ts'
import type { PortalTables } from './tables.ts'

/** Dependencies of the groups of users. */
export interface GroupDependencies {
  readonly database: Database<AccountTables & PortalTables & SiteTables>
  readonly clock: Clock
  readonly state: Pick<PortalState, 'refresh'>
  readonly applications: Pick<ApplicationSignIn, 'namingGroup'>
}

/** Groups of users, which protected sites name. Decisions know of an edit before it resolves. */
export type Groups = ReturnType<typeof createGroups>

/** Creates the groups. A group keeps its name, and one that a site or an application names is not deleted. */
export function createGroups({ database, clock, state, applications }: GroupDependencies) {
  const db = database.query
  const list = async (): Promise<AccessGroup[]> => {
    const groups = await store.listGroups(db)
    return groups.map(({ name, created_at: createdAt, user_ids }) => ({
      name,
      user_ids,
      created_at: new Date(createdAt).toISOString(),
    }))
  }
  async function get(name: string): Promise<AccessGroup> {
    const group = (await list()).find((one) => one.name === name)
    if (group === undefined) throw notFound('group')
    return group
  }
  async function checkUsers(ids: readonly string[]): Promise<void> {
    const known = new Set((await usersIn(db).list()).map((user) => user.id))
    const missing = ids.find((id) => !known.has(id))
    if (missing !== undefined) throw invalidField('user_ids', `name a user that there is not: ${missing}`)
  }
  async function replaceMembers(name: string, ids: readonly string[]): Promise<void> {
    await checkUsers(ids)
    await db.transaction().execute((trx) => store.replaceMemberRows(trx, name, [...new Set(ids)]))
  }
  return {
    list,
    async create({ name, user_ids: ids }: AccessGroupCreate): Promise<AccessGroup> {
      await checkUsers(ids)
      if ((await store.listGroupRows(db)).length >= maxGroups) throw conflict(`There are ${maxGroups} groups already`)
      const isNew = await store.insertGroupRow(db, { name, created_at: clock.now() })
      if (!isNew) throw conflict(`There is a group ${name} already`, 'name_taken')
      await replaceMembers(name, ids)
      await state.refresh()
      return get(name)
    },
    /** Replaces the members of a group. */
    async update(name: string, ids: readonly string[]): Promise<AccessGroup> {
      await get(name)
      await replaceMembers(name, ids)
      await state.refresh()
      return get(name)
    },
    async remove(name: string): Promise<void> {
      await get(name)
      const site = (await allSiteRows(db)).find((row) => groupsOf(wantedOfRow(row).record.sign_in).includes(name))
      if (site !== undefined) throw conflict(`The site ${site.name} names this group`, 'group_in_use')
      const application = await applications.namingGroup(name)
      if (application !== undefined) throw conflict(`The application ${application} names this group`, 'group_in_use')
      await store.deleteGroupRow(db, name)
      await state.refresh()
    },
  }
}
