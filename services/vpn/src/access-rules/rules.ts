import { randomUUIDv7 } from 'node:crypto'
import type { Page } from '@hearth/database'
import type { Clock } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import { LeftNothing, orNothing } from '../left-nothing.ts'
import { conflict, notFound, type Problem, problemOf, tunnelProblem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import type { AccessRuleRow } from './tables.ts'
import type { AccessInForce } from './access-in-force.ts'
import { explainAccess } from './explain.ts'
import { portsText } from './policy/decide.ts'
import { portsOf } from './read-policy.ts'
import { noColumns, ruleColumns } from './rule-columns.ts'
import {
  type AccessDefault,
  type AccessExplanation,
  type AccessQuestion,
  type AccessRule,
  type AccessRuleCreate,
  type AccessRuleUpdate,
  maxRules,
} from './schema.ts'
import * as store from './store.ts'

export interface AccessRuleDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly inForce: AccessInForce
  /** Called when groups changed: others than access rules go by them too. */
  readonly onGroupsChanged: () => Promise<void>
  /** Addresses of this host. */
  readonly hostAddresses: () => readonly string[]
}

/** A rule at its place: one that is there, one that is there and changes, or a new one without an id. */
export interface ArrangedRule {
  readonly id?: string | undefined
  readonly rule?: Omit<AccessRuleCreate, 'position'> | undefined
}

/** Rules about what peers reach: every change is in the database and in the kernel, or in neither. */
export class AccessRules {
  readonly #dependencies: AccessRuleDependencies
  readonly #db: Kysely<Tables>

  constructor(dependencies: AccessRuleDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.db
  }

  async list(page: { limit: number; offset: number }): Promise<Page<AccessRule>> {
    const rows = await this.#views()
    return { rows: rows.slice(page.offset, page.offset + page.limit), total: rows.length }
  }

  async get(id: string): Promise<AccessRule> {
    const found = (await this.#views()).find((rule) => rule.id === id)
    if (found === undefined) throw notFound(`rule ${id}`)
    return found
  }

  async create(input: AccessRuleCreate, by: string): Promise<AccessRule> {
    const id = randomUUIDv7()
    const { position, ...members } = input
    await this.#change(async (trx) => {
      const rows = await store.allAccessRuleRows(trx)
      if (rows.length >= maxRules) throw conflict('position', `There are ${maxRules} rules already`)
      const columns = ruleColumns(noColumns, members, await this.#known(trx))
      const row = { id, ...columns, position: 0, created_at: this.#dependencies.clock.now(), created_by: by }
      await store.insertAccessRuleRow(trx, row)
      await placeRule(trx, rows, { id, position: position ?? rows.length + 1 })
    })
    return this.get(id)
  }

  async update(id: string, { position, ...changes }: AccessRuleUpdate): Promise<AccessRule> {
    await this.#change(async (trx) => {
      const rows = await store.allAccessRuleRows(trx)
      const known = rows.find((row) => row.id === id)
      if (known === undefined) throw notFound(`rule ${id}`)
      await store.updateAccessRuleRow(trx, id, ruleColumns(known, changes, await this.#known(trx)))
      if (position !== undefined) await placeRule(trx, rows, { id, position })
    })
    return this.get(id)
  }

  /**
   * Makes these all the rules there are, in this order, in one change: those with an id stay as they are given, the others are new.
   * Returns for each the problem that it cannot be; with one of them nothing is changed.
   */
  async arrange(wanted: readonly ArrangedRule[], by: string): Promise<(Problem | undefined)[]> {
    const outcomes: (Problem | undefined)[] = []
    await orNothing(() =>
      this.#change(async (trx) => {
        const known = new Map((await store.allAccessRuleRows(trx)).map((row) => [row.id, row]))
        const context = await this.#known(trx)
        const kept = new Set(wanted.map(({ id }) => id))
        for (const id of known.keys()) if (!kept.has(id)) await store.deleteAccessRuleRow(trx, id)
        for (const [index, { id, rule }] of wanted.entries()) {
          const place = { position: index + 1 }
          const row = known.get(id ?? '')
          const outcome = await problemOf(async () => {
            const columns = rule === undefined ? {} : ruleColumns(row ?? noColumns, rule, context)
            if (row !== undefined) return store.updateAccessRuleRow(trx, row.id, { ...columns, ...place })
            const created = { id: randomUUIDv7(), created_at: this.#dependencies.clock.now(), created_by: by }
            return store.insertAccessRuleRow(trx, { ...noColumns, ...columns, ...created, ...place })
          })
          outcomes.push(outcome)
        }
        if (outcomes.some((outcome) => outcome !== undefined)) throw new LeftNothing()
      }),
    )
    return outcomes
  }

