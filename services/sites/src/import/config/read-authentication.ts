import { oldestCapabilities } from '../../caddy/capabilities.ts'
import { maintenanceRoutes } from '../../caddy/access-routes.ts'
import { siteDefaults, type SiteRecord } from '../../sites/schema.ts'
import { literalText } from './caddy-values.ts'
import type { Condition } from './conditions.ts'
import {
  at,
  giveUp,
  isObject,
  itemsOf,
  type JsonLocation,
  Members,
  membersOf,
  textOf,
  textsOf,
} from './json-location.ts'
import { readAnswer } from './read-answers.ts'
import { urlOf } from './read-proxy.ts'
import type { SiteDraft } from './site-draft.ts'
import type { SiteReading } from './site-reading.ts'

const bcrypt = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/

/** Reads a handler `authentication`: bcrypt hashes by user name. */
export function readBasicAuth(handler: JsonLocation, reading: SiteReading): Record<string, string> {
  const members = new Members(handler, 'handler')
  const providers = new Members(members.take('providers') ?? handler)
  const basic = providers.take('http_basic') ?? giveUp(handler, 'a kind of sign-in that sites do not have')
  for (const member of [...members.left(), ...(basic ? providers.left() : [])])
    giveUp(member, 'a kind of sign-in that sites do not have')
  const parts = new Members(basic, 'hash_cache')
  const algorithm = at(basic, 'hash', 'algorithm')
  if (algorithm !== undefined && algorithm.value !== 'bcrypt')
    giveUp(algorithm, 'passwords that are not stored with bcrypt')
  parts.skip('hash')
  reading.changed(parts.take('realm'), 'the name of the realm, which visitors no longer see')
  const accounts = itemsOf(parts.take('accounts'))
  parts.refuseOthers('a kind of sign-in that sites do not have')
  if (accounts.length === 0) giveUp(basic, 'a sign-in without users')
  return Object.fromEntries(accounts.map(readAccount))
}

function readAccount(account: JsonLocation): [string, string] {
  const name = textOf(at(account, 'username')) ?? ''
  const password = textOf(at(account, 'password')) ?? ''
  // Older versions write the hash once more encoded.
  const hash = bcrypt.test(password) ? password : Buffer.from(password, 'base64').toString('latin1')
  if (name === '' || name === '__proto__' || !bcrypt.test(hash))
    giveUp(account, 'a user whose password is not stored with bcrypt')
  return [name, hash]
}

/** Returns true for a proxy that only checks whether a request may pass. */
export function isForwardAuth(handler: JsonLocation): boolean {
  return at(handler, 'handler')?.value === 'reverse_proxy' && at(handler, 'handle_response') !== undefined
}

/** Reads a proxy that only checks whether a request may pass, as the directive `forward_auth` writes it. */
export function readForwardAuth(handler: JsonLocation): NonNullable<SiteRecord['forward_auth']> {
  const members = new Members(handler, 'handler')
  const [upstream, ...others] = itemsOf(members.take('upstreams'))
  const transport = members.take('transport')
  const isTls = transport !== undefined && isPlainTls(transport)
  const dial = upstream && textOf(at(upstream, 'dial'))
  const url = dial === undefined || others.length > 0 ? undefined : urlOf(dial, isTls ? 'https' : 'http')
  if (url === undefined) giveUp(handler, 'a forward authentication without one fixed address')
  const rewrite = members.take('rewrite')
  checkQuestion(rewrite ?? handler, members.take('headers'), isTls)
  const answers = itemsOf(members.take('handle_response'))
  members.refuseOthers('a forward authentication that sites do not have')
  const copied =
    answers.length === 1 && answers[0] ? readCopies(answers[0]) : giveUp(handler, 'an answer that is handled otherwise')
  return { url, uri: literalText(at(rewrite, 'uri') ?? handler), copy_headers: copied }
}

function isPlainTls(transport: JsonLocation): boolean {
  const members = new Members(transport)
  const tls = members.take('tls')
  members.skip('protocol')
  if (tls === undefined || membersOf(tls).length > 0 || members.left().length > 0)
    giveUp(transport, 'a way to speak to the server of a forward authentication')
  return true
}

function checkQuestion(rewrite: JsonLocation, headers: JsonLocation | undefined, isTls: boolean): void {
  const names = membersOf(rewrite).map(([name]) => name)
  if (names.sort().join() !== 'method,uri' || at(rewrite, 'method')?.value !== 'GET')
    giveUp(rewrite, 'a proxy that handles answers itself')
  const expected: Record<string, string> = {
    'X-Forwarded-Method': '{http.request.method}',
    'X-Forwarded-Uri': '{http.request.uri}',
    ...(isTls && { Host: '{http.reverse_proxy.upstream.hostport}' }),
  }
  const request = at(headers, 'request')
  for (const [, operation] of membersOf(request)) {
    for (const [name, values] of membersOf(operation)) {
      const isExpected = operation.path.endsWith('/set') && textsOf(values)?.join() === expected[name]
      if (!isExpected) giveUp(values, 'a header for the server of a forward authentication')
    }
  }
  if (membersOf(headers).length > 1) giveUp(headers ?? rewrite, 'headers of the answer of a forward authentication')
}

