import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FlowCounter, parseFlow, type Flow } from './conntrack.ts'

const tcp =
  'ipv4     2 tcp      6 431999 ESTABLISHED src=10.8.0.2 dst=198.51.100.7 sport=40000 dport=443 packets=9 bytes=900 ' +
  'src=198.51.100.7 dst=203.0.113.1 sport=443 dport=40000 packets=8 bytes=7000 [ASSURED] mark=0 zone=0 use=2'

test('lines of the connection table are parsed in the kernel’s format', () => {
  assert.deepEqual(parseFlow(tcp), {
    key: 'tcp 10.8.0.2 198.51.100.7 40000 443',
    source: '10.8.0.2',
    destination: '198.51.100.7',
    answering: '198.51.100.7',
    sentBytes: 900,
    answeredBytes: 7000,
  })
  const udp =
    'ipv6     10 udp      17 29 src=fd08:0000:0000:0000:0000:0000:0000:0002 dst=2001:0db8:0000:0000:0000:0000:0000:0001 sport=5 dport=53 ' +
    'packets=1 bytes=70 [UNREPLIED] src=2001:0db8:0000:0000:0000:0000:0000:0001 dst=fd08:0000:0000:0000:0000:0000:0000:0002 sport=53 dport=5 packets=0 bytes=0 mark=0 use=1'
  assert.equal(parseFlow(udp)?.sentBytes, 70)
  assert.equal(parseFlow(udp)?.destination, '2001:0db8:0000:0000:0000:0000:0000:0001')
  const icmp =
    'ipv4     2 icmp     1 29 src=10.8.0.2 dst=192.0.2.1 type=8 code=0 id=77 packets=1 bytes=84 src=192.0.2.1 dst=203.0.113.1 type=0 code=0 id=77 packets=1 bytes=84 mark=0 use=1'
  assert.equal(parseFlow(icmp)?.key, 'icmp 10.8.0.2 192.0.2.1 8 77')
})

test('lines without byte counters or of other kinds are ignored, and no text breaks the parser', () => {
  for (const line of [
    '',
    'ipv4',
    tcp.replaceAll(/ bytes=\d+/g, ''),
    tcp.replace('ipv4', 'arp'),
    tcp.replace('bytes=900', 'bytes=-9'),
  ])
    assert.equal(parseFlow(line), undefined, line)
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), fc.nat(tcp.length), (text, at) => {
      parseFlow(text)
      parseFlow(`${tcp.slice(0, at)}${text}${tcp.slice(at)}`)
    }),
  )
})

const flow = (sentBytes: number, answeredBytes: number, more: Partial<Flow> = {}): Flow => ({
  key: 'a',
  source: '10.8.0.2',
  destination: '198.51.100.7',
  answering: '198.51.100.7',
  sentBytes,
  answeredBytes,
  ...more,
})
const isInner = (address: string) => address.startsWith('10.8.0.')

test('flows are counted by their growth since the first reading', () => {
  const counter = new FlowCounter()
  const read = (...flows: Flow[]) => {
    const deltas = flows.map((each) => counter.take(each, isInner))
    counter.endReading()
    return deltas.map((delta) => delta && [delta.inner, delta.outer, delta.rx, delta.tx])
  }
  assert.deepEqual(read(flow(900, 7000)), [undefined], 'an earlier process may have counted it')
  assert.deepEqual(read(flow(1000, 9000)), [['10.8.0.2', '198.51.100.7', 100, 2000]])
  assert.deepEqual(read(flow(1000, 9000)), [undefined])
  assert.deepEqual(read(flow(50, 60)), [['10.8.0.2', '198.51.100.7', 50, 60]], 'another flow of the same ends')
  const incoming = flow(30, 40, { key: 'b', source: '203.0.113.9', destination: '192.0.2.1', answering: '10.8.0.3' })
  assert.deepEqual(read(incoming), [['10.8.0.3', '203.0.113.9', 40, 30]], 'a forwarded port')
  assert.deepEqual(read(flow(5, 5, { source: '192.168.1.1', answering: '192.0.2.1' })), [undefined])
  assert.deepEqual(read(flow(50, 60)), [['10.8.0.2', '198.51.100.7', 50, 60]])
})
