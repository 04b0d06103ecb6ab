import { randomUUIDv7 } from 'node:crypto'
import type { Page } from '@hearth/database'
import type { Kysely } from 'kysely'
import { nameKey } from '../envelope.ts'
import { conflict, invalidField, namedConflict, notFound, tunnelProblem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { AccessGroupRow, AccessRuleRow } from './tables.ts'
import { Memberships } from './policy/policy.ts'
import type { AccessRuleDependencies } from './rules.ts'
import {
  type AccessGroup,
  type AccessGroupCreate,
  type AccessGroupDetail,
  type AccessGroupListQuery,
  type AccessGroupUpdate,
  maxGroups,
} from './schema.ts'
import * as store from './store.ts'

/** Groups of peers: every change is in the database and in the kernel, or in neither. */
export class AccessGroups {
  readonly #dependencies: AccessRuleDependencies
  readonly #db: Kysely<Tables>

  constructor(dependencies: AccessRuleDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.db
  }

  async list(query: AccessGroupListQuery): Promise<Page<AccessGroup>> {
    const memberships = new Memberships(await this.#dependencies.inForce.policy())
    const rows = await store.allGroupRows(this.#db)
    const rules = await store.allAccessRuleRows(this.#db)
    const found = rows.filter(({ id }) => query.peer === undefined || memberships.members(id).has(query.peer))
    const views = found.slice(query.offset, query.offset + query.limit).map((row) => groupView(row, memberships, rules))
    return { rows: views, total: found.length }
  }

  async get(id: string): Promise<AccessGroupDetail> {
    const row = await store.findGroupRow(this.#db, id)
    if (row === undefined) throw notFound(`group ${id}`)
    const memberships = new Memberships(await this.#dependencies.inForce.policy())
    const view = groupView(row, memberships, await store.allAccessRuleRows(this.#db))
    return { ...view, peers: await store.handPickedPeers(this.#db, id) }
  }

  async create(input: AccessGroupCreate): Promise<AccessGroupDetail> {
    const id = randomUUIDv7()
    await this.#change(async (trx) => {
      if ((await store.allGroupRows(trx)).length >= maxGroups)
        throw conflict('name', `There are ${maxGroups} groups already`)
      await checkPeers(trx, input.peer_ids)
      await store.insertGroupRow(trx, {
        id,
        ...groupColumns(input),
        color: input.color,
        created_at: this.#dependencies.clock.now(),
      } as AccessGroupRow)
      await store.replaceGroupPeers(trx, id, [...new Set(input.peer_ids)])
    })
    return this.get(id)
  }

  async update(id: string, changes: AccessGroupUpdate): Promise<AccessGroupDetail> {
    await this.#change(async (trx) => {
      if ((await store.findGroupRow(trx, id)) === undefined) throw notFound(`group ${id}`)
      await store.updateGroupRow(trx, id, groupColumns(changes))
      if (changes.peer_ids === undefined) return
      await checkPeers(trx, changes.peer_ids)
      await store.replaceGroupPeers(trx, id, [...new Set(changes.peer_ids)])
    })
    return this.get(id)
  }

  /** A group that rules name stays: without it they would say something else. */
  async remove(id: string): Promise<AccessGroup> {
    const group = await this.get(id)
    await this.#change(async (trx) => {
      const naming = (await store.allAccessRuleRows(trx)).filter((row) => row.from_group === id || row.to_group === id)
      if (naming.length > 0) {
        const rules = naming.length === 1 ? '1 rule names' : `${naming.length} rules name`
        throw conflict('id', `${rules} the group ${group.name}; delete or change them first`, {
          rules: naming.map((row) => row.id),
        })
      }
      await store.deleteGroupRow(trx, id)
    })
    return group
  }

  async #change(work: (trx: Kysely<Tables>) => Promise<void>): Promise<void> {
    try {
      await namedConflict('group', ['name'], () => this.#dependencies.inForce.change(work))
    } catch (error) {
      throw tunnelProblem(error)
    }
    await this.#dependencies.onGroupsChanged()
  }
}

async function checkPeers(trx: Kysely<Tables>, ids: readonly string[]): Promise<void> {
  const unknown = await store.unknownPeers(trx, ids)
  const [first] = unknown
  if (first !== undefined) throw invalidField(`peer_ids.${ids.indexOf(first)}`, 'is no peer', 'unknown')
}

function groupColumns({ name, color, tags }: AccessGroupUpdate): Partial<AccessGroupRow> {
  return {
    ...(name === undefined ? {} : { name, name_key: nameKey(name) }),
    ...(color === undefined ? {} : { color }),
    ...(tags === undefined ? {} : { tags: JSON.stringify(tags) }),
  }
}

function groupView(row: AccessGroupRow, memberships: Memberships, rules: readonly AccessRuleRow[]): AccessGroup {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    tags: JSON.parse(row.tags) as string[],
    member_count: memberships.members(row.id).size,
    rule_count: rules.filter(({ from_group: from, to_group: to }) => from === row.id || to === row.id).length,
    created_at: new Date(row.created_at).toISOString(),
  }
}
