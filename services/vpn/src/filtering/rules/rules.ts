import { randomInt, randomUUIDv7 } from 'node:crypto'
import { type Database, type Page, uniqueViolation } from '@hearth/database'
import { type Clock, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Tables } from '../../tables.ts'
import type { DnsRuleRow } from '../tables.ts'
import { nameKey } from '../../envelope.ts'
import { conflict, invalidField, notFound, type Problem, problemOf } from '../../problems.ts'
import { parseRuleDomain } from '../../lists/domain-name.ts'
import type { RuleHits } from '../../query-log/reading-thread.ts'
import type { PreviewedRule } from '../../query-log/rule-preview.ts'
import type { DnsRule, DnsRuleCreate, DnsRuleListQuery, DnsRulePreviewBody, DnsRuleUpdate } from './schema.ts'
import { serviceRules } from '../profiles/loaded-profile.ts'
import * as store from './store.ts'

export interface RuleDependencies {
  readonly database: Database<Tables>
  readonly clock: Clock
  /** Hits by rule number; rules that never decided are missing. */
  readonly hits: () => Promise<ReadonlyMap<number, RuleHits>>
  /** Resolves when the stored rules hold for the next query (true), or the resolver does not answer (false). */
  readonly publish: () => Promise<boolean>
}

/** A change of the rules that is stored. `inForce`: it holds for the next query; otherwise once the resolver answers again. */
export interface RuleChange {
  readonly rule: DnsRule
  readonly inForce: boolean
}

/** Maximum number of rules; more than that belong into a list. */
const maxRules = 10_000

/** Number of attempts of a change that meets others of the same key. */
const maxTries = 5

/** The operator's rules. */
export class Rules {
  readonly #dependencies: RuleDependencies
  readonly #db: Kysely<Tables>

  constructor(dependencies: RuleDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.database.query
  }

  async list(query: DnsRuleListQuery): Promise<Page<DnsRule>> {
    const peer = query.client === undefined ? undefined : await findClient(this.#db, query.client)
    if (query.client !== undefined && peer === undefined) return { rows: [], total: 0 }
    const { rows, total } = await store.listRuleRows(this.#db, query, peer?.id)
    return { rows: await this.#views(rows), total }
  }

  /** Replaces the opposite rule for the same names and client; `replaced` says so. */
  async create(input: DnsRuleCreate, by: string): Promise<RuleChange & { replaced: boolean }> {
    const { row, replaced } = await this.#again((trx) => this.#put(trx, input, by))
    const inForce = await this.#dependencies.publish()
    return { rule: await this.#view(row), replaced, inForce }
  }

  /** Creates many as one, and puts them in force once. Returns for each the problem that it cannot be, undefined when it is. */
  async createMany(inputs: readonly DnsRuleCreate[], by: string): Promise<(Problem | undefined)[]> {
    const outcomes = await this.#again(async (trx) => {
      const problems: (Problem | undefined)[] = []
      for (const input of inputs) problems.push(await problemOf(() => this.#put(trx, input, by)))
      return problems
    })
    await this.#dependencies.publish()
    return outcomes
  }

  /**
   * Takes rules away and brings others to what is wanted, new ones included, as one. Returns for each of the latter the problem that
   * it cannot be; with one of them nothing is changed.
   */
  async changeMany(
    { remove, put }: { remove: readonly string[]; put: readonly DnsRuleCreate[] },
    by: string,
  ): Promise<(Problem | undefined)[]> {
    const outcomes = await this.#leavingNothing(async (trx) => {
      for (const id of remove) await store.deleteRuleRow(trx, id)
      const problems: (Problem | undefined)[] = []
      for (const input of put) problems.push(await problemOf(() => this.#bring(trx, input, by)))
      return problems
    })
    await this.#dependencies.publish()
    return outcomes
  }

  async update(id: string, changes: DnsRuleUpdate): Promise<RuleChange> {
    const row = await this.#again(async (trx) => {
      const known = await findRule(trx, id)
      const key = await changedKey(trx, known, changes)
      const other = await store.findRuleWithKey(trx, key)
      if (other !== undefined && other.id !== id) throw duplicate(other)
      const columns = {
        ...key,
        action: changes.action ?? known.action,
        enabled: changes.enabled === undefined ? known.enabled : Number(changes.enabled),
      }
      await store.updateRuleRow(trx, id, columns)
      return { ...known, ...columns }
    })
    const inForce = await this.#dependencies.publish()
    return { rule: await this.#view(row), inForce }
  }

  async remove(id: string): Promise<{ id: string; domain: string; inForce: boolean }> {
    const row = await findRule(this.#db, id)
    await store.deleteRuleRow(this.#db, id)
    const inForce = await this.#dependencies.publish()
    return { id, domain: shownDomain(row), inForce }
  }

  /** Brings the rule for the same names and client to what is wanted, or makes it. */
  async #bring(trx: Kysely<Tables>, input: DnsRuleCreate, by: string): Promise<void> {
    const known = await store.findRuleWithKey(trx, await ruleKey(trx, input))
    if (known === undefined) await this.#put(trx, input, by)
    else await store.updateRuleRow(trx, known.id, { action: input.action, enabled: input.enabled === false ? 0 : 1 })
  }

  /** Does the work in a transaction of which nothing is left when it returns a problem. */
  async #leavingNothing(work: (trx: Kysely<Tables>) => Promise<(Problem | undefined)[]>) {
    let outcomes: (Problem | undefined)[] = []
    const leftNothing = new Error('nothing is left')
    await this.#again(async (trx) => {
      outcomes = await work(trx)
      if (outcomes.some((outcome) => outcome !== undefined)) throw leftNothing
    }).catch((error: unknown) => {
      if (error !== leftNothing) throw error
    })
    return outcomes
  }

  async #put(trx: Kysely<Tables>, input: DnsRuleCreate, by: string): Promise<{ row: DnsRuleRow; replaced: boolean }> {
    const key = await ruleKey(trx, input)
    const known = await store.findRuleWithKey(trx, key)
    if (known !== undefined && known.action === input.action) throw duplicate(known)
    const enabled = input.enabled === false ? 0 : 1
    if (known !== undefined) {
      const changes = { action: input.action, enabled, created_by: by, created_at: this.#dependencies.clock.now() }
      await store.updateRuleRow(trx, known.id, changes)
      return { row: { ...known, ...changes }, replaced: true }
    }
    if ((await store.countRules(trx)) >= maxRules)
      throw conflict('domain', `There are ${maxRules} rules, more than that belong into a list`)
    const row: DnsRuleRow = {
      id: randomUUIDv7(),
      number: randomInt(1, serviceRules),
      action: input.action,
      ...key,
      enabled,
      created_at: this.#dependencies.clock.now(),
      created_by: by,
    }
    await store.insertRuleRow(trx, row)
    return { row, replaced: false }
  }

  /** Runs the work in a transaction, and again when a rule of the same key was made meanwhile: then it finds that rule. */
  async #again<T>(work: (trx: Kysely<Tables>) => Promise<T>): Promise<T> {
    for (let left = maxTries; ; left -= 1) {
      try {
        return await this.#db.transaction().execute(work)
      } catch (error) {
        if (left === 1 || uniqueViolation(error) === undefined) throw error
      }
    }
  }

