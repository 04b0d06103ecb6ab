import type { IncomingHttpHeaders } from 'node:http'
import { Agent, request as sendRequest } from 'node:https'
import { createRandom } from '@hearth/testing'
import type { User } from '../src/accounts/schema.ts'
import { compileSignIn, decide, type CompiledSignIn } from '../src/portal/decide.ts'
import { SiteSignIn } from '../src/sites/sign-in-schema.ts'
import { testPassword } from '../test/in-process.ts'
import { must, openPortalPlace, type PortalPlace } from '../test/portal-place.ts'
import type { PortalVisitor } from '../test/portal-visitor.ts'
import { makeSite } from '../test/served.ts'
import { runWrk, type WrkFigures } from './scenario/wrk.ts'

/**
 * `npm run bench -- sites/portal`: what a decision of the portal costs beside the same site without it and with Caddy's basic
 * authentication under `wrk`, in one run, and whether 100,000 random requests of 50 users to 200 sites are decided as a model
 * says while 200 edits go on. The limits: 1 ms more at the median, 4 ms at 99 percent, nothing decided wrongly.
 */
const [requests = 100_000] = process.argv.slice(2).map(Number)
const say = (name: string, text: string): void => void process.stdout.write(`  ${name.padEnd(34)} ${text}\n`)

const basic = `Basic ${Buffer.from('ann:correct horse').toString('base64')}`
const ms = (value: number): string => `${value.toFixed(2)} ms`

async function benchCosts(place: PortalPlace): Promise<void> {
  const { admin, sites } = place
  const answer = { kind: 'respond', respond: { body: 'ok' }, tls: { mode: 'internal' } }
  const users = [{ username: 'ann', password: 'correct horse' }]
  await makeSite(admin, { ...answer, site_name: 'plain', domains: ['plain.bench.test'] })
  await makeSite(admin, { ...answer, site_name: 'basic', domains: ['basic.bench.test'], basic_auth: users })
  await place.addVisitor('ann', ['family'])
  await place.protect('portal.bench.test', { groups: ['family'] }, { ...answer, upstreams: [] })
  const ann = place.visitor()
  await ann.signIn(ann.url('portal.bench.test'), 'ann', testPassword)
  const cookie = [...(ann.cookies.get('portal.bench.test') ?? [])].map((pair) => pair.join('=')).join('; ')
  const port = sites.caddyPorts[1]
  const kinds = {
    plain: {},
    basic: { authorization: basic },
    portal: { cookie },
  }
  const figures: Record<string, WrkFigures[]> = { plain: [], basic: [], portal: [] }
  // Several rounds in turn, so that a busy moment of the machine meets all of them.
  for (let round = 0; round < 3; round += 1)
    for (const [kind, headers] of Object.entries(kinds))
      figures[kind]?.push(await runWrk({ port, host: `${kind}.bench.test`, headers, connections: 2, seconds: 5 }))
  if (Object.values(figures).some((rounds) => rounds.some(({ failures }) => failures > 0))) process.exitCode = 1
  const least = (kind: string, of: keyof WrkFigures) => Math.min(...(figures[kind] ?? []).map((one) => one[of]))
  for (const kind of Object.keys(kinds))
    say(
      `${kind}, 2 connections`,
      `${ms(least(kind, 'median'))} median, ${ms(least(kind, 'late'))} at 99 %, ${Math.max(...(figures[kind] ?? []).map(({ perSecond }) => perSecond)).toFixed(0)}/s, ${(figures[kind] ?? []).reduce((sum, one) => sum + one.failures, 0)} failed`,
    )
  say(
    'the portal costs',
    `${ms(least('portal', 'median') - least('plain', 'median'))} median (limit 1), ${ms(least('portal', 'late') - least('plain', 'late'))} at 99 % (limit 4)`,
  )
}

const groupNames = ['family', 'staff', 'guests', 'admins']

/** Who is in which group after each edit; an edit counts from its beginning to its answer as both. */
interface Edit {
  readonly begun: number
  ended: number
  readonly members: ReadonlyMap<string, ReadonlySet<string>>
}

