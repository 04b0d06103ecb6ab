import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { describeApi } from './describe-api.ts'
import { routeFor } from './route.ts'

const about = {
  title: 'Places',
  version: '1',
  description: '',
  errorBody: z.object({ code: z.string() }),
  securitySchemes: {},
  security: () => [],
  tags: [],
}

test('the OpenAPI document and the server accept IPv6 addresses with a dotted IPv4 part', async () => {
  const Place = z.object({ address: z.ipv6(), network: z.cidrv6(), name: z.stringFormat('name', /^[a-z]+$/) })
  const route = routeFor<{ open: undefined }, 'some'>()
  const spec = {
    method: 'POST',
    path: '/places',
    tag: 'Places',
    summary: 'New',
    access: 'open',
    limit: 'some',
  } as const
  const document = await describeApi(
    () => [route({ ...spec, body: Place, success: { status: 201, body: Place } }, ({ body }) => body)],
    about,
  )()
  assert.ok(Place.safeParse({ address: '::ffff:192.0.2.1', network: '::ffff:192.0.2.0/120', name: 'a' }).success)
  const formats = JSON.stringify(document).match(/"type":"string","format":"[^}]*/g)
  assert.deepEqual(
    [...new Set(formats)],
    [
      '"type":"string","format":"ipv6"',
      '"type":"string","format":"cidrv6"',
      '"type":"string","format":"name","pattern":"^[a-z]+$"',
    ],
  )
})

test('shared responses, parameters and schemas are defined once under components', async () => {
  const Size = z.strictObject({ width: z.number() }).meta({ id: 'Size' })
  const Thing = z.strictObject({ size: Size, count: z.int().default(1) }).meta({ id: 'Thing' })
  const route = routeFor<{ open: undefined }, 'some'>()
  const spec = { tag: 'Things', summary: 'A thing', access: 'open', limit: 'some' } as const
  const params = z.object({ id: z.string() })
  const success = { status: 200, body: Thing } as const
  const document = (await describeApi(
    () => [
      route({ ...spec, method: 'GET', path: '/things/{id}', params, success }, () => ({
        size: { width: 1 },
        count: 1,
      })),
      route({ ...spec, method: 'PUT', path: '/things/{id}', params, body: Thing, success }, ({ body }) => body),
    ],
    about,
  )()) as {
    paths: Record<
      string,
      Record<string, { parameters: unknown; responses: Record<string, unknown>; requestBody: unknown }>
    >
    components: Record<string, Record<string, object>>
  }
  const { get, put } = document.paths['/things/{id}'] ?? {}
  assert.deepEqual(get?.parameters, [{ $ref: '#/components/parameters/Id' }])
  assert.deepEqual(put?.parameters, get?.parameters)
  assert.deepEqual(put?.responses['404'], { $ref: '#/components/responses/NotFound' })
  assert.match(JSON.stringify(put?.requestBody), /schemas\/ThingInput"/)
  const { schemas = {}, responses = {} } = document.components
  assert.deepEqual(Object.keys(schemas), ['Size', 'Thing', 'ThingInput'], 'sizes are sent as they are answered')
  assert.ok('NotFound' in responses && 'TooManyRequests' in responses && !('200' in responses))
})
