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

test('the document does not forbid what is taken: an IPv6 address may end as an IPv4 one', async () => {
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
  )
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
