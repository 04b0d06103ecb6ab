import { recordCommand } from '@hearth/accounts/security-log'
import { OperatorError, systemClock } from '@hearth/runtime'
import { Clients } from '../openid-provider/clients/clients.ts'
import { presetLines, presetValues } from '../openid-provider/clients/preset-values.ts'
import { presets } from '../openid-provider/clients/presets.ts'
import { OpenIdClientValues, type OpenIdClientSecret, type OpenIdClientView } from '../openid-provider/schema.ts'
import { listGroupRows } from '../portal/store.ts'
import { Problem } from '../problems.ts'
import { wantedOfRow } from '../sites/site-change.ts'
import { allSiteRows } from '../sites/store.ts'
import { withStorage } from './data.ts'
import { problemLines } from './problem-lines.ts'
import type { OpenedStorage } from './stored-sites.ts'
import { cellsLine, plain } from './terminal-line.ts'

/** Options that say what an application is to be; of `change` those that are left out stay. */
export interface ApplicationOptions {
  readonly preset?: string
  readonly address?: string
  readonly name?: string
  readonly redirectUri?: readonly string[]
  readonly postLogoutUri?: readonly string[]
  /** False for none. */
  readonly backchannelLogoutUri?: string | false
  /** False for everybody. */
  readonly group?: readonly string[] | false
  readonly consent?: 'given' | 'asked'
  readonly public?: boolean
  readonly pkce?: boolean
  readonly claimsInIdToken?: boolean
  readonly json?: boolean
}

/** Prints a line for each application: client id, name, kind, secret or public, groups, addresses to return to. */
export async function listApplications({ json = false }: { json?: boolean }): Promise<void> {
  await work(async ({ clients }) => {
    const all = await clients.list()
    if (json) return print(JSON.stringify(all, null, 2))
    for (const { id, name, preset, is_public: isPublic, groups, redirect_uris: uris } of all)
      printCells([id, name, preset, isPublic ? 'public' : 'secret', groups.join(',') || 'everybody', uris.join(',')])
  })
}

/** Prints an application: its settings, and the lines to type into it. */
export async function showApplication(text: string, { json = false }: { json?: boolean }): Promise<void> {
  await work(async ({ clients, issuer }) => {
    const found = await find(clients, text)
    const lines = linesOf(found, await issuer())
    if (json)
      return print(JSON.stringify({ ...found, where: lines?.where ?? null, lines: lines?.text ?? null }, null, 2))
    for (const [member, value] of Object.entries(found)) printCells([member, wordsOf(value)])
    if (lines !== undefined) print(`\n${lines.where}:\n${lines.text}`)
  })
}

/** Adds an application, and prints its client id and, this once, its secret. */
export async function addApplication(name: string, options: ApplicationOptions): Promise<void> {
  await work(async ({ clients, note }) => {
    const input = readValues({ name, ...chosen({ preset: 'other', ...options }, undefined) })
    const added = await clients.create(input)
    await note('token_created', name, 'application added')
    printSecret(added, options)
    process.stderr.write(`${plain(name)} is added; its settings: hearth sites applications show ${added.client.id}\n`)
  })
}

/** Changes what the options say about an application. */
export async function changeApplication(text: string, options: ApplicationOptions): Promise<void> {
  await work(async ({ clients, note }) => {
    const found = await find(clients, text)
    const { id, created_at: _c, last_used_at: _a, last_username: _u, ...before } = found
    const changes = chosen(options, found)
    if (options.name === undefined && Object.keys(changes).length === 0)
      throw new OperatorError('nothing to change: name an option, see --help')
    const input = readValues({ ...before, ...changes, ...(options.name !== undefined && { name: options.name }) })
    await clients.update(id, input)
    await note('rights_changed', input.name, 'application changed')
    process.stderr.write(`${plain(input.name)} is changed\n`)
  })
}

/** Makes a new secret for an application, which ends the one before, and prints it this once. */
export async function renewApplicationSecret(text: string, { json = false }: { json?: boolean }): Promise<void> {
  await work(async ({ clients, note }) => {
    const { id, name } = await find(clients, text)
    const renewed = await clients.renewSecret(id)
    await note('token_created', name, 'new secret of the application')
    if (json) printSecret(renewed, { json })
    else print(renewed.client_secret ?? '')
    process.stderr.write(`new secret of ${plain(name)}; the one before has ended\n`)
  })
}

/** Deletes an application. */
export async function removeApplication(text: string): Promise<void> {
  await work(async ({ clients, note }) => {
    const { id, name } = await find(clients, text)
    await clients.remove(id)
    await note('rights_changed', name, 'application deleted')
    process.stderr.write(`${plain(name)} is deleted\n`)
  })
}

interface Tools {
  readonly clients: Clients
  /** Address of the portal; undefined without one. */
  readonly issuer: () => Promise<string | undefined>
  readonly note: (kind: 'token_created' | 'rights_changed', target: string, detail: string) => Promise<void>
}

/** Does the work on the stored applications; a problem becomes a line that names the option that is wrong. */
async function work(task: (tools: Tools) => Promise<void>): Promise<void> {
  try {
    await withStorage((storage) => task(toolsOf(storage)))
  } catch (error) {
    throw error instanceof Problem
      ? new OperatorError(problemLines(error, optionOf).join('; '), { cause: error })
      : error
  }
}

