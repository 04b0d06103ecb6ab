import { createPrivateKey, generateKeyPair, randomBytes, sign, type JsonWebKeyInput, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Sealer } from '@hearth/credentials'
import type { Database } from '@hearth/database'
import { parseJson, toIsoString, type Clock } from '@hearth/runtime'
import type { OpenIdKeyView } from './schema.ts'
import * as store from './store.ts'
import type { OpenIdKeyRow, OpenIdProviderTables } from './tables.ts'

/** Dependencies of the signing keys. */
export interface SigningKeyDependencies {
  readonly database: Database<OpenIdProviderTables>
  readonly sealer: Sealer
  readonly clock: Clock
}

/** A private key as JWK. */
type Jwk = JsonWebKeyInput['key'] & { readonly kid: string }

/** The keys at one time. */
export interface KeySet {
  /** Names this set; another set has another name. */
  readonly name: string
  /** Private keys, the signing one first. */
  readonly keys: readonly Jwk[]
  readonly signing: { readonly kid: string; readonly key: KeyObject }
}

const day = 86_400_000

/** How long a key signs, and how long it is published afterwards: longer than anything signed by it is good; milliseconds. */
const signsFor = 90 * day
const publishedFor = day
/** How long the keys are known without a look at the database, which another process may change; milliseconds. */
const knownFor = 60_000

/**
 * Keys that sign ID tokens. There is always a next key, which is published before it signs, so that applications know it by then; a
 * key that signed is published for another day.
 */
export class SigningKeys {
  readonly #dependencies: SigningKeyDependencies
  #known: { readonly set: KeySet; readonly until: number } | undefined
  #settling: Promise<unknown> = Promise.resolve()

  constructor(dependencies: SigningKeyDependencies) {
    this.#dependencies = dependencies
  }

  /** Returns the keys by now; makes them when there are none, and lets the next one sign when it is time. */
  async current(): Promise<KeySet> {
    const now = this.#dependencies.clock.now()
    if (this.#known !== undefined && this.#known.until > now) return this.#known.set
    return this.#settle(false)
  }

  /** Lets the next key sign from now on. */
  async rotate(): Promise<OpenIdKeyView[]> {
    await this.#settle(true)
    return this.list()
  }

  /** Lists the published keys, the one that signs next last. */
  async list(): Promise<OpenIdKeyView[]> {
    const rows = await store.listKeyRows(this.#dependencies.database.query)
    const signing = signingRow(rows)
    const ordered = rows.toSorted((a, b) => (a.signs_from ?? Infinity) - (b.signs_from ?? Infinity))
    return ordered.map((row) => ({
      kid: row.kid,
      state: row.signs_from === null ? 'next' : row.kid === signing?.kid ? 'signing' : 'previous',
      created_at: new Date(row.created_at).toISOString(),
      signs_from: toIsoString(row.signs_from),
      published_until: toIsoString(row.published_until),
    }))
  }

  /** Signs the claims of a token of this type. */
  async sign(type: string, claims: object): Promise<string> {
    const { signing } = await this.current()
    const header = { alg: 'RS256', typ: type, kid: signing.kid }
    const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
    return `${text}.${sign('sha256', Buffer.from(text), signing.key).toString('base64url')}`
  }

  /** One after the other, so that no two calls make keys. */
  #settle(mustRotate: boolean): Promise<KeySet> {
    const settling = this.#settling.then(() => this.#settleNow(mustRotate))
    this.#settling = settling.catch(() => undefined)
    return settling
  }

  async #settleNow(mustRotate: boolean): Promise<KeySet> {
    const { database, clock } = this.#dependencies
    const db = database.query
    const now = clock.now()
    await store.deleteKeyRowsUntil(db, now)
    const before = signingRow(await store.listKeyRows(db))
    const isDue = before === undefined || now - (before.signs_from ?? 0) >= signsFor
    await this.#ensureNext(now)
    if (mustRotate || isDue) await this.#promote(now)
    const rows = await store.listKeyRows(db)
    const signing = signingRow(rows)
    if (signing === undefined) throw new Error('no key signs')
    const keys = [signing, ...rows.filter((row) => row.kid !== signing.kid)].map((row) => this.#open(row))
    const [first] = keys
    if (first === undefined) throw new Error('no key signs')
    const set = {
      name: keys.map(({ kid }) => kid).join(' '),
      keys,
      signing: { kid: first.kid, key: createPrivateKey({ key: first, format: 'jwk' }) },
    }
    this.#known = { set, until: now + knownFor }
    return set
  }

  #open({ kid, private_sealed: sealed }: OpenIdKeyRow): Jwk {
    const key = parseJson(this.#dependencies.sealer.open(sealed, placeOf(kid))) as JsonWebKeyInput['key']
    return { ...key, kid, use: 'sig', alg: 'RS256' }
  }

  async #ensureNext(now: number): Promise<void> {
    const { database, sealer } = this.#dependencies
    if ((await store.listKeyRows(database.query)).some((row) => row.signs_from === null)) return
    const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: 2048 })
    const kid = randomBytes(12).toString('base64url')
    const text = JSON.stringify(privateKey.export({ format: 'jwk' }))
    const row: OpenIdKeyRow = {
      kid,
      private_sealed: sealer.seal(text, placeOf(kid)),
      created_at: now,
      signs_from: null,
      published_until: null,
    }
    await store.insertKeyRow(database.query, row)
  }

  async #promote(now: number): Promise<void> {
    const { database } = this.#dependencies
    const next = (await store.listKeyRows(database.query)).find((row) => row.signs_from === null)
    if (next === undefined) return
    await database.query.transaction().execute(async (trx) => {
      if (await store.promoteKeyRow(trx, next.kid, now)) await store.retireKeyRows(trx, next.kid, now + publishedFor)
    })
    await this.#ensureNext(now)
  }
}

const placeOf = (kid: string): string => `openid_keys.private:${kid}`

/** The key that began to sign last. */
function signingRow(rows: readonly OpenIdKeyRow[]): OpenIdKeyRow | undefined {
  return rows
    .filter((row) => row.signs_from !== null && row.published_until === null)
    .sort((a, b) => (b.signs_from ?? 0) - (a.signs_from ?? 0))[0]
}
