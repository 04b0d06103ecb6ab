import type { SiteRecord } from '../sites/schema.ts'
import { literalText } from './caddy-values.ts'
import { giveUp } from './import-report.ts'
import { at, isObject, itemsOf, Members, membersOf, reach, textOf, textsOf, type Place } from './json-place.ts'
import { urlOf } from './read-proxy.ts'
import type { SiteReading } from './site-reading.ts'

const bcrypt = /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/

/** Reads a handler `authentication`: bcrypt hashes by user name. */
export function readBasicAuth(handler: Place, reading: SiteReading): Record<string, string> {
  const members = new Members(handler)
  members.skip('handler')
  const providers = new Members(members.take('providers') ?? handler)
  const basic = providers.take('http_basic') ?? giveUp(handler, 'a kind of sign-in that sites do not have')
  for (const member of [...members.left(), ...(basic ? providers.left() : [])])
    giveUp(member, 'a kind of sign-in that sites do not have')
  const parts = new Members(basic)
  parts.skip('hash_cache')
  const algorithm = reach(basic, 'hash', 'algorithm')
  if (algorithm !== undefined && algorithm.value !== 'bcrypt')
    giveUp(algorithm, 'passwords that are not stored with bcrypt')
  parts.skip('hash')
  reading.changed(parts.take('realm'), 'the name of the realm, which visitors no longer see')
  const accounts = itemsOf(parts.take('accounts'))
  for (const member of parts.left()) giveUp(member, 'a kind of sign-in that sites do not have')
  if (accounts.length === 0) giveUp(basic, 'a sign-in without users')
  return Object.fromEntries(accounts.map(readAccount))
}

function readAccount(account: Place): [string, string] {
  const name = textOf(at(account, 'username')) ?? ''
  const password = textOf(at(account, 'password')) ?? ''
  // Older versions write the hash once more encoded.
  const hash = bcrypt.test(password) ? password : Buffer.from(password, 'base64').toString('latin1')
  if (name === '' || name === '__proto__' || !bcrypt.test(hash))
    giveUp(account, 'a user whose password is not stored with bcrypt')
  return [name, hash]
}

/** Whether a proxy only asks whether a request may pass. */
export function isForwardAuth(handler: Place): boolean {
  return at(handler, 'handler')?.value === 'reverse_proxy' && at(handler, 'handle_response') !== undefined
}

/** Reads a proxy that only asks whether a request may pass, as the directive `forward_auth` writes it. */
export function readForwardAuth(handler: Place): NonNullable<SiteRecord['forward_auth']> {
  const members = new Members(handler)
  members.skip('handler')
  const [upstream, ...others] = itemsOf(members.take('upstreams'))
  const transport = members.take('transport')
  const isTls = transport !== undefined && isPlainTls(transport)
  const dial = upstream && textOf(at(upstream, 'dial'))
  const url = dial === undefined || others.length > 0 ? undefined : urlOf(dial, isTls ? 'https' : 'http')
  if (url === undefined) giveUp(handler, 'a forward authentication without one fixed address')
  const rewrite = members.take('rewrite')
  checkQuestion(rewrite ?? handler, members.take('headers'), isTls)
  const answers = itemsOf(members.take('handle_response'))
  for (const member of members.left()) giveUp(member, 'a forward authentication that sites do not have')
  const copied =
    answers.length === 1 && answers[0] ? readCopies(answers[0]) : giveUp(handler, 'an answer that is handled otherwise')
  return { url, uri: literalText((rewrite && at(rewrite, 'uri')) ?? handler), copy_headers: copied }
}

function isPlainTls(transport: Place): boolean {
  const members = new Members(transport)
  const tls = members.take('tls')
  members.skip('protocol')
  if (tls === undefined || membersOf(tls).length > 0 || members.left().length > 0)
    giveUp(transport, 'a way to speak to the server of a forward authentication')
  return true
}

function checkQuestion(rewrite: Place, headers: Place | undefined, isTls: boolean): void {
  const names = membersOf(rewrite).map(([name]) => name)
  if (names.sort().join() !== 'method,uri' || at(rewrite, 'method')?.value !== 'GET')
    giveUp(rewrite, 'a proxy that handles answers itself')
  const expected: Record<string, string> = {
    'X-Forwarded-Method': '{http.request.method}',
    'X-Forwarded-Uri': '{http.request.uri}',
    ...(isTls && { Host: '{http.reverse_proxy.upstream.hostport}' }),
  }
  const request = headers && at(headers, 'request')
  for (const [, operation] of membersOf(request)) {
    for (const [name, values] of membersOf(operation)) {
      const isExpected = operation.path.endsWith('/set') && textsOf(values)?.join() === expected[name]
      if (!isExpected) giveUp(values, 'a header for the server of a forward authentication')
    }
  }
  if (membersOf(headers).length > 1) giveUp(headers ?? rewrite, 'headers of the answer of a forward authentication')
}

/** The headers a good answer passes on. */
function readCopies(answer: Place): string[] {
  const statuses = reach(answer, 'match', 'status_code')
  if (JSON.stringify(statuses?.value) !== '[2]' || membersOf(at(answer, 'match')).length !== 1)
    giveUp(answer, 'an answer that is handled otherwise')
  const names: string[] = []
  for (const route of itemsOf(at(answer, 'routes')))
    for (const handler of itemsOf(at(route, 'handle'))) names.push(...copiesOf(handler))
  return names
}

/** The header a handler passes on. It may go over a variable of the directive's own, which is set before. */
function copiesOf(handler: Place): string[] {
  const name = at(handler, 'handler')?.value
  if (name === 'vars') return checkVariables(handler)
  const request = at(handler, 'request')
  if (name !== 'headers' || !isObject(request?.value)) giveUp(handler, 'an answer that is handled otherwise')
  return membersOf(request).flatMap(([operation, place]) => {
    if (operation === 'delete') return []
    return membersOf(place).map(([header, values]) => {
      const value = textsOf(values)?.join()
      const isSame = value === `{http.reverse_proxy.header.${header}}` || value === `{http.vars.${variableOf(header)}}`
      return operation === 'set' && isSame
        ? header
        : giveUp(values, 'a header that is not passed on under its own name')
    })
  })
}

const variableOf = (header: string) => `forward_auth_${header.toLowerCase()}`

function checkVariables(handler: Place): [] {
  for (const [name, value] of membersOf(handler)) {
    if (name === 'handler') continue
    const header = /^\{http\.reverse_proxy\.header\.([^{}]+)\}$/.exec(textOf(value) ?? '')?.[1]
    if (header === undefined || name !== variableOf(header)) giveUp(value, 'a variable')
  }
  return []
}
