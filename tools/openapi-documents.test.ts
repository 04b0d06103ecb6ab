import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createAddressSet, createServer, type ApiDescription, type ErrorAnswer, type Route } from '@hearth/http'
import { createLog } from '@hearth/runtime'
import { findServices } from '../cli/services.ts'

interface Operation {
  readonly operationId?: string
  readonly tags?: readonly string[]
  readonly security?: readonly Record<string, readonly string[]>[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
  readonly 'x-access'?: string
}

interface Document {
  readonly info: { readonly license?: { readonly name: string; readonly identifier?: string } }
  readonly servers?: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly securitySchemes: Readonly<Record<string, unknown>> }
}

/** Every module of a service that its description is made of. */
async function load(folder: string) {
  const from = (name: string): Promise<unknown> => import(join(folder, 'src', name))
  const { allRoutes } = (await from('routes.ts')) as { allRoutes: (features: never) => Route[] }
  const { about } = (await from('about.ts')) as { about: ApiDescription }
  const { toError } = (await from('problems.ts')) as {
    toError: (error: unknown, where: { instance: string; correlationId: string }) => ErrorAnswer
  }
  return { allRoutes, about, toError }
}

/** Stands for every feature; nothing of it is called, because no request here gets as far as a handler. */
const uncalled: object = new Proxy(() => undefined, { get: () => uncalled })

const operationsOf = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      Object.assign({ name: `${method.toUpperCase()} ${path}`, path, method }, operation),
    ),
  )

for (const service of findServices())
  describe(service.name, () => {
    const document = JSON.parse(readFileSync(join(service.folder, 'openapi.json'), 'utf8')) as Document
    const operations = operationsOf(document)

    test('the document names its licence and its server', () => {
      assert.deepEqual(document.info.license, { name: 'MIT', identifier: 'MIT' })
      assert.deepEqual(
        document.servers?.map(({ url }) => url),
        ['/'],
      )
    })

    test('every operation has a unique id made of its method and path', () => {
      const ids = operations.map(({ operationId }) => operationId ?? '')
      assert.equal(new Set(ids).size, operations.length)
      for (const { name, method, operationId = '' } of operations)
        assert.match(operationId, new RegExp(`^${method}(?:[A-Z0-9][A-Za-z0-9]*)+$`), name)
    })

    test('every operation declares its security: an empty list when public, otherwise schemes with a description', async () => {
      const { about } = await load(service.folder)
      for (const { name, security, 'x-access': access = '' } of operations) {
        assert.ok(Array.isArray(security), name)
        assert.equal(security.length, about.security(access).length, name)
        for (const scheme of security.flatMap((way) => Object.keys(way)))
          assert.ok(scheme in document.components.securitySchemes, `${name}: ${scheme}`)
      }
      assert.ok(operations.some(({ security }) => security?.length === 0))
    })

    test('a write with the session cookie also names the CSRF token', () => {
      for (const { name, method, security = [] } of operations)
        for (const way of security) assert.equal('csrf' in way, 'session' in way && method !== 'get', name)
    })

    test('every tag is described', () => {
      const described = new Set(document.tags.map(({ name }) => name))
      for (const { name, tags = [] } of operations) {
        assert.ok(tags.length > 0, name)
        for (const tag of tags) assert.ok(described.has(tag), `${name}: ${tag}`)
      }
    })

    test('responses to unexpected, malformed and too large bodies are documented', async () => {
      const { allRoutes, about, toError } = await load(service.folder)
      const app = await createServer({
        routes: allRoutes(uncalled as never),
        about,
        guard: () => Promise.resolve(undefined),
        toError: (error, request) => toError(error, { instance: request.url, correlationId: request.id }),
        trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
        log: createLog({ name: 'test', level: 'silent' }),
        pages: '',
      })
      const seen = new Set<number>()
      for (const { name, path, method, responses } of operations.filter(({ method }) => method !== 'get'))
        for (const [type, payload, length] of [
          ['application/json', '{broken', undefined],
          ['text/csv', 'a,b', undefined],
          // A body that large need not be sent to be refused.
          ['application/json', '', '999999999'],
        ] as const) {
          const { statusCode } = await app.inject({
            method: method.toUpperCase() as 'POST',
            url: path.replaceAll(/\{\w+\}/g, '1'),
            headers: { 'content-type': type, ...(length === undefined ? {} : { 'content-length': length }) },
            payload,
          })
          seen.add(statusCode)
          assert.ok(String(statusCode) in responses, `${name} answers ${statusCode} to ${type}`)
        }
      assert.ok(seen.has(413) && seen.has(415), [...seen].join())
      await app.close()
    })
  })

test('media: routes that redirect a browser to the sign-in page document it', () => {
  const media = findServices().find(({ name }) => name === 'media')
  const document = JSON.parse(readFileSync(join(media?.folder ?? '', 'openapi.json'), 'utf8')) as Document
  const pages = operationsOf(document).filter((operation) => operation['x-access'] === 'page')
  assert.ok(pages.length > 5)
  for (const { name, responses } of pages) assert.ok('303' in responses, name)
})

test('sites: operations have the tags of their groups', () => {
  const sites = findServices().find(({ name }) => name === 'sites')
  const document = JSON.parse(readFileSync(join(sites?.folder ?? '', 'openapi.json'), 'utf8')) as Document
  for (const { name, path, tags = [] } of operationsOf(document)) {
    assert.equal(tags.includes('system'), path.startsWith('/api/v1/'), name)
    if (/^\/api\/(?:sites|caddy)/.test(path)) assert.ok(tags.includes('proxy server'), name)
  }
})
