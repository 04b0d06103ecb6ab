import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { createLog } from '@hearth/runtime'
import { temporaryDirectory } from '@hearth/testing'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { createAddressSet } from './address-set.ts'
import { chooseEncoding } from './content-encoding.ts'
import { createServer } from './create-server.ts'

const script = `export const text = ${JSON.stringify('a sentence that repeats itself, '.repeat(200))}\n`
const index = `<!doctype html><html><head><title>Things</title>
<script nonce="__CSP_NONCE__">/* ${'colour scheme '.repeat(100)} */</script></head><body></body></html>`

let app: FastifyInstance
let folder: Awaited<ReturnType<typeof temporaryDirectory>>

before(async () => {
  folder = await temporaryDirectory('pages')
  await mkdir(join(folder.path, 'assets'))
  const file = join(folder.path, 'assets/main-abc.js')
  await Promise.all([
    writeFile(join(folder.path, 'index.html'), index),
    writeFile(join(folder.path, 'icon.svg'), '<svg/>'),
    writeFile(join(folder.path, 'pages.json'), '["/","/things","/things/:id","/peers/:id?"]'),
    writeFile(file, script),
    writeFile(`${file}.br`, brotliCompressSync(script)),
    writeFile(`${file}.gz`, gzipSync(script)),
  ])
  app = await createServer({
    routes: [],
    about: {
      title: 'Test',
      version: '1',
      description: '',
      errorBody: z.unknown(),
      securitySchemes: {},
      security: () => [],
      tags: [],
    },
    guard: () => Promise.resolve(undefined),
    toError: () => ({ status: 404, body: { text: 'nothing here '.repeat(200) } }),
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: folder.path,
  })
})
after(async () => {
  await app.close()
  await folder[Symbol.asyncDispose]()
})

