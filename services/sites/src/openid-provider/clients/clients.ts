import { randomBytes, randomUUIDv7 } from 'node:crypto'
import { hashToken } from '@hearth/credentials'
import { uniqueViolation, type Database } from '@hearth/database'
import { parseJson, toIsoString, type Clock } from '@hearth/runtime'
import type { AccountTables } from '../../accounts/tables.ts'
import { usersIn } from '../../accounts/users.ts'
import { conflict, notFound } from '../../problems.ts'
import { ClientSettings, type OpenIdClientValues, type OpenIdClientSecret, type OpenIdClientView } from '../schema.ts'
import * as store from '../store.ts'
import type { OpenIdClientRow, OpenIdProviderTables } from '../tables.ts'
import { checkClientInput } from './client-rules.ts'

/** Dependencies of the applications. */
export interface ClientDependencies {
  readonly database: Database<AccountTables & OpenIdProviderTables>
  readonly clock: Clock
  /** Returns the names of the groups. */
  readonly groups: () => Promise<readonly string[]>
  /** Called after each change, and awaited. */
  readonly onChanged: () => Promise<void>
}

/** An application as the provider knows it. */
export interface Client extends ClientSettings {
  readonly id: string
  readonly name: string
  readonly secretHash: string | null
}

/** Most applications that there may be. */
export const maxClients = 200

/** Applications that sign people in through the portal. */
export class Clients {
  readonly #dependencies: ClientDependencies

  constructor(dependencies: ClientDependencies) {
    this.#dependencies = dependencies
  }

  async list(): Promise<OpenIdClientView[]> {
    const users = new Map((await usersIn(this.#db).list()).map((user) => [user.id, user.username]))
    return (await store.listClientRows(this.#db)).map((row) => viewOf(row, users.get(row.last_user_id ?? '')))
  }

  /** Throws a problem when there is none with this id. */
  async get(id: string): Promise<OpenIdClientView> {
    const found = (await this.list()).find((client) => client.id === id)
    if (found === undefined) throw notFound('application')
    return found
  }

  /** Returns an application; undefined when there is none with this id. */
  async find(id: string): Promise<Client | undefined> {
    // PostgreSQL refuses the letter, and no id has it.
    const row = id.includes('\0') ? undefined : await store.findClientRow(this.#db, id)
    return row && clientOfRow(row)
  }

  /** Returns all applications. */
  async all(): Promise<Client[]> {
    return allClients(this.#db)
  }

  /** Adds an application; the secret is returned this once. */
  async create(input: OpenIdClientValues): Promise<OpenIdClientSecret> {
    const { groups, clock, onChanged } = this.#dependencies
    checkClientInput(input, await groups())
    if ((await store.listClientIds(this.#db)).length >= maxClients)
      throw conflict(`There are ${maxClients} applications already`)
    const { row, secret } = await insertClient(this.#db, input, clock.now())
    await onChanged()
    return { client: viewOf(row, undefined), client_secret: secret }
  }

  /** Replaces the settings of an application. Consents end when their question changes. */
  async update(id: string, input: OpenIdClientValues): Promise<OpenIdClientView> {
    const { database, groups, onChanged } = this.#dependencies
    const before = await this.find(id)
    if (before === undefined) throw notFound('application')
    checkClientInput(input, await groups())
    if (!input.is_public && before.secretHash === null)
      throw conflict('A public application has no secret: make a new secret for it, which makes it a confidential one')
    await database.query.transaction().execute((trx) => replaceClient(trx, before, input))
    await onChanged()
    return this.get(id)
  }

  /** Makes a secret in place of the one before, and returns it this once. */
  async renewSecret(id: string): Promise<OpenIdClientSecret> {
    const before = await this.find(id)
    if (before === undefined) throw notFound('application')
    const { id: _id, name: _name, secretHash: _hash, ...settings } = before
    const secret = createSecret()
    const values = { secret_hash: hashToken(secret), settings: JSON.stringify({ ...settings, is_public: false }) }
    await store.updateClientRow(this.#db, id, values)
    await this.#dependencies.onChanged()
    return { client: await this.get(id), client_secret: secret }
  }

  /** Deletes an application with everything it was given, and returns its name. */
  async remove(id: string): Promise<string> {
    const row = await store.deleteClientRow(this.#db, id)
    if (row === undefined) throw notFound('application')
    await this.#dependencies.onChanged()
    return row.name
  }

  get #db() {
    return this.#dependencies.database.query
  }
}

/** Adds an application, whose settings were checked; returns it with its secret, which is null for a public one. */
export async function insertClient(
  db: store.Query,
  { name, ...settings }: OpenIdClientValues,
  now: number,
): Promise<{ readonly row: OpenIdClientRow; readonly secret: string | null }> {
  const secret = settings.is_public ? null : createSecret()
  const row: OpenIdClientRow = {
    id: randomUUIDv7(),
    name,
    secret_hash: secret === null ? null : hashToken(secret),
    settings: JSON.stringify(settings),
    created_at: now,
    last_used_at: null,
    last_user_id: null,
  }
  await nameTaken(() => store.insertClientRow(db, row))
  return { row, secret }
}

/**
 * Replaces the settings of an application, which were checked. Consents end when their question changes. Returns the secret of one
 * that was public and is not any more; undefined otherwise.
 */
export async function replaceClient(
  trx: store.Query,
  before: Client,
  { name, ...given }: OpenIdClientValues,
): Promise<string | undefined> {
  const settings = { ...given, admin_groups: given.admin_groups ?? before.admin_groups }
  const secret = given.is_public || before.secretHash !== null ? undefined : createSecret()
  const hash = given.is_public ? { secret_hash: null } : secret === undefined ? {} : { secret_hash: hashToken(secret) }
  const values = { name, settings: JSON.stringify(settings), ...hash }
  await nameTaken(() => store.updateClientRow(trx, before.id, values))
  if (before.consent !== given.consent) await store.deleteConsentRows(trx, before.id)
  return secret
}

/** Returns all applications. */
export async function allClients(db: store.Query): Promise<Client[]> {
  return (await store.listClientRows(db)).map(clientOfRow)
}

/** Returns the name of an application for each group that one of these names. */
export function namedGroups(
  clients: readonly Pick<OpenIdClientValues, 'name' | 'groups' | 'admin_groups'>[],
): Map<string, string> {
  const named = clients.flatMap(({ name, groups, admin_groups: admins = [] }) =>
    [...groups, ...admins].map((group) => [group, name] as const),
  )
  return new Map(named)
}

const createSecret = (): string => randomBytes(32).toString('base64url')

function clientOfRow({ id, name, secret_hash: secretHash, settings }: OpenIdClientRow): Client {
  return { ...ClientSettings.parse(parseJson(settings)), id, name, secretHash }
}

function viewOf(row: OpenIdClientRow, lastUsername: string | undefined): OpenIdClientView {
  const { id, name, secretHash: _hash, ...settings } = clientOfRow(row)
  return {
    id,
    name,
    ...settings,
    created_at: new Date(row.created_at).toISOString(),
    last_used_at: toIsoString(row.last_used_at),
    last_username: lastUsername ?? null,
  }
}

async function nameTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (uniqueViolation(error) !== undefined) throw conflict('Another application has this name', 'name_taken')
    throw error
  }
}