  async remove(id: string): Promise<AccessRule> {
    const rule = await this.get(id)
    await this.#change((trx) => store.deleteAccessRuleRow(trx, id))
    return rule
  }

  async defaults(): Promise<AccessDefault[]> {
    const closed = await store.closedInterfaces(this.#db)
    const rows = await store.accessInterfaceRows(this.#db)
    return rows.map(({ name }) => ({ interface: name, action: closed.has(name) ? 'deny' : 'allow' }))
  }

  async setDefault(name: string, action: AccessDefault['action']): Promise<AccessDefault> {
    await this.#change(async (trx) => {
      if (!(await store.accessInterfaceRows(trx)).some((row) => row.name === name)) throw notFound(`interface ${name}`)
      await store.setClosed(trx, name, action === 'deny')
    })
    return { interface: name, action }
  }

  /** Answers whether a peer reaches something, and why; by the policy in force. */
  async explain(question: AccessQuestion): Promise<AccessExplanation> {
    const rules = await this.#views()
    return explainAccess(this.#dependencies, { question, rules })
  }

  async #known(trx: Kysely<Tables>) {
    const { peers } = await this.#dependencies.inForce.policy(trx)
    const groups = new Set((await store.allGroupRows(trx)).map(({ id }) => id))
    return { isGroup: (id: string) => groups.has(id), isPeer: (id: string) => peers.has(id) }
  }

  async #views(): Promise<AccessRule[]> {
    const { peers } = await this.#dependencies.inForce.policy()
    const groups = new Map((await store.allGroupRows(this.#db)).map((row) => [row.id, row.name]))
    const rows = await store.allAccessRuleRows(this.#db)
    const nameOf = (group: string | null, peer: string | null) =>
      groups.get(group ?? '') ?? peers.get(peer ?? '')?.name ?? null
    return rows.map((row, index) => ruleView(row, index + 1, nameOf))
  }

  async #change(work: (trx: Kysely<Tables>) => Promise<void>): Promise<void> {
    try {
      await this.#dependencies.inForce.change(work, 'rules')
    } catch (error) {
      throw tunnelProblem(error)
    }
  }
}

/** Writes the order anew where it changes, with the rule at its place. */
async function placeRule(
  trx: Kysely<Tables>,
  rows: readonly AccessRuleRow[],
  { id, position }: { id: string; position: number },
): Promise<void> {
  const others = rows.filter((row) => row.id !== id)
  const order = [
    ...others.slice(0, position - 1).map((row) => row.id),
    id,
    ...others.slice(position - 1).map((row) => row.id),
  ]
  const known = new Map(rows.map((row) => [row.id, row.position]))
  for (const [index, each] of order.entries())
    if (known.get(each) !== index + 1) await store.updateAccessRuleRow(trx, each, { position: index + 1 })
}

function ruleView(
  row: AccessRuleRow,
  position: number,
  nameOf: (group: string | null, peer: string | null) => string | null,
): AccessRule {
  return {
    id: row.id,
    position,
    from: {
      kind: row.from_kind,
      id: row.from_group ?? row.from_peer,
      name: nameOf(row.from_group, row.from_peer),
      network: null,
    },
    to: {
      kind: row.to_kind,
      id: row.to_group ?? row.to_peer,
      name: nameOf(row.to_group, row.to_peer),
      network: row.to_network,
    },
    protocol: row.protocol,
    ports: portsOf(row).map((range) => portsText([range])),
    action: row.action,
    enabled: row.enabled === 1,
    note: row.note,
    created_at: new Date(row.created_at).toISOString(),
    created_by: row.created_by,
  }
}
