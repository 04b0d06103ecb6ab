import { testConformance } from '@hearth/testing/conformance'
import { openapiDocument } from '../src/openapi.ts'
import { main, startGateway } from './in-process.ts'

testConformance(
  {
    // These end the session, never end, or contact hosts named by random text.
    excluded: [
      'POST /admin/api/session',
      'DELETE /admin/api/session',
      'POST /admin/api/session/password',
      'GET /api/v1/stream',
      'POST /admin/api/connection-test',
      'POST /admin/api/inverter-search',
      'PUT /admin/api/mqtt',
      'PUT /admin/api/plan',
      'POST /admin/api/mqtt/test',
      // Opens ports on this machine.
      'PUT /admin/api/shared-port',
      'POST /admin/api/devices',
      'PATCH /admin/api/devices/{device_id}',
      'DELETE /admin/api/devices/{device_id}',
      // A destination that is made up must not get what happens here.
      'POST /admin/api/notifications/destinations',
    ],
    requests: [
      ['GET', main('/metrics')],
      ['GET', main('/metrics?names=battery_soc,net_slave_data&fresh=true')],
      ['GET', main('/metrics?names=Not-a-name')],
      ['GET', main('/metrics/not_there')],
      ['PUT', '/admin/api/settings', { live_interval_seconds: 1 }],
      ['PUT', '/admin/api/mqtt', { enabled: true }],
      ['POST', '/admin/api/mqtt/test', { url: 'http://broker' }],
      ['GET', main('/plan')],
      ['GET', '/admin/api/plan'],
      ['PUT', '/admin/api/plan', { enabled: true }],
      ['GET', '/admin/api/shared-port'],
      ['PUT', '/admin/api/shared-port', { enabled: true }],
    ],
    runs: 15,
    expected: [
      'GET /api/v1/devices/{device_id}/metrics 200',
      'GET /api/v1/devices/{device_id}/metrics 422',
      'GET /api/v1/devices/{device_id}/metrics/{metric_name} 404',
      'PUT /admin/api/settings 422',
      'GET /api/v1/vendor/rct/objects 200',
    ],
  },
  async () => {
    await using cleanup = new AsyncDisposableStack()
    const environment = { DOCS_PUBLIC: 'true', ENABLE_VENDOR_DIAGNOSTICS: 'true' }
    const gateway = cleanup.use(await startGateway({ speed: 50, environment }))
    await gateway.allowDispatch()
    const browser = await gateway.signIn()
    const [endpoint] = gateway.service.app.connections.endpoints()
    const resources = cleanup.move()
    return {
      document: await openapiDocument(),
      ids: [
        'main',
        'battery_soc',
        'com_service',
        'power_mng_soc_strategy',
        'write_path_convention',
        endpoint?.id ?? '',
      ],
      async send(method, url, body) {
        const reply = await browser.send(method, url, body === undefined ? {} : { body })
        return { ...reply, contentType: reply.headers['content-type'] ?? '' }
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  },
)
