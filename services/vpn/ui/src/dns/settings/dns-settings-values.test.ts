import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsSettings } from '../../api.ts'
import { changedDnsSettings, dnsSettingsValues } from './dns-settings-values.ts'

const stored: DnsSettings = {
  blocking_enabled: true,
  block_mode: 'zero_ip',
  custom_ipv4: null,
  custom_ipv6: null,
  block_ttl: 10,
  upstreams: ['tls://9.9.9.9#dns.quad9.net'],
  dnssec: false,
  cache_size: 16_384,
  cache_min_ttl: 0,
  cache_max_ttl: 86_400,
  serve_stale: true,
  prefetch: false,
  keep_cache: true,
  block_private_answers: false,
  private_answers_allowed: ['home.example'],
  forwarded_zones: ['home.arpa'],
  dns64_prefix: null,
  peer_names_suffix: 'vpn',
  client_rate_limit: 20_000,
  query_log: 'all',
  anonymize_clients: false,
  log_retention_days: 7,
  blocklists_update_interval_hours: 24,
  blocking_paused_until: null,
  effective_upstreams: ['tls://9.9.9.9#dns.quad9.net'],
}

test('an untouched form changes nothing', () => {
  assert.deepEqual(changedDnsSettings(dnsSettingsValues(stored), stored), {})
})

test('only changed values are sent, in the service’s format', () => {
  const values = {
    ...dnsSettingsValues(stored),
    block_mode: 'custom_ip' as const,
    custom_ipv4: ' 10.0.0.1 ',
    upstreams: ['udp://192.168.1.1', ' '],
    private_answers_allowed: 'home.example, nas.example\n\n',
    cache_size: '' as const,
  }
  assert.deepEqual(changedDnsSettings(values, stored), {
    block_mode: 'custom_ip',
    custom_ipv4: '10.0.0.1',
    upstreams: ['udp://192.168.1.1'],
    private_answers_allowed: ['home.example', 'nas.example'],
  })
})
