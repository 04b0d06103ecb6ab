import { parseJson } from '@hearth/runtime'
import type { HeaderChange } from '../../sites/guard-schema.ts'
import type { NpmRow, NpmTables } from './npm-database.ts'

/** An access list as members of a site. */
export interface NpmAccess {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  /** Bcrypt hashes by user name. */
  readonly hashes: Readonly<Record<string, string>>
  readonly requestHeaders: readonly HeaderChange[]
  /** Differences from the list. */
  readonly differences: readonly string[]
  /** Something of the list could not be taken over, so that the site would stand more open than it did. */
  readonly isTooOpen: boolean
}

/** Makes the bcrypt hash of a password. */
export type HashPassword = (password: string) => Promise<string>

/** Passwords that are hashed in one import; each takes a good part of a second. */
const maxHashed = 200
const everybody = ['0.0.0.0/0', '::/0']
const bcrypt = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/

/** Reads access lists, each once. */
export class NpmAccessLists {
  readonly #tables: NpmTables
  readonly #hash: HashPassword
  readonly #read = new Map<number, Promise<NpmAccess | undefined>>()
  #hashed = 0

  constructor(tables: NpmTables, hash: HashPassword) {
    this.#tables = tables
    this.#hash = hash
  }

  /** The list with this number; undefined when there is none. */
  list(id: number): Promise<NpmAccess | undefined> {
    const known = this.#read.get(id) ?? this.#readList(id)
    this.#read.set(id, known)
    return known
  }

  async #readList(id: number): Promise<NpmAccess | undefined> {
    const list = this.#tables.access_list.find((row) => numberIn(row, 'id') === id)
    if (list === undefined) return undefined
    const ofList = (row: NpmRow) => numberIn(row, 'access_list_id') === id
    const users = this.#tables.access_list_auth.filter(ofList)
    const clients = readClients(this.#tables.access_list_client.filter(ofList))
    const { hashes, lost } = await this.#readUsers(users)
    const isEither = flagIn(list, 'satisfy_any')
    return {
      ...networksOf(clients, { isEither, hasUsers: users.length > 0 }),
      hashes,
      requestHeaders:
        users.length > 0 && !flagIn(list, 'pass_auth') ? [{ op: 'delete', name: 'Authorization', value: '' }] : [],
      differences: [...differencesOf(clients, { isEither, hasUsers: users.length > 0 }), ...lost],
      isTooOpen: users.length > 0 && Object.keys(hashes).length === 0,
    }
  }

  async #readUsers(users: readonly NpmRow[]): Promise<{ hashes: Record<string, string>; lost: string[] }> {
    const hashes: Record<string, string> = {}
    const lost: string[] = []
    for (const user of users) {
      const [name, password] = [textIn(user, 'username'), textIn(user, 'password')]
      const hash = bcrypt.test(password) ? password : await this.#hashOf(password)
      if (hash === undefined || name === '' || name === '__proto__')
        lost.push(`the password of ${name.slice(0, 100) || 'a user'} cannot be taken over`)
      else hashes[name] = hash
    }
    return { hashes, lost }
  }

  async #hashOf(password: string): Promise<string | undefined> {
    const isHash = /^\$|^\{[A-Z0-9]+\}/.test(password)
    if (password === '' || isHash || Buffer.byteLength(password) > 72 || this.#hashed >= maxHashed) return undefined
    this.#hashed += 1
    return this.#hash(password)
  }
}

interface Clients {
  readonly allow: readonly string[]
  readonly deny: readonly string[]
  readonly allowsAll: boolean
  readonly isMixed: boolean
}

function readClients(rows: readonly NpmRow[]): Clients {
  const given = rows.map((row) => ({ directive: textIn(row, 'directive'), address: textIn(row, 'address') }))
  // nginx asks rules in their order, and never those after one that everybody meets.
  const end = given.findIndex(({ directive, address }) => directive === 'deny' && address === 'all')
  const rules = end === -1 ? given : given.slice(0, end)
  const of = (directive: string) => rules.filter((rule) => rule.directive === directive).map(({ address }) => address)
  const [allow, deny] = [of('allow'), of('deny')]
  const firstDeny = rules.findIndex(({ directive }) => directive === 'deny')
  const isMixed = firstDeny !== -1 && rules.slice(0, firstDeny).some(({ address }) => address !== 'all')
  return {
    allow: allow.filter((address) => address !== 'all'),
    deny,
    allowsAll: allow.includes('all'),
    isMixed,
  }
}

interface Context {
  readonly isEither: boolean
  readonly hasUsers: boolean
}

/** A client that no rule allows is refused, also by a list without rules, unless a password suffices. */
function networksOf({ allow, deny, allowsAll }: Clients, { isEither, hasUsers }: Context) {
  if (allowsAll) return { allow: [], deny }
  if (allow.length > 0) return { allow, deny }
  if (isEither && hasUsers) return { allow: [], deny }
  return { allow: [], deny: everybody }
}

function differencesOf(clients: Clients, { isEither, hasUsers }: Context): string[] {
  const { allow, allowsAll, isMixed } = clients
  const letsNobody = !allowsAll && allow.length === 0 && !(isEither && hasUsers)
  return [
    ...(isEither && hasUsers && (allow.length > 0 || allowsAll)
      ? ['a network or a password was enough; now visitors need both']
      : []),
    ...(isMixed ? ['networks that are denied are now refused also where an earlier rule allowed a part of them'] : []),
    ...(letsNobody
      ? [
          `the list allows no network, so it lets nobody in${hasUsers ? ', with a password or without' : ''}; that stays so`,
        ]
      : []),
  ]
}

/** A text of a row; empty when there is none. */
export function textIn(row: NpmRow, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
}

/** A number of a row; 0 when there is none. */
export function numberIn(row: NpmRow, column: string): number {
  const value = row[column]
  const number =
    typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' ? Number(value) : 0
  return Number.isFinite(number) ? number : 0
}

export function flagIn(row: NpmRow, column: string): boolean {
  return numberIn(row, column) !== 0
}

/** A value that is stored as JSON; undefined when it is none. */
export function jsonIn(row: NpmRow, column: string): unknown {
  const text = textIn(row, column)
  return text.length > 1_000_000 ? undefined : parseJson(text)
}

/** The names of a host. */
export function domainsIn(row: NpmRow): string[] {
  const names = jsonIn(row, 'domain_names')
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase()) : []
}
