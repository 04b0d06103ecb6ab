import { randomUUIDv7 } from 'node:crypto'
import type { Page } from '@hearth/database'
import { type Clock, createKeyedQueue, toIsoString } from '@hearth/runtime'
import type { Kysely } from 'kysely'
import type { Filtering } from '../filtering/filtering.ts'
import { parseRuleDomain } from '../lists/domain-name.ts'
import { conflict, invalidField, notFound, Problem } from '../problems.ts'
import type { Tables } from '../tables.ts'
import { maxNote, type NameRequest, type NameRequestAnswer, type NameRequestListQuery, noteText } from './schema.ts'
import * as store from './store.ts'
import type { NameRequestRow } from './tables.ts'

/** Requests of one peer that wait for an answer, and requests in all. */
const [maxOpen, maxRequests] = [20, 1000]
/** Answered requests are kept for so long, milliseconds. */
const keptMs = 30 * 86_400_000
/** Requests that a peer sees, newest first. */
const shownToPeer = 20

/** Dependencies of the requests. */
export interface NameRequestDependencies {
  readonly db: Kysely<Tables>
  readonly clock: Clock
  readonly filtering: Pick<Filtering, 'rules' | 'profiles' | 'explain'>
  /** Called with a new request. */
  readonly onAsked: (request: { readonly id: string; readonly peer: string; readonly domain: string }) => void
  /** Called when requests were answered or are gone. */
  readonly onChanged: (id: string | null) => void
}

/** What a person asks for. */
export interface Asking {
  readonly peer: { readonly id: string; readonly name: string }
  readonly domain: string
  readonly note: string
}

/** An answer that is stored, with a sentence of what it does. */
export interface Answered {
  readonly request: NameRequest
  readonly message: string
}

/** Names that people ask for on the page inside the tunnel, and what administrators answer. */
export class NameRequests {
  readonly #dependencies: NameRequestDependencies
  readonly #db: Kysely<Tables>
  /** Counts come before what they allow, so requests come one after another. */
  readonly #queue = createKeyedQueue(200)

  constructor(dependencies: NameRequestDependencies) {
    this.#dependencies = dependencies
    this.#db = dependencies.db
  }

