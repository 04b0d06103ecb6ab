import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The zone that every fake provider has, and its TXT records: values by full name. */
export const zone = 'example.org'
export type Records = Map<string, string[]>

/** The credentials that every fake provider takes. */
export const token = 'the-right-token-123456789012345678901234'

/** The account that the fake acme-dns has, beside the password. */
export const acmeDnsAccount = {
  username: '6f8ab0c2-3f6d-4d6e-9a43-b1f2c87a5d10',
  subdomain: 'd420c923-bbd7-4056-ab64-c3ca54c9b3cf',
}

/** A call as a fake provider gets it. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly body: Readonly<Record<string, unknown>> & readonly unknown[]
  readonly text: string
  /** Path and query as they were sent. */
  readonly target: string
}

/** Status and JSON of an answer; an undefined body is none. */
export type Answer = readonly [status: number, body?: unknown]

/** A fake provider: answers as its API's documentation says, on records that it keeps. */
export type FakeProvider = (call: Call, records: Records) => Answer

const full = (name: unknown): string => (name === '@' || name === '' ? zone : `${String(name)}.${zone}`)
const plain = (value: unknown): string => String(value).replaceAll('"', '')
const add = (records: Records, name: string, value: string) =>
  void records.set(name, [...(records.get(name) ?? []), value])
const remove = (records: Records, name: string, value: string) => {
  const left = (records.get(name) ?? []).filter((each) => each !== value)
  if (left.length === 0) records.delete(name)
  else records.set(name, left)
}

const cloudflare: FakeProvider = ({ method, path, query, headers, body }, records) => {
  const failed = (status: number, code: number, message: string): Answer => [
    status,
    { success: false, errors: [{ code, message }], messages: [], result: null },
  ]
  const done = (result: unknown): Answer => [200, { success: true, errors: [], messages: [], result }]
  if (headers.authorization !== `Bearer ${token}`) return failed(403, 9109, 'Invalid access token')
  if (path === '/client/v4/zones') return done(query.get('name') === zone ? [{ id: 'z1', name: zone }] : [])
  if (method === 'POST' && path === '/client/v4/zones/z1/dns_records') {
    const [name, value] = [String(body['name']), plain(body['content'])]
    if (records.get(name)?.includes(value)) return failed(400, 81_058, 'An identical record already exists.')
    add(records, name, value)
    return done({ id: value })
  }
  if (method === 'GET' && path === '/client/v4/zones/z1/dns_records') {
    const found = records.get(query.get('name') ?? '') ?? []
    return done(found.map((value) => ({ id: value, content: `"${value}"` })))
  }
  const id = path.replace('/client/v4/zones/z1/dns_records/', '')
  for (const name of records.keys()) if (records.get(name)?.includes(id)) remove(records, name, id)
  return done({ id })
}

const hetzner: FakeProvider = ({ path, query, headers, body }, records) => {
  const failed = (status: number, code: string): Answer => [status, { error: { code, message: code, details: null } }]
  if (headers.authorization !== `Bearer ${token}`) return failed(401, 'unauthorized')
  if (path === '/v1/zones') return [200, { zones: query.get('name') === zone ? [{ id: 7, name: zone }] : [] }]
  const [, name, action] = /^\/v1\/zones\/example\.org\/rrsets\/([^/]+)\/TXT(?:\/actions\/(\w+))?$/.exec(path) ?? []
  if (name === undefined) return failed(404, 'not_found')
  const present = records.get(full(name))
  const given = ((body['records'] ?? []) as { value: string }[]).map(({ value }) => value)
  if (given.some((value) => !/^".*"$/.test(value))) return failed(422, 'invalid_input')
  if (action === 'add_records') {
    if (given.some((value) => present?.includes(plain(value)))) return failed(409, 'uniqueness_error')
    for (const value of given) add(records, full(name), plain(value))
    return [201, { action: { id: 1, status: 'running' } }]
  }
  if (present === undefined) return failed(404, 'not_found')
  if (action === undefined) return [200, { rrset: { records: present.map((value) => ({ value: `"${value}"` })) } }]
  for (const value of given) remove(records, full(name), plain(value))
  return [201, { action: { id: 2, status: 'running' } }]
}

