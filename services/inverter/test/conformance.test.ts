import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApiOf } from '@hearth/http'
import { askingRuns, createConformance, openApiFaults, operationsOf, requestsFor } from '@hearth/testing'
import * as fc from 'fast-check'
import { main, startGateway } from './in-process.ts'

test('the API document is valid OpenAPI 3.1', async () => {
  await using gateway = await startGateway({ device: null })
  assert.deepEqual(await openApiFaults(openApiOf(gateway.service.app.http)), [])
})

/** What would end the session, never ends, or would reach for hosts that random text names. */
const left = new Set([
  'POST /admin/api/session',
  'DELETE /admin/api/session',
  'POST /admin/api/session/password',
  'GET /api/v1/stream',
  'POST /admin/api/connection-test',
  'POST /admin/api/devices',
  'PATCH /admin/api/devices/{device_id}',
  'DELETE /admin/api/devices/{device_id}',
])

test('whatever is asked, every answer is one the document describes, and none is a 500', async () => {
  await using gateway = await startGateway({
    speed: 50,
    environment: { DOCS_PUBLIC: 'true', ENABLE_VENDOR_DIAGNOSTICS: 'true' },
  })
  await gateway.allowDispatch()
  const browser = await gateway.signIn()
  const document = openApiOf(gateway.service.app.http)
  const conformance = createConformance(document)
  const [endpoint] = gateway.service.app.control.graph.endpoints()
  const ids = [
    'main',
    'battery_soc',
    'com_service',
    'power_mng_soc_strategy',
    'write_path_convention',
    endpoint?.id ?? '',
  ]
  const ask = async (method: string, url: string, body?: unknown) => {
    const reply = await browser.send(method, url, body === undefined ? {} : { body })
    assert.notEqual(reply.status, 500, `${method} ${url} ${JSON.stringify(body)}: ${reply.text}`)
    conformance.check(method, url.replace(/\?.*/s, ''), {
      status: reply.status,
      contentType: reply.headers['content-type'] ?? '',
      body: reply.body,
    })
  }
  await ask('GET', main('/metrics'))
  await ask('GET', main('/metrics?names=battery_soc,net_slave_data&fresh=true'))
  await ask('GET', main('/metrics?names=Not-a-name'))
  await ask('GET', main('/metrics/not_there'))
  await ask('PUT', '/admin/api/settings', { live_interval_seconds: 1 })
  for (const operation of operationsOf(document).filter(({ method, path }) => !left.has(`${method} ${path}`))) {
    await fc.assert(
      fc.asyncProperty(requestsFor(operation, document, ids), async ({ url, body }) => {
        await ask(operation.method, url, body)
      }),
      askingRuns(15),
    )
  }
  for (const expected of [
    'GET /api/v1/devices/{device_id}/metrics 200',
    'GET /api/v1/devices/{device_id}/metrics 422',
    'GET /api/v1/devices/{device_id}/metrics/{metric_name} 404',
    'PUT /admin/api/settings 422',
    'GET /api/v1/vendor/rct/objects 200',
  ])
    assert.ok(conformance.seen.has(expected), `${expected} was never seen`)
})