async function benchDecisions(place: PortalPlace): Promise<void> {
  const random = createRandom(11)
  const port = place.sites.caddyPorts[1]
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
  const users: User[] = []
  for (let number = 0; number < 50; number += 1) users.push(await place.addVisitor(`user${number}`))
  for (const name of groupNames.slice(1)) await must(place.admin, 'POST', '/api/v1/portal/groups', { name })
  const sites: { host: string; signIn: CompiledSignIn }[] = []
  for (let number = 0; number < 200; number += 1) {
    const host = `s${number}.bench.test`
    const rules = [
      ...(number % 3 === 0 ? [{ path: '/open', access: 'open' }] : []),
      ...(number % 4 === 0 ? [{ path: '/closed', access: 'denied' }] : []),
      ...(number % 5 === 0 ? [{ path: '/hook', methods: ['POST'], access: 'open' }] : []),
      ...(number % 7 === 0 ? [{ path: '/admin', access: 'sign_in', groups: ['admins'] }] : []),
    ]
    const signIn = SiteSignIn.parse({ groups: number % 6 === 0 ? [] : [pick(groupNames)], rules })
    const members = { kind: 'respond', respond: { body: 'ok' }, upstreams: [], tls: { mode: 'internal' } }
    const json = { site_name: host, domains: [host], sign_in: signIn, ...members }
    await must(place.admin, 'POST', '/api/sites?wait=false', json)
    sites.push({ host, signIn: compileSignIn(signIn) })
  }
  await must(place.admin, 'POST', '/api/caddy/sync')
  const visitors = new Map<string, PortalVisitor>()
  for (const { id, username } of users) {
    const visitor = place.visitor()
    await visitor.signIn(visitor.url(sites[0]?.host ?? ''), username, testPassword)
    visitors.set(id, visitor)
  }
  say('50 users, 200 sites', 'are there')
  const edits: Edit[] = [{ begun: 0, ended: 0, members: new Map(groupNames.map((name) => [name, new Set()])) }]
  let [done, wrong, uncertain] = [0, 0, 0]
  const outcomes = { allow: 0, sign_in: 0, forbidden: 0 }
  const isOver = () => done >= requests

  async function edit(): Promise<void> {
    for (let number = 0; number < 200 && !isOver(); number += 1) {
      const before = edits.at(-1)?.members ?? new Map<string, ReadonlySet<string>>()
      const name = pick(groupNames)
      const members = new Set(users.filter(() => random() < 0.4).map(({ id }) => id))
      const one: Edit = { begun: performance.now(), ended: Infinity, members: new Map([...before, [name, members]]) }
      edits.push(one)
      await must(place.admin, 'PUT', `/api/v1/portal/groups/${name}`, { user_ids: [...members] })
      one.ended = performance.now()
      const isEarly = () => done < (requests * number) / 200
      while (isEarly()) await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }

  async function ask(): Promise<void> {
    while (!isOver()) {
      done += 1
      const { host, signIn } = pick(sites)
      const user = random() < 0.1 ? undefined : pick(users)
      const target = pick(['/', '/open/a', '/closed', '/hook', '/admin/x', '/Admin', '/open/../admin', '/a%20b'])
      const method = pick(['GET', 'GET', 'POST'])
      const visitor = user === undefined ? undefined : visitors.get(user.id)
      if (visitor !== undefined && !visitor.cookies.has(host)) await handOver(port, visitor, host)
      const begun = performance.now()
      const { status } = await request(port, { host, target, method, cookies: visitor?.cookies.get(host) })
      const ended = performance.now()
      const possible = edits.filter((one, index) => one.begun <= ended && (edits[index + 1]?.ended ?? Infinity) > begun)
      const expected = new Set(
        possible.map(({ members }) => {
          const groups = new Set(groupNames.filter((name) => user !== undefined && members.get(name)?.has(user.id)))
          const who = user && { id: user.id, username: user.username, email: null, groups }
          return decide(signIn, { method, target, address: '127.0.0.1' }, who).outcome
        }),
      )
      const outcome = status === 200 ? 'allow' : status === 401 ? 'sign_in' : status === 403 ? 'forbidden' : undefined
      if (expected.size > 1) uncertain += 1
      if (outcome === undefined || !expected.has(outcome)) wrong += 1
      else outcomes[outcome] += 1
    }
  }

  const begun = performance.now()
  await Promise.all([edit(), ...Array.from({ length: 16 }, ask)])
  const seconds = (performance.now() - begun) / 1000
  say(
    `${requests} random requests`,
    `${JSON.stringify(outcomes)} in ${seconds.toFixed(0)} s, ${edits.length - 1} edits`,
  )
  say('decided wrongly', `${wrong} (limit 0); ${uncertain} while an edit of theirs was under way`)
  if (wrong > 0) process.exitCode = 1
}

const agent = new Agent({ keepAlive: true, maxSockets: 4, rejectUnauthorized: false })

interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

interface Asked {
  readonly host: string
  readonly target: string
  readonly method: string
  readonly cookies: ReadonlyMap<string, string> | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Requests a page over a kept connection; resolves with the status and the headers. */
function request(port: number, { host, target, method, cookies = new Map(), headers: more }: Asked): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const headers = { host: `${host}:${port}`, ...(cookie !== '' && { cookie }), ...more }
  const options = { agent, port, host: '127.0.0.1', servername: host, path: target, method, headers, timeout: 20_000 }
  const outgoing = sendRequest(options, (answer) => {
    answer.resume()
    answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }))
  })
  outgoing.on('timeout', () => outgoing.destroy(new Error(`${host} did not answer`)))
  outgoing.on('error', reject)
  outgoing.end()
  return promise
}

/** Takes a sign-in over to a site, as a browser does: to the portal, and back with a code. */
async function handOver(port: number, visitor: PortalVisitor, host: string): Promise<void> {
  const at = { method: 'GET', headers: { accept: 'text/html' } }
  const asked = await request(port, { ...at, host, target: '/never', cookies: undefined })
  const portal = new URL(asked.headers.location ?? '')
  const there = { ...at, host: portal.hostname, target: portal.pathname + portal.search }
  const back = await request(port, { ...there, cookies: visitor.cookies.get(portal.hostname) })
  const { pathname, search } = new URL(back.headers.location ?? '')
  const taken = await request(port, { ...at, host, target: pathname + search, cookies: cookiesOf(asked) })
  visitor.cookies.set(host, cookiesOf(taken))
}

function cookiesOf({ headers }: Answered): Map<string, string> {
  const pairs = (headers['set-cookie'] ?? []).flatMap((line) => {
    const [, name, value] = /^([^=]+)=([^;]+)/.exec(line) ?? []
    return name === undefined || value === undefined ? [] : [[name, value] as const]
  })
  return new Map(pairs)
}

await using place = await openPortalPlace()
await benchCosts(place)
await benchDecisions(place)
agent.destroy()