const desec: FakeProvider = ({ method, path, query, headers, body }, records) => {
  if (headers.authorization !== `Token ${token}`) return [401, { detail: 'Invalid token.' }]
  if (path === '/api/v1/domains/') {
    const name = query.get('owns_qname') ?? ''
    return [200, name === zone || name.endsWith(`.${zone}`) ? [{ name: zone, minimum_ttl: 3600 }] : []]
  }
  if (method === 'PUT' && path === `/api/v1/domains/${zone}/rrsets/`) {
    for (const set of body as unknown as { subname: string; ttl: number; records: string[] }[]) {
      if (set.ttl < 3600) return [400, { detail: 'Ensure this value is greater than or equal to 3600.' }]
      if (set.records.length === 0) records.delete(full(set.subname))
      else records.set(full(set.subname), set.records.map(plain))
    }
    return [200, body]
  }
  const [, name] = /^\/api\/v1\/domains\/example\.org\/rrsets\/([^/]+)\/TXT\/$/.exec(path) ?? []
  const found = name === undefined ? undefined : records.get(full(name))
  return found === undefined
    ? [404, { detail: 'Not found.' }]
    : [200, { subname: name, type: 'TXT', ttl: 3600, records: found.map((value) => `"${value}"`) }]
}

const digitalocean: FakeProvider = ({ method, path, query, headers, body }, records) => {
  if (headers.authorization !== `Bearer ${token}`)
    return [401, { id: 'Unauthorized', message: 'Unable to authenticate you' }]
  if (path === `/v2/domains/${zone}`) return [200, { domain: { name: zone } }]
  if (!path.startsWith(`/v2/domains/${zone}/records`)) return [404, { id: 'not_found', message: 'not found' }]
  const all = [...records].flatMap(([name, values]) => values.map((data) => ({ name, data })))
  const withIds = all.map((entry, index) => ({ ...entry, id: index + 1, type: 'TXT' }))
  if (method === 'POST') {
    add(records, full(body['name']), String(body['data']))
    return [201, { domain_record: { id: all.length + 1 } }]
  }
  if (method === 'GET') return [200, { domain_records: withIds.filter(({ name }) => name === query.get('name')) }]
  const found = withIds.find(({ id }) => path.endsWith(`/${id}`))
  if (found === undefined) return [404, { id: 'not_found', message: 'not found' }]
  remove(records, found.name, found.data)
  return [204]
}

const acmeDns: FakeProvider = ({ headers, body }, records) => {
  const { username, subdomain } = acmeDnsAccount
  // The real one says the same of a wrong user name, password and subdomain.
  if (headers['x-api-user'] !== username || headers['x-api-key'] !== token || body['subdomain'] !== subdomain)
    return [401, { error: 'forbidden' }]
  if (!/^[\w-]{43}$/.test(String(body['txt']))) return [400, { error: 'bad_txt' }]
  const name = `${subdomain}.${zone}`
  // The two newest values stay.
  records.set(name, [...(records.get(name) ?? []), String(body['txt'])].slice(-2))
  return [200, { txt: body['txt'] }]
}

const webhook: FakeProvider = ({ method, headers, body }, records) => {
  if (method !== 'POST' || headers.authorization !== `Bearer ${token}`) return [401, { error: 'who are you?' }]
  const [name, value] = [String(body['name']), String(body['value'])]
  remove(records, name, value)
  if (body['action'] === 'add') add(records, name, value)
  return [204]
}

const ovh: FakeProvider = ({ method, path, query, headers, body, text, target }, records) => {
  const signed = ['ovh-secret', token, method, `https://eu.api.ovh.com${target}`, text, headers['x-ovh-timestamp']]
  const signature = `$1$${createHash('sha1').update(signed.join('+')).digest('hex')}`
  if (headers['x-ovh-consumer'] !== token) return [403, { message: 'This credential does not exist' }]
  if (headers['x-ovh-signature'] !== signature) return [400, { message: 'Invalid signature' }]
  if (path === `/v1/domain/zone/${zone}`) return [200, { name: zone }]
  if (path === `/v1/domain/zone/${zone}/refresh`) return [200, null]
  if (!path.startsWith(`/v1/domain/zone/${zone}/record`)) return [404, { message: 'This service does not exist' }]
  const all = [...records].flatMap(([name, values]) => values.map((target) => ({ name, target })))
  const withIds = all.map((entry, index) => ({ ...entry, id: index + 1 }))
  if (method === 'POST') {
    add(records, full(body['subDomain']), plain(body['target']))
    return [200, { id: all.length + 1 }]
  }
  const found = withIds.find(({ id }) => path.endsWith(`/${id}`))
  if (found !== undefined && method === 'GET') return [200, { ...found, target: `"${found.target}"` }]
  if (method === 'GET')
    return [200, withIds.flatMap(({ id, name }) => (name === full(query.get('subDomain')) ? [id] : []))]
  if (found !== undefined) remove(records, found.name, found.target)
  return [200, null]
}

