import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  interfaceValues,
  proposedValues,
  toInterfaceCreate,
  toInterfaceUpdate,
} from '../interfaces/interface-values.ts'
import { changedValues } from '@hearth/ui/changed-values'

test('only changed settings are sent, and an emptied number is not a change', () => {
  const stored = {
    public_endpoint: 'vpn.example.org',
    default_dns: '1.1.1.1',
    default_mtu: 1420,
    default_persistent_keepalive: 25,
    default_routing_mode: 'full_tunnel' as const,
    sample_interval_seconds: 2,
    expiry_warning_days: 7,
    silent_peer_days: 90,
    connection_history_days: 90,
    connection_history_rows: 500_000,
    metrics_retention_days: 0,
    geoip_country_url: '',
    geoip_asn_url: '',
    destination_metrics_enabled: false,
    session_timeout_minutes: 60,
  }
  assert.deepEqual(changedValues({ ...stored }, stored), {})
  assert.deepEqual(changedValues({ ...stored, default_mtu: '', public_endpoint: '' }, stored), {
    public_endpoint: '',
  })
})

test('an edited interface sends what differs; an emptied IPv6 network is removed', () => {
  const proposal = {
    name: 'wg0',
    address: '10.8.0.1/24',
    address6: 'fd00::1/64',
    listen_port: 51_820,
    dns: '',
    mtu: 1420,
  }
  const values = proposedValues(proposal)
  assert.deepEqual(toInterfaceCreate(values), { ...proposal, nat: true, forwarding: true })
  assert.equal(toInterfaceUpdate(values, values), undefined)
  assert.deepEqual(toInterfaceUpdate({ ...values, address6: '', mtu: 1400 }, values), { address6: null, mtu: 1400 })
  assert.equal(interfaceValues({ ...values, address6: null } as never).address6, '')
  const there = { ...values, node: 'a node' }
  assert.equal(toInterfaceCreate(there).node_id, 'a node')
  assert.deepEqual(toInterfaceUpdate(there, values), { node_id: 'a node' })
  assert.deepEqual(toInterfaceUpdate(values, there), { node_id: null })
})