type Sent = Record<string, string>
const get = async (url: string, headers: Sent = {}, method: 'GET' | 'HEAD' = 'GET') => {
  const { statusCode, headers: got, rawPayload } = await app.inject({ url, headers, method })
  return { status: statusCode, headers: got as Record<string, string | undefined>, bytes: rawPayload }
}
const decode = (encoding: string | undefined, bytes: Buffer): string => {
  if (encoding === 'br') return brotliDecompressSync(bytes).toString()
  return (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString()
}

/** Requests of clients, and the answers they are to get. */
const choices = [
  ['br, gzip', 'br'],
  ['gzip, deflate, br, zstd', 'br'],
  ['gzip, deflate', 'gzip'],
  ['GZIP', 'gzip'],
  ['x-gzip', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip; q=0.5 , br; q=0.5', 'br'],
  ['br;q=0, gzip', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['*', 'br'],
  ['*;q=0', 'identity'],
  ['gzip;q=0, br;q=0.000', 'identity'],
  ['identity;q=1, gzip;q=0.5', 'identity'],
  ['identity', 'identity'],
  ['deflate, zstd', 'identity'],
  ['gzip;q=abc', 'identity'],
  ['', 'identity'],
  [undefined, 'identity'],
] as const

describe('a file is sent in the encoding the client prefers', () => {
  for (const [header, expected] of choices)
    test(`${header ?? 'no header'}: ${expected}`, async () => {
      assert.equal(chooseEncoding(header), expected)
      const sent: Sent = header === undefined ? {} : { 'accept-encoding': header }
      const reply = await get('/assets/main-abc.js', sent)
      assert.equal(reply.status, 200)
      assert.equal(reply.headers['content-encoding'] ?? 'identity', expected)
      assert.equal(decode(reply.headers['content-encoding'], reply.bytes), script)
      assert.match(reply.headers['content-type'] ?? '', /^(?:text|application)\/javascript; charset=utf-8$/i)
      assert.equal(reply.headers['vary'], 'accept-encoding')
      assert.equal(reply.headers['cache-control'], 'public, max-age=31536000, immutable')
      assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    })
})

test('each encoding of a file has its own ETag, and a matching one answers 304', async () => {
  const tags = new Set<string>()
  for (const coding of ['br', 'gzip', 'identity']) {
    const { headers } = await get('/assets/main-abc.js', { 'accept-encoding': coding })
    const tag = headers['etag'] ?? ''
    tags.add(tag)
    const again = await get('/assets/main-abc.js', { 'accept-encoding': coding, 'if-none-match': tag })
    assert.deepEqual([again.status, again.bytes.length], [304, 0], coding)
    assert.equal(again.headers['vary'], 'accept-encoding', coding)
    assert.equal(again.headers['etag'], tag, coding)
  }
  assert.equal(tags.size, 3)
  const [other = ''] = tags
  assert.equal((await get('/assets/main-abc.js', { 'accept-encoding': 'gzip', 'if-none-match': other })).status, 200)
})

test('HEAD gives the length of the encoding; a small file is sent uncompressed', async () => {
  const head = await get('/assets/main-abc.js', { 'accept-encoding': 'br' }, 'HEAD')
  assert.deepEqual([head.status, head.bytes.length], [200, 0])
  assert.equal(head.headers['content-length'], String(brotliCompressSync(script).length))
  const icon = await get('/icon.svg', { 'accept-encoding': 'br, gzip' })
  assert.deepEqual([icon.headers['content-encoding'], icon.bytes.toString()], [undefined, '<svg/>'])
  assert.equal(icon.headers['vary'], 'accept-encoding')
})

test('precompressed files are not served under their own paths', async () => {
  for (const path of ['/assets/main-abc.js.br', '/assets/main-abc.js.gz'])
    assert.equal((await get(path)).status, 404, path)
})

test('pages and images carry a Content-Security-Policy, scripts and styles do not', async () => {
  const policyOf = async (path: string) =>
    (await get(path, { 'accept-encoding': 'gzip' })).headers['content-security-policy']
  assert.equal(await policyOf('/assets/main-abc.js'), undefined)
  for (const path of ['/', '/icon.svg']) assert.notEqual(await policyOf(path), undefined, path)
  assert.equal((await get('/assets/main-abc.js')).headers['x-content-type-options'], 'nosniff')
})

test('the HTML page is compressed with the nonce of its response', async () => {
  const nonces = new Set<string>()
  for (const coding of ['br', 'gzip', 'identity']) {
    const { headers, bytes } = await get('/', { 'accept-encoding': coding })
    assert.equal(headers['content-encoding'] ?? 'identity', coding)
    assert.equal(headers['vary'], 'accept-encoding')
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['content-length'], String(bytes.length))
    const text = decode(headers['content-encoding'], bytes)
    const [, nonce = ''] = /script nonce="([\w-]+)"/.exec(text) ?? []
    assert.ok(headers['content-security-policy']?.includes(`'nonce-${nonce}'`))
    assert.equal(text, index.replace('__CSP_NONCE__', nonce))
    if (coding !== 'identity') assert.ok(bytes.length < text.length / 2)
    nonces.add(nonce)
  }
  assert.equal(nonces.size, 3)
})

test('an error is not compressed', async () => {
  const { headers, bytes } = await get('/api/none', { 'accept-encoding': 'br' })
  assert.deepEqual([headers['content-encoding'], bytes[0]], [undefined, '{'.charCodeAt(0)])
})

describe('a path has the status of its page', () => {
  const existing = [
    '/',
    '/?a=1',
    '/things',
    '/things/',
    '/THINGS',
    '/things/7',
    '/things/7/',
    '/things/a%20b',
    '/peers',
    '/peers/1?tab=2',
  ]
  const unknown = ['/nowhere', '/things/7/more', '/peers/1/2', '/thing', '/index', '/a/things']
  for (const [paths, status] of [
    [existing, 200],
    [unknown, 404],
  ] as const)
    for (const path of paths)
      test(`${path}: ${status}`, async () => {
        for (const method of ['GET', 'HEAD'] as const) {
          const reply = await get(path, {}, method)
          assert.equal(reply.status, status)
          assert.equal(reply.headers['content-type'], 'text/html; charset=utf-8')
          assert.equal(reply.headers['cache-control'], 'no-store')
        }
        assert.match(
          (await get(path)).bytes.toString(),
          /<title>Things<\/title>/,
          'the page itself says what is not there',
        )
      })

  test('the list of pages is not served as a file', async () => {
    assert.equal((await get('/pages.json')).status, 404)
  })
})