  async #view(row: DnsRuleRow): Promise<DnsRule> {
    const [view] = await this.#views([row])
    if (view === undefined) throw notFound(`rule ${row.id}`)
    return view
  }

  async #views(rows: readonly DnsRuleRow[]): Promise<DnsRule[]> {
    const ids = [...new Set(rows.flatMap(({ peer_id: id }) => (id === null ? [] : [id])))]
    const peers = await store.peerNames(this.#db, ids)
    const names = new Map(peers.map(({ id, name }) => [id, name]))
    const hits = await this.#dependencies.hits()
    return rows.map((row) => ({
      id: row.id,
      action: row.action,
      domain: shownDomain(row),
      client: row.peer_id === null ? null : (names.get(row.peer_id) ?? null),
      client_id: row.peer_id,
      enabled: row.enabled === 1,
      created_at: new Date(row.created_at).toISOString(),
      created_by: row.created_by,
      hits: hits.get(row.number)?.hits ?? 0,
      last_hit_at: toIsoString(hits.get(row.number)?.lastAt ?? null),
    }))
  }
}

/** The domain as an operator writes it. */
export const shownDomain = (row: Pick<DnsRuleRow, 'domain' | 'below_only'>): string =>
  row.below_only === 1 ? `*.${row.domain}` : row.domain

/** The peer that a name, an id or an address stands for. */
export function findClient(db: Kysely<Tables>, text: string) {
  return store.findPeerBy(db, { nameKey: nameKey(text), text })
}

/** A rule that is only tried, as the log knows rules. Throws a `Problem` that names the member which cannot be. */
export async function previewedRule(db: Kysely<Tables>, input: DnsRulePreviewBody): Promise<PreviewedRule> {
  const { domain, below_only: belowOnly } = domainColumns(input.domain)
  const client = input.client ?? null
  const peer = client === null ? undefined : await findClient(db, client)
  if (client !== null && peer === undefined) throw unknownClient()
  return { action: input.action, domain, belowOnly: belowOnly === 1, client: peer?.dns_number ?? 0 }
}

const unknownClient = () => invalidField('client', 'is no peer’s name, id or address', 'unknown')

const duplicate = (row: DnsRuleRow) =>
  conflict('domain', `There is a rule for ${shownDomain(row)} already, and it does ${row.action}`, { id: row.id })

async function findRule(db: Kysely<Tables>, id: string): Promise<DnsRuleRow> {
  const row = await store.findRuleRow(db, id)
  if (row === undefined) throw notFound(`rule ${id}`)
  return row
}

async function ruleKey(trx: Kysely<Tables>, input: Pick<DnsRuleCreate, 'domain' | 'client'>): Promise<store.RuleKey> {
  return { ...domainColumns(input.domain), peer_id: await peerIdOf(trx, input.client ?? null) }
}

async function changedKey(trx: Kysely<Tables>, known: DnsRuleRow, changes: DnsRuleUpdate): Promise<store.RuleKey> {
  return {
    ...(changes.domain === undefined
      ? { domain: known.domain, below_only: known.below_only }
      : domainColumns(changes.domain)),
    peer_id: changes.client === undefined ? known.peer_id : await peerIdOf(trx, changes.client),
  }
}

function domainColumns(text: string): Pick<DnsRuleRow, 'domain' | 'below_only'> {
  const parsed = parseRuleDomain(text)
  if (parsed === undefined) throw invalidField('domain', 'must be a domain name such as example.com or *.example.com')
  return { domain: parsed.domain, below_only: Number(parsed.belowOnly) }
}

async function peerIdOf(trx: Kysely<Tables>, client: string | null): Promise<string | null> {
  if (client === null) return null
  const peer = await findClient(trx, client)
  if (peer === undefined) throw unknownClient()
  return peer.id
}
