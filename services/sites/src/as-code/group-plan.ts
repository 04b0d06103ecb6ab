import type { SiteRecord } from '../sites/schema.ts'
import { groupsOf } from '../sites/sign-in-schema.ts'

/** A group of users as a file has it. */
export interface GroupEntry {
  readonly name: string
  /** Names of its users, sorted. */
  readonly users: readonly string[]
}

/** What is to be done with one group. */
export interface PlannedGroup {
  readonly kind: 'create' | 'change' | 'delete'
  readonly name: string
  readonly userIds: readonly string[]
  /** Ids of its users when the plan was made, sorted; undefined for a new group. */
  readonly before: readonly string[] | undefined
  /** Names of the users that come into the group, and of those that leave it. */
  readonly joining: readonly string[]
  readonly leaving: readonly string[]
}

/** What there is. */
export interface StoredGroups {
  readonly groups: readonly { readonly name: string; readonly userIds: readonly string[] }[]
  /** Ids of the users by their names in lower case. */
  readonly users: ReadonlyMap<string, string>
  /** Names of applications by the groups that they name. */
  readonly applications: ReadonlyMap<string, string>
}

/** A plan, and the reasons for which the file is refused. */
export interface GroupPlan {
  readonly changes: readonly PlannedGroup[]
  readonly reasons: readonly string[]
}

/**
 * Compares the groups of a file with those that are stored. A file that says nothing of groups (undefined) changes none; with
 * `prune` those that it does not have are deleted. `staying` are the sites that there will be besides those of the file.
 */
export function planGroups(
  file: readonly GroupEntry[] | undefined,
  { groups, users, applications }: StoredGroups,
  { prune, staying }: { readonly prune: boolean; readonly staying: readonly SiteRecord[] },
): GroupPlan {
  if (file === undefined) return { changes: [], reasons: [] }
  const reasons: string[] = []
  const names = new Map(Array.from(users, ([user, id]) => [id, user]))
  const namesOf = (ids: readonly string[]) => ids.map((id) => names.get(id) ?? id).sort()
  const changeOf = (
    name: string,
    userIds: readonly string[],
    old: StoredGroups['groups'][number] | undefined,
  ): PlannedGroup => {
    const ids = old?.userIds ?? []
    return {
      kind: old === undefined ? 'create' : 'change',
      name,
      userIds,
      before: old && [...ids].sort(),
      joining: namesOf(userIds.filter((id) => !ids.includes(id))),
      leaving: namesOf(ids.filter((id) => !userIds.includes(id))),
    }
  }
  const before = new Map(groups.map((group) => [group.name, group]))
  const changes: PlannedGroup[] = file.flatMap(({ name, users: names }): PlannedGroup[] => {
    const found = names.flatMap((user) => {
      const id = users.get(user.toLowerCase())
      if (id === undefined) reasons.push(`group ${name}: there is no user ${user}`)
      return id === undefined ? [] : [id]
    })
    const userIds = [...new Set(found)]
    const change = changeOf(name, userIds, before.get(name))
    const isSame = change.kind === 'change' && change.joining.length + change.leaving.length === 0
    return isSame ? [] : [change]
  })
  const known = new Set(file.map(({ name }) => name))
  for (const old of prune ? groups.filter((group) => !known.has(group.name)) : []) {
    const { name } = old
    const site = staying.find((record) => groupsOf(record.sign_in).includes(name))
    if (site !== undefined) reasons.push(`group ${name}: the site ${site.site_name} names it, so it cannot go`)
    const application = applications.get(name)
    if (application !== undefined)
      reasons.push(`group ${name}: the application ${application} names it, so it cannot go`)
    changes.push({ ...changeOf(name, [], old), kind: 'delete' })
  }
  return { changes, reasons }
}