function toolsOf({ database }: OpenedStorage): Tools {
  const { query: db } = database
  return {
    clients: new Clients({
      database,
      clock: systemClock,
      groups: async () => (await listGroupRows(db)).map(({ name }) => name),
      // A running service reads applications at each request.
      onChanged: () => Promise.resolve(),
    }),
    async issuer() {
      const records = (await allSiteRows(db)).map((row) => wantedOfRow(row).record)
      const portal = records.find(({ kind, enabled }) => kind === 'portal' && enabled)
      return portal?.domains[0] === undefined ? undefined : `https://${portal.domains[0]}`
    },
    note: (kind, target, detail) => recordCommand(db, { kind, target, detail }, systemClock.now()),
  }
}

/** The members that the options name. With a kind or an address those that follow from it are among them. */
function chosen(options: ApplicationOptions, before: OpenIdClientView | undefined): Partial<OpenIdClientValues> {
  const { redirectUri, postLogoutUri, backchannelLogoutUri, group, consent, pkce, claimsInIdToken } = options
  return {
    ...fromPreset(options, before),
    ...(redirectUri !== undefined && { redirect_uris: [...redirectUri] }),
    ...(postLogoutUri !== undefined && { post_logout_redirect_uris: [...postLogoutUri] }),
    ...(backchannelLogoutUri !== undefined && { backchannel_logout_uri: backchannelLogoutUri || null }),
    ...(group !== undefined && { groups: group === false ? [] : [...group] }),
    ...(consent !== undefined && { consent }),
    ...(options.public === true && { is_public: true }),
    ...(pkce !== undefined && { pkce_required: pkce }),
    ...(claimsInIdToken !== undefined && { claims_in_id_token: claimsInIdToken }),
  }
}

function fromPreset(
  { preset: id, address, redirectUri }: ApplicationOptions,
  before: OpenIdClientView | undefined,
): Partial<OpenIdClientValues> {
  if (before !== undefined && id === undefined && address === undefined) return {}
  const known = id ?? before?.preset
  const preset = presets.find((one) => one.id === known)
  if (preset === undefined && id !== undefined)
    throw new OperatorError(`--preset: there is no kind ${id}; there are ${presets.map((one) => one.id).join(', ')}`)
  if (preset === undefined)
    throw new OperatorError(`--address: nothing is known of the kind ${known}; use --redirect-uri`)
  if (address !== undefined) return presetValues(preset, address)
  if (before === undefined && redirectUri === undefined)
    throw new OperatorError(`--address: is required, such as ${preset.address_hint}; or --redirect-uri`)
  const { pkce_required, claims_in_id_token } = preset
  return { preset: preset.id, pkce_required, claims_in_id_token }
}

function readValues(input: object): OpenIdClientValues {
  const { data, error } = OpenIdClientValues.safeParse(input)
  if (data !== undefined) return data
  throw new OperatorError(error.issues.map(({ path, message }) => `${optionOf(path.join('.'))}: ${message}`).join('; '))
}

/** The options that members of an application come from. */
const options: Readonly<Record<string, string>> = {
  name: '--name',
  preset: '--preset',
  redirect_uris: '--redirect-uri',
  post_logout_redirect_uris: '--post-logout-uri',
  backchannel_logout_uri: '--backchannel-logout-uri',
  groups: '--group',
  pkce_required: '--pkce',
}

const optionOf = (field: string): string => options[/^\w*/.exec(field)?.[0] ?? ''] ?? field

/** Finds the application with this client id or name. Throws an `OperatorError` when there is none. */
async function find(clients: Clients, text: string): Promise<OpenIdClientView> {
  const all = await clients.list()
  const name = text.toLowerCase()
  const found = all.find(({ id }) => id === text) ?? all.find((one) => one.name.toLowerCase() === name)
  if (found === undefined) throw new OperatorError(`there is no application with the client id or name ${text}`)
  return found
}

function linesOf(
  { preset: id, id: clientId, is_public: isPublic, redirect_uris: uris }: OpenIdClientView,
  issuer = '',
) {
  const preset = presets.find((one) => one.id === id)
  if (preset === undefined) return undefined
  const [uri = ''] = uris
  const text = presetLines(preset, {
    issuer: issuer === '' ? 'https://(your portal)' : issuer,
    client_id: clientId,
    client_secret: isPublic ? '(none)' : '(shown once, when it was made)',
    address: URL.canParse(uri) ? new URL(uri).origin : '',
  })
  return { where: preset.where, text }
}

function printSecret(
  { client, client_secret: secret }: OpenIdClientSecret,
  { json }: { readonly json?: boolean },
): void {
  if (json === true) print(JSON.stringify({ client_id: client.id, client_secret: secret }, null, 2))
  else printCells([client.id, ...(secret === null ? [] : [secret])])
}

const print = (text: string): void => void process.stdout.write(`${text}\n`)

const printCells = (cells: readonly string[]): void => print(cellsLine(cells))

function wordsOf(value: string | boolean | readonly string[] | null | undefined): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (value === null || value === undefined || value.length === 0) return '-'
  if (typeof value === 'string') return value
  return value.join(', ')
}
