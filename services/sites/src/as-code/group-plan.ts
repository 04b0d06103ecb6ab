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
}

/** What there is. */
export interface StoredGroups {
  readonly groups: readonly { readonly name: string; readonly userIds: readonly string[] }[]
  /** Ids of the users by their names in lower case. */
  readonly users: ReadonlyMap<string, string>
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
  { groups, users }: StoredGroups,
  { prune, staying }: { readonly prune: boolean; readonly staying: readonly SiteRecord[] },
): GroupPlan {
  if (file === undefined) return { changes: [], reasons: [] }
  const reasons: string[] = []
  const before = new Map(groups.map((group) => [group.name, group]))
  const changes: PlannedGroup[] = file.flatMap(({ name, users: names }): PlannedGroup[] => {
    const found = names.flatMap((user) => {
      const id = users.get(user.toLowerCase())
      if (id === undefined) reasons.push(`group ${name}: there is no user ${user}`)
      return id === undefined ? [] : [id]
    })
    const userIds = [...new Set(found)]
    const old = before.get(name)
    if (old === undefined) return [{ kind: 'create', name, userIds }]
    const isSame = [...old.userIds].sort().join() === [...userIds].sort().join()
    return isSame ? [] : [{ kind: 'change', name, userIds }]
  })
  const known = new Set(file.map(({ name }) => name))
  for (const { name } of prune ? groups.filter((group) => !known.has(group.name)) : []) {
    const site = staying.find((record) => groupsOf(record.sign_in).includes(name))
    if (site !== undefined) reasons.push(`group ${name}: the site ${site.site_name} names it, so it cannot go`)
    changes.push({ kind: 'delete', name, userIds: [] })
  }
  return { changes, reasons }
}