const route53: FakeProvider = ({ method, path, query, headers, text, target }, records) => {
  const failed = (status: number, code: string): Answer => [
    status,
    `<ErrorResponse><Error><Code>${code}</Code><Message>${code}</Message></Error></ErrorResponse>`,
  ]
  const time = String(headers['x-amz-date'])
  const [, day = ''] = /^(\d{8})T\d{6}Z$/.exec(time) ?? []
  const sha = (content: string) => createHash('sha256').update(content).digest('hex')
  const mac = (key: string | Buffer, content: string) => createHmac('sha256', key).update(content).digest()
  const [, search = ''] = target.split('?')
  const sorted = search.split('&').toSorted().join('&')
  const canonical = [
    method,
    path,
    sorted,
    `host:route53.amazonaws.com\nx-amz-date:${time}\n`,
    'host;x-amz-date',
    sha(text),
  ]
  const scope = `${day}/us-east-1/route53/aws4_request`
  const key = ['us-east-1', 'route53', 'aws4_request'].reduce(mac, mac(`AWS4${token}`, day))
  const signature = mac(key, ['AWS4-HMAC-SHA256', time, scope, sha(canonical.join('\n'))].join('\n')).toString('hex')
  if (!String(headers.authorization).endsWith(`Signature=${signature}`)) return failed(403, 'SignatureDoesNotMatch')
  if (path.endsWith('/hostedzonesbyname')) {
    const own = `<HostedZone><Id>/hostedzone/Z1</Id><Name>${zone}.</Name><Config><PrivateZone>false</PrivateZone></Config></HostedZone>`
    return [
      200,
      `<ListHostedZonesByNameResponse><HostedZones>${query.get('dnsname') === zone ? own : ''}</HostedZones></ListHostedZonesByNameResponse>`,
    ]
  }
  if (method === 'GET') {
    const name = query.get('name') ?? ''
    const values = (records.get(name) ?? []).map(
      (value) => `<ResourceRecord><Value>&quot;${value}&quot;</Value></ResourceRecord>`,
    )
    const set = `<ResourceRecordSet><Name>${name}.</Name><Type>TXT</Type><TTL>60</TTL><ResourceRecords>${values.join('')}</ResourceRecords></ResourceRecordSet>`
    return [
      200,
      `<ListResourceRecordSetsResponse><ResourceRecordSets>${values.length === 0 ? '' : set}</ResourceRecordSets></ListResourceRecordSetsResponse>`,
    ]
  }
  const [, action, name = ''] = /<Action>(\w+)<\/Action><ResourceRecordSet><Name>(.*?)\.<\/Name>/.exec(text) ?? []
  const values = [...text.matchAll(/<Value>&quot;(.*?)&quot;<\/Value>/g)].map(([, value = '']) => value)
  if (action === 'UPSERT') records.set(name, values)
  else if (JSON.stringify(records.get(name)) === JSON.stringify(values)) records.delete(name)
  else return failed(400, 'InvalidChangeBatch')
  return [200, '<ChangeResourceRecordSetsResponse/>']
}

/** Every fake provider by the kind it stands for. */
export const fakeProviders: Readonly<Record<string, FakeProvider>> = {
  cloudflare,
  hetzner,
  desec,
  digitalocean,
  ovh,
  route53,
  'acme-dns': acmeDns,
  webhook,
}

/** A fake provider that listens. */
export interface ProviderServer extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string
  readonly records: Records
  /** Answers every call with this from now on; undefined ends it. */
  refuse(status: number | undefined, headers?: Readonly<Record<string, string>>): void
}

/** Starts a fake provider on loopback. */
export async function startProviderServer(provider: FakeProvider): Promise<ProviderServer> {
  const records: Records = new Map()
  let refusal: { status: number; headers: Readonly<Record<string, string>> } | undefined
  const server = createServer((request, response) => {
    void (async () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
      const text = Buffer.concat(await request.toArray()).toString()
      const body = (text === '' || text.startsWith('<') ? {} : JSON.parse(text)) as Call['body']
      const about = { method: request.method ?? '', headers: request.headers, target: request.url ?? '/' }
      const call = { ...about, path: pathname, query: searchParams, body, text }
      const [status, answer] = refusal === undefined ? provider(call, records) : [refusal.status, {}]
      response.writeHead(status, { 'content-type': 'application/json', ...refusal?.headers })
      response.end(typeof answer === 'string' || answer === undefined ? answer : JSON.stringify(answer))
    })()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    records,
    refuse(status, headers = {}) {
      refusal = status === undefined ? undefined : { status, headers }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
