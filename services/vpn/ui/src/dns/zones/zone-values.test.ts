import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toZone, zoneValues } from './zone-values.ts'

test('servers stand one per line, and blanks and commas part them too', () => {
  const values = { zone: ' corp.example ', servers: ' udp://10.0.0.53\n\ntls://10.0.1.53#dns.corp.example, 10.0.2.53 ' }
  const servers = ['udp://10.0.0.53', 'tls://10.0.1.53#dns.corp.example', '10.0.2.53']
  assert.deepEqual(toZone(values), { zone: 'corp.example', servers })
  assert.deepEqual(zoneValues({ zone: 'corp.example', servers }), { zone: 'corp.example', servers: servers.join('\n') })
  assert.deepEqual(toZone(zoneValues()), { zone: '', servers: [] })
})
