import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeLimitChange, encodeLimitTable, type PeerLimit, readLimitListing } from './limit-text.ts'

const limit = (number: number, more: Partial<PeerLimit> = {}): PeerLimit => ({
  id: `p${number}`,
  interface: 'wg0',
  addresses: [`10.8.0.${number}`, `fd08::${number.toString(16)}`],
  down: 1_250_000,
  up: 125_000,
  networks: [],
  isStopped: false,
  ...more,
})

test('the table has four look-ups, however many peers have limits', () => {
  const rules = (limits: PeerLimit[]) => encodeLimitTable(limits).match(/limit name/g)?.length
  assert.equal(rules([limit(2)]), 4)
  assert.equal(rules(Array.from({ length: 200 }, (_, index) => limit(index + 2))), 4)
})

test('networks behind a peer share its limits, and cost look-ups only where there are some', () => {
  const site = limit(2, { networks: ['10.20.0.0/16', 'fd20::/48', '10.30.0.5/32'] })
  const text = encodeLimitTable([site, limit(3)])
  assert.equal(text.match(/limit name/g)?.length, 8)
  assert.match(text, /map up_net4 \{\s+type ifname \. ipv4_addr : limit\s+flags interval/)
  assert.match(text, /"wg0" \. 10\.20\.0\.0\/16 : "up_10\.8\.0\.2",\s+"wg0" \. 10\.30\.0\.5 : "up_10\.8\.0\.2"/)
  const stopped = encodeLimitTable([limit(2, { networks: ['fd20::/48'], isStopped: true })])
  assert.match(
    stopped,
    /set stopped_net6 \{\s+type ifname \. ipv6_addr\s+flags interval\s+elements = \{ "wg0" \. fd20::\/48 \}/,
  )
})

test('a change names the elements of the changed peer alone, and takes away what they hold before it is replaced', () => {
  const change = encodeLimitChange([limit(2)], [limit(2, { up: 250_000 })])
  assert.equal(
    change,
    [
      'delete element inet hearth_vpn_limits up4 {\n"wg0" . 10.8.0.2\n}',
      'delete element inet hearth_vpn_limits up6 {\n"wg0" . fd08::2\n}',
      'delete limit inet hearth_vpn_limits up_10.8.0.2',
      'add limit inet hearth_vpn_limits up_10.8.0.2 { rate over 250000 bytes/second burst 65536 bytes }',
      'add element inet hearth_vpn_limits up4 {\n"wg0" . 10.8.0.2 : "up_10.8.0.2"\n}',
      'add element inet hearth_vpn_limits up6 {\n"wg0" . fd08::2 : "up_10.8.0.2"\n}',
      '',
    ].join('\n'),
  )
  assert.equal(encodeLimitChange([limit(2)], [limit(2)]), '')
  assert.ok(!encodeLimitChange([limit(2)], []).includes('add'))
  const without6 = encodeLimitChange([limit(2)], [limit(2, { addresses: ['10.8.0.2'] })])
  assert.ok(!without6.includes('limit inet hearth_vpn_limits up_'), 'the limit itself stays with what it has counted')
})

test('a listing is compared with what is wanted in whatever units nft shows it', () => {
  const text = (rate: string, element = '"wg0" . 10.8.0.2 : "down_10.8.0.2"') => `table inet hearth_vpn_limits {
	limit down_10.8.0.2 {
		${rate}
	}

	map down4 {
		type ifname . ipv4_addr : limit
		elements = { ${element} }
	}

	map up4 {
		type ifname . ipv4_addr : limit
	}
}
`
  const wanted = [limit(2, { addresses: ['10.8.0.2'], up: null, down: 1_048_576 })]
  const listed = readLimitListing(text('rate over 1 mbytes/second burst 64 kbytes'))
  assert.ok(listed.holds(wanted))
  assert.equal(listed.frame, readLimitListing(text('rate over 7 bytes/second burst 1 bytes')).frame)
  for (const other of [
    text('rate over 1 kbytes/second burst 64 kbytes'),
    text('rate 1 mbytes/second burst 64 kbytes'),
    text('rate over 1 mbytes/second burst 64 kbytes', '"wg1" . 10.8.0.2 : "down_10.8.0.2"'),
  ])
    assert.ok(!readLimitListing(other).holds(wanted), other)
})

test('what is no interface or address does not get into a rule file', () => {
  const hostile = '10.8.0.2 : "x" }\nflush ruleset\n'
  assert.throws(() => encodeLimitTable([limit(2, { interface: 'wg0"\nflush' })]), /not a name for an interface/)
  assert.throws(() => encodeLimitTable([limit(2, { addresses: [hostile] })]), /is not an address/)
  assert.throws(() => encodeLimitTable([limit(2, { networks: [hostile] })]), /is not an address/)
  assert.throws(() => encodeLimitTable([limit(2, { addresses: ['10.8.0.2', hostile] })]), /is not an address/)
})
