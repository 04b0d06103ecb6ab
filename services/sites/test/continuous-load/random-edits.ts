import { createRandom, type Random } from './random.ts'
import type { Browser } from '../browser.ts'
import { sayingSite, type EditAnswer } from '../served.ts'
import type { Revision } from '../../src/deploy/schema.ts'
import type { Site } from '../../src/sites/schema.ts'

/** Outcomes of edits. */
export interface EditReport {
  /** Edits that were answered, by kind. */
  readonly done: Readonly<Record<string, number>>
  /** Answers that no edit may get, in words. */
  readonly surprises: readonly string[]
}

/** Edits one after the other or several at a time. */
export interface RandomEdits {
  /** Makes one edit. Rejects when the service is gone. */
  next(): Promise<void>
  readonly count: number
  report(): EditReport
}

/** Sites with such a name are for nobody but these edits. */
const prefix = 'edited'

/** The answers a kind of edit may get: another one that came before, or meanwhile, may have removed the site. */
const allowed: Readonly<Record<Kind, readonly number[]>> = {
  create: [201, 409],
  change: [200, 404, 409],
  switch: [200, 404, 409],
  remove: [200, 404],
  refused: [422, 409],
  return: [200],
}

type Kind = 'create' | 'change' | 'switch' | 'remove' | 'refused' | 'return'

/** Contents of a pack of edits; packs follow one another, so that the seed decides the order and not how many there are. */
const pack: readonly Kind[] = [
  ...Array.from({ length: 5 }, () => 'create' as const),
  ...Array.from({ length: 7 }, () => 'change' as const),
  ...(['switch', 'switch', 'remove', 'remove', 'refused', 'refused', 'return'] as const),
]

/** Edits in an order that the seed decides, on sites of their own. Nothing before the oldest revision now is returned to. */
export async function createRandomEdits(admin: Browser, seed: number): Promise<RandomEdits> {
  const [first] = (await admin.json<Revision[]>('GET', '/api/revisions?limit=1')).body
  return new Edits(admin, createRandom(seed), first?.id ?? 1)
}

class Edits implements RandomEdits {
  readonly #admin: Browser
  readonly #random: Random
  readonly #firstRevision: number
  readonly #done: Record<string, number> = {}
  readonly #surprises: string[] = []
  #left: Kind[] = []
  #made = 0
  count = 0

  constructor(admin: Browser, random: Random, firstRevision: number) {
    this.#admin = admin
    this.#random = random
    this.#firstRevision = firstRevision
  }

  async next(): Promise<void> {
    const kind = this.#draw()
    const answer = await this.#make(kind)
    if (answer === undefined) return
    this.count += 1
    this.#done[kind] = (this.#done[kind] ?? 0) + 1
    if (allowed[kind].includes(answer.status)) return
    this.#surprises.push(`${kind} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 300)}`)
  }

  report(): EditReport {
    return { done: this.#done, surprises: this.#surprises }
  }

  #draw(): Kind {
    if (this.#left.length === 0) this.#left = [...pack]
    const [kind] = this.#left.splice(this.#random.below(this.#left.length), 1)
    return kind ?? 'change'
  }

  async #make(kind: Kind): Promise<{ status: number; body: unknown } | undefined> {
    const admin = this.#admin
    switch (kind) {
      case 'create':
        return await admin.json<EditAnswer>('POST', '/api/sites', { json: this.#fresh('says') })
      case 'refused':
        return await admin.json<EditAnswer>('POST', '/api/sites', { json: { ...this.#fresh(''), ...refused } })
      case 'return':
        return await this.#return()
      case 'change':
      case 'switch':
      case 'remove':
        return await this.#edit(kind)
    }
  }

  async #edit(kind: 'change' | 'switch' | 'remove'): Promise<{ status: number; body: unknown } | undefined> {
    const { body: sites } = await this.#admin.json<Site[]>('GET', `/api/sites?search=${prefix}&kind=respond`)
    if (sites.length === 0) return undefined
    const site = this.#random.pick(sites)
    const path = `/api/sites/${site.id}`
    if (kind === 'remove') return await this.#admin.json('DELETE', path)
    const json = kind === 'switch' ? { enabled: !site.enabled } : { respond: { body: this.#text('changed') } }
    return await this.#admin.json('PATCH', path, { json })
  }

  async #return(): Promise<{ status: number; body: unknown }> {
    const { body: known } = await this.#admin.json<Revision[]>('GET', '/api/revisions?limit=15')
    const { id } = this.#random.pick(known.filter((revision) => revision.id >= this.#firstRevision))
    return await this.#admin.json('POST', `/api/revisions/${id}/return`)
  }

  #fresh(word: string): Record<string, unknown> {
    this.#made += 1
    return sayingSite(`${prefix}-${this.#made}`, this.#text(word))
  }

  #text(word: string): string {
    return `${word} ${this.#random.below(1_000_000)}`
  }
}

/** Our rules let it in and Caddy does not: its expression is compiled only when it is loaded. */
const refused = { kind: 'raw', respond: null, raw_directives: '@odd header_regexp X-Test ([\nrespond @odd hello' }