  async list(query: NameRequestListQuery): Promise<Page<NameRequest>> {
    const { rows, total } = await store.listRequestRows(this.#db, query)
    return { rows: await this.#views(rows), total }
  }

  /** The number of requests that wait for an answer. */
  open(): Promise<number> {
    return store.countRequests(this.#db, { status: 'open' })
  }

  /** The newest requests of a peer. */
  ofPeer(id: string): Promise<NameRequestRow[]> {
    return store.peerRequestRows(this.#db, id, shownToPeer)
  }

  /** Asks for a name that is blocked for a peer. Throws a `Problem` when it is not, or when it cannot be asked for. */
  async ask({ peer, domain: text, note: written }: Asking): Promise<NameRequestRow> {
    const parsed = parseRuleDomain(
      text
        .trim()
        .replace(/^https?:\/\//i, '')
        .replace(/[/?#].*$/s, ''),
    )
    if (parsed === undefined || parsed.belowOnly) throw invalidField('domain', 'must be a name such as example.com')
    const { domain } = parsed
    const note = noteText(written)
    if (note.length > maxNote) throw invalidField('note', `must be at most ${maxNote} characters long`)
    const reason = await this.#reason(peer.id, domain)
    const row = await this.#queue.run('ask', async () => {
      await this.#makeRoom(peer.id, domain)
      const asked: NameRequestRow = {
        id: randomUUIDv7(),
        peer_id: peer.id,
        domain,
        reason,
        note,
        created_at: this.#dependencies.clock.now(),
        status: 'open',
        allowed_for: null,
        answer: '',
        answered_at: null,
        answered_by: null,
      }
      await store.insertRequestRow(this.#db, asked)
      return asked
    })
    this.#dependencies.onAsked({ id: row.id, peer: peer.name, domain })
    return row
  }

  /** Answers a request. What allows the name is made before the request is closed. */
  async answer(id: string, input: NameRequestAnswer, by: string): Promise<Answered> {
    const row = await this.#queue.run('answer', async () => {
      const asked = await this.#find(id)
      if (asked.status !== 'open') throw conflict('id', `The request for ${asked.domain} is answered already`)
      if (input.allow_for !== null) await this.#allow(asked, input.allow_for, by)
      const answer = {
        status: input.allow_for === null ? ('refused' as const) : ('allowed' as const),
        allowed_for: input.allow_for,
        answer: noteText(input.answer),
        answered_at: this.#dependencies.clock.now(),
        answered_by: by,
      }
      await store.answerRequestRow(this.#db, id, answer)
      return { ...asked, ...answer }
    })
    this.#dependencies.onChanged(id)
    const [request] = await this.#views([row])
    if (request === undefined) throw notFound(`request ${id}`)
    return { request, message: await this.#outcome(row) }
  }

  /** Deletes a request, answered or not. */
  async remove(id: string): Promise<{ id: string; domain: string }> {
    const { domain } = await this.#find(id)
    await store.deleteRequestRow(this.#db, id)
    this.#dependencies.onChanged(id)
    return { id, domain }
  }

  /** Deletes requests that were answered 30 days ago. */
  deleteOld(): Promise<void> {
    return store.deleteAnsweredBefore(this.#db, this.#dependencies.clock.now() - keptMs)
  }

  async #find(id: string): Promise<store.NamedRequestRow> {
    const row = await store.findRequestRow(this.#db, id)
    if (row === undefined) throw notFound(`request ${id}`)
    return row
  }

  /** Why a name is blocked for a peer; names that are not need no request. */
  async #reason(peer: string, domain: string): Promise<string> {
    try {
      const {
        status,
        reason,
        decided_by: decision,
      } = await this.#dependencies.filtering.explain({
        domain,
        client: peer,
        resolve: 'true',
        type: 1,
      })
      // While its filter is paused nothing tells what it would block.
      if (reason === 'off') return ''
      if (status === 'allowed') throw invalidField('domain', `${domain} is not blocked for this device`, 'allowed')
      return decision
    } catch (error) {
      // Without an answer of the resolver the administrator decides alone.
      if (error instanceof Problem && error.kind === 'internal') return ''
      throw error
    }
  }

  async #makeRoom(peerId: string, domain: string): Promise<void> {
    await this.deleteOld()
    if ((await store.findOpenRequest(this.#db, peerId, domain)) !== undefined)
      throw conflict('domain', `You have asked for ${domain} already`)
    if ((await store.countRequests(this.#db, { status: 'open', peerId })) >= maxOpen)
      throw conflict('domain', `${maxOpen} requests of this device wait for an answer`)
    if ((await store.countRequests(this.#db, {})) < maxRequests) return
    const oldest = await store.oldestAnswered(this.#db)
    if (oldest === undefined) throw conflict('domain', 'Too many requests wait for an answer')
    await store.deleteRequestRow(this.#db, oldest)
  }

  /** Makes the rule by the same way as the API. One that is there already is what was wanted. */
  async #allow(row: store.NamedRequestRow, scope: 'peer' | 'profile' | 'everyone', by: string): Promise<void> {
    const { rules } = this.#dependencies.filtering
    if (scope === 'profile') return this.#allowInProfile(row)
    const rule = { action: 'allow' as const, domain: row.domain, client: scope === 'peer' ? row.peer_id : null }
    const [problem] = await rules.changeMany({ remove: [], put: [{ ...rule, enabled: true }] }, by)
    if (problem !== undefined) throw problem
  }

  async #allowInProfile({ peer, peer_id: id, domain }: store.NamedRequestRow): Promise<void> {
    const { profiles } = this.#dependencies.filtering
    const { holds } = await profiles.ofPeer(id)
    if (holds === null) throw invalidField('allow_for', `is not possible: no profile holds for ${peer} now`)
    const { rules } = await profiles.get(holds.id)
    const others = rules.filter((rule) => rule.domain !== domain)
    await profiles.update(holds.id, { rules: [...others, { action: 'allow', domain }] })
  }

  /** Tells whether the answer does what it says: something else may still block the name. */
  async #outcome({ peer, peer_id: id, domain, status }: store.NamedRequestRow): Promise<string> {
    if (status === 'refused') return `Request of ${peer} for ${domain} refused`
    const found = await this.#dependencies.filtering
      .explain({ domain, client: id, resolve: 'false', type: 1 })
      .catch(() => undefined)
    if (found?.status === 'blocked') return `${domain} allowed, but still blocked for ${peer}: ${found.decided_by}`
    return `${domain} allowed for ${peer}`
  }

  async #views(rows: readonly store.NamedRequestRow[]): Promise<NameRequest[]> {
    const { profiles } = this.#dependencies.filtering
    const holding = new Map<string, NameRequest['profile']>()
    for (const { peer_id: id } of rows)
      if (!holding.has(id))
        holding.set(
          id,
          await profiles.ofPeer(id).then(
            ({ holds }) => holds,
            () => null,
          ),
        )
    return rows.map((row) => ({
      ...row,
      profile: holding.get(row.peer_id) ?? null,
      created_at: new Date(row.created_at).toISOString(),
      answered_at: toIsoString(row.answered_at),
    }))
  }
}