/** The headers a good answer passes on. */
function readCopies(answer: JsonLocation): string[] {
  const statuses = at(answer, 'match', 'status_code')
  if (JSON.stringify(statuses?.value) !== '[2]' || membersOf(at(answer, 'match')).length !== 1)
    giveUp(answer, 'an answer that is handled otherwise')
  const names: string[] = []
  for (const route of itemsOf(at(answer, 'routes')))
    for (const handler of itemsOf(at(route, 'handle'))) names.push(...copiesOf(handler))
  return names
}

/** The header a handler passes on. It may go over a variable of the directive's own, which is set before. */
function copiesOf(handler: JsonLocation): string[] {
  const name = at(handler, 'handler')?.value
  if (name === 'vars') return checkVariables(handler)
  const request = at(handler, 'request')
  if (name !== 'headers' || !isObject(request?.value)) giveUp(handler, 'an answer that is handled otherwise')
  return membersOf(request).flatMap(([operation, location]) => {
    if (operation === 'delete') return []
    return membersOf(location).map(([header, values]) => {
      const value = textsOf(values)?.join()
      const isSame = value === `{http.reverse_proxy.header.${header}}` || value === `{http.vars.${variableOf(header)}}`
      return operation === 'set' && isSame
        ? header
        : giveUp(values, 'a header that is not passed on under its own name')
    })
  })
}

const variableOf = (header: string) => `forward_auth_${header.toLowerCase()}`

function checkVariables(handler: JsonLocation): [] {
  for (const [name, value] of membersOf(handler)) {
    if (name === 'handler') continue
    const header = /^\{http\.reverse_proxy\.header\.([^{}]+)\}$/.exec(textOf(value) ?? '')?.[1]
    if (header === undefined || name !== variableOf(header)) giveUp(value, 'a variable')
  }
  return []
}

/** A condition on the client. */
export type NetworkCondition = Extract<Condition, { kind: 'networks' | 'bots' }>

/** A refusal of some visitors. */
interface Refusal {
  readonly condition: NetworkCondition
  /** The handler that answers them. */
  readonly answer: JsonLocation
  readonly location: JsonLocation
}

/** Adds a refusal of some visitors to who may come. Gives up when they are answered and not refused. */
export function addAccess(access: SiteDraft['access'], refusal: Refusal, reading: SiteReading): void {
  const { condition, answer: handler, location } = refusal
  if (at(handler, 'handler')?.value !== 'static_response') giveUp(location, 'routes for some networks only')
  const answer = readAnswer(handler, reading)
  const isRefusal = answer.kind === 'abort' || (answer.kind === 'respond' && answer.respond.status === 403)
  if (!isRefusal) giveUp(handler, 'an answer for some networks only')
  const isOurs = answer.kind === 'respond' && ['', 'Forbidden\n'].includes(answer.respond.body)
  if (!isOurs) reading.changed(handler, 'visitors who may not come get a plain 403')
  if (condition.kind === 'bots') access.blocksBots = true
  else if (!condition.isInverted) access.deny.push(...condition.ranges)
  else if (access.allow.length > 0) giveUp(location, 'two lists of networks that may come')
  else access.allow.push(...condition.ranges)
}

/** Reads the answer of a site in maintenance. */
export function readMaintenance(handler: JsonLocation, allow: readonly string[]): SiteRecord['maintenance'] {
  const body = at(handler, 'body')
  const page = body === undefined ? '' : literalText(body)
  const [after] = itemsOf(at(handler, 'headers', 'Retry-After'))
  const seconds = Number(textOf(after) ?? Number.NaN)
  return {
    allow: [...allow],
    retry_after: Number.isInteger(seconds) ? seconds : siteDefaults.maintenance.retry_after,
    page: page === usualPage ? null : page,
  }
}

/** The page of a site in maintenance when nobody wrote one. */
const usualPage = usualMaintenancePage()

function usualMaintenancePage(): unknown {
  const record = { ...siteDefaults, site_name: '', domains: [], maintenance_mode: true }
  const [route] = maintenanceRoutes(record, undefined, oldestCapabilities) as { handle?: { body?: unknown }[] }[]
  return route?.handle?.[0]?.body
}
