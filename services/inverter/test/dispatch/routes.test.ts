import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAddressSet, createServer, describeApi, type ApiDescription } from '@hearth/http'
import { createLog } from '@hearth/runtime'
import { dispatchRoutes } from '../../src/dispatch/routes.ts'
import { Dispatch, DispatchPreview } from '../../src/dispatch/schema.ts'
import { energyRoutes } from '../../src/energy/routes.ts'
import type { EnergyManager } from '../../src/energy/energy.ts'
import { ProblemDocument, toError } from '../../src/problems.ts'
import { DispatchFixture } from './fixture.ts'

interface Problem {
  readonly code: string
  readonly errors?: { parameter: string }[]
}

const about: ApiDescription = {
  title: 't',
  version: '1',
  description: '',
  errorBody: ProblemDocument,
  securitySchemes: {},
  security: () => [],
  tags: [],
}

async function serve(fixture: DispatchFixture) {
  const service = await fixture.start()
  return createServer({
    routes: [...dispatchRoutes(service), ...energyRoutes({} as EnergyManager)],
    about,
    guard: () => Promise.resolve({ name: 'token', via: { kind: 'token', id: '1', role: 'read_write' } }),
    toError: (error) => toError(error, { instance: '', correlationId: '' }),
    trust: { proxies: createAddressSet([]), header: 'x-forwarded-for' },
    log: createLog({ name: 'test', level: 'silent' }),
    pages: import.meta.dirname,
  })
}

test('a dispatch is previewed, started, read and stopped over HTTP', async () => {
  await using fixture = new DispatchFixture()
  const app = await serve(fixture)
  const url = '/api/v1/devices/a/battery/dispatch'
  const payload = fixture.request('charge_from_grid')
  const call = (method: 'GET' | 'POST' | 'DELETE', path = url, body?: object) =>
    app.inject({ method, url: path, ...(body === undefined ? {} : { payload: body }) })
  assert.equal(DispatchPreview.parse((await call('POST', `${url}/preview`, payload)).json()).outcome, 'start')
  assert.equal(Dispatch.parse((await call('POST', url, payload)).json()).state, 'charging')
  assert.equal(Dispatch.parse((await call('GET')).json()).state, 'charging')
  assert.ok(fixture.plant.writes.every(({ cause }) => cause?.caller === 'token'))
  assert.equal(Dispatch.parse((await call('DELETE')).json()).state, 'idle')
  const answers = [
    [await call('DELETE'), 404, 'dispatch_not_found'],
    [await call('GET', '/api/v1/devices/x/battery/dispatch'), 404, 'unknown_device'],
    [await call('POST', url, { ...payload, mode: 'export_to_grid' }), 409, 'dispatch_mode_unavailable'],
    [await call('POST', url, { ...payload, valid_until: '2026-11-21T12:00:00' }), 422, 'invalid_request'],
    [await call('POST', url, { ...payload, valid_until: '2031-02-30T12:00:00Z' }), 422, 'invalid_request'],
    [await call('POST', url, { ...payload, mode: 'hold' }), 422, 'invalid_request'],
    [await call('POST', url, { ...payload, surprise: 1 }), 422, 'invalid_request'],
  ] as const
  for (const [answer, status, code] of answers)
    assert.deepEqual([answer.statusCode, answer.json<Problem>().code], [status, code], answer.body)
  const naive = await call('POST', url, { ...payload, valid_until: '2026-11-21T12:00:00' })
  assert.equal(naive.json<Problem>().errors?.[0]?.parameter, 'valid_until')
  const document = await describeApi(dispatchRoutes, about)()
  assert.ok(JSON.stringify(document).includes('/battery/dispatch/preview'))
  await app.close()
})
