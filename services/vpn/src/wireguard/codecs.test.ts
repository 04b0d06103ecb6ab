import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { DeviceError, type DevicePeer, type PeerState } from './device.ts'
import { checkPeer, zeroKey } from './device-diff.ts'
import { generateKeyPair, publicKeyOf } from './keys.ts'
import { cidrOf, networkOf, parseNetworkAddress } from './network-address.ts'
import { createUapiParser, encodeUapiSet, readUapiPeer } from './uapi-text.ts'
import { encodeAddConf, parseDump, parseDumpPeer } from './wg-text.ts'

const key = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .filter((bytes) => bytes.some((byte) => byte !== 0))
  .map((bytes) => Buffer.from(bytes).toString('base64'))

const network = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 })).map(([address, prefix]) => networkOf(`${address}/${prefix}`)),
  fc.tuple(fc.ipV6(), fc.integer({ min: 1, max: 128 })).map(([address, prefix]) => networkOf(`${address}/${prefix}`)),
)

const devicePeer: fc.Arbitrary<DevicePeer> = fc.record(
  {
    publicKey: key,
    presharedKey: fc.option(key),
    allowedIps: fc.uniqueArray(network, { maxLength: 4 }),
  },
  { noNullPrototype: true },
)

const peerState: fc.Arbitrary<PeerState> = fc
  .record(
    {
      peer: devicePeer,
      endpoint: fc.option(fc.ipV4().map((address) => `${address}:51820`)),
      latestHandshake: fc.option(fc.integer({ min: 1, max: 4_000_000_000 }).map((seconds) => seconds * 1000)),
      rxBytes: fc.nat(),
      txBytes: fc.nat(),
    },
    { noNullPrototype: true },
  )
  .map(({ peer, ...activity }) => Object.assign(activity, peer))

const peerStates = fc.uniqueArray(peerState, { selector: ({ publicKey }) => publicKey, maxLength: 5 })

/** Texts that have broken programs which put them into a configuration. */
const hostile = fc.oneof(
  fc.constantFrom(
    '\n[Peer]',
    '\r',
    '\0',
    '\u2028',
    '-h',
    '--help',
    '#',
    '10.8.0.2/32\nremove=true',
    '10.8.0.2/32,0.0.0.0/0',
    ' ',
    '',
  ),
  fc.string(),
)

function hexOf(text: string): string {
  return Buffer.from(text, 'base64').toString('hex')
}

/** Answer of a device to `get`, written from the description of the protocol. */
function uapiReply(device: { privateKey: string; listenPort: number }, peers: readonly PeerState[]): string {
  const lines = [`private_key=${hexOf(device.privateKey)}`, `listen_port=${device.listenPort}`]
  for (const peer of peers) {
    lines.push(
      `public_key=${hexOf(peer.publicKey)}`,
      `preshared_key=${hexOf(peer.presharedKey ?? zeroKey)}`,
      'protocol_version=1',
    )
    if (peer.endpoint !== null) lines.push(`endpoint=${peer.endpoint}`)
    lines.push(`last_handshake_time_sec=${(peer.latestHandshake ?? 0) / 1000}`, 'last_handshake_time_nsec=0')
    lines.push(`tx_bytes=${peer.txBytes}`, `rx_bytes=${peer.rxBytes}`, 'persistent_keepalive_interval=0')
    lines.push(...peer.allowedIps.map((each) => `allowed_ip=${each}`))
  }
  return `${lines.join('\n')}\nerrno=0\n\n`
}

function dumpText(device: { privateKey: string; listenPort: number }, peers: readonly PeerState[]): string {
  const lines = [[device.privateKey, publicKeyOf(device.privateKey), device.listenPort, 'off']]
  for (const peer of peers) {
    const { publicKey, presharedKey, endpoint, allowedIps, latestHandshake, rxBytes, txBytes } = peer
    const networks = allowedIps.length === 0 ? '(none)' : allowedIps.join(',')
    lines.push([
      publicKey,
      presharedKey ?? '(none)',
      endpoint ?? '(none)',
      networks,
      (latestHandshake ?? 0) / 1000,
      rxBytes,
      txBytes,
      'off',
    ])
  }
  return lines.map((columns) => `${columns.join('\t')}\n`).join('')
}

const device = { privateKey: generateKeyPair().privateKey, listenPort: 51_820 }

describe('replies of a device', () => {
  test('from a userspace device are parsed, however they are split', () => {
    fc.assert(
      fc.property(peerStates, fc.integer({ min: 1, max: 200 }), (peers, size) => {
        const parser = createUapiParser()
        const reply = uapiReply(device, peers)
        for (let at = 0; at < reply.length; at += size) parser.push(reply.slice(at, at + size))
        const state = parser.state()
        assert.equal(state.publicKey, publicKeyOf(device.privateKey))
        assert.equal(state.listenPort, 51_820)
        assert.deepEqual([...state.peers.values()], peers)
      }),
    )
  })

  test('for one peer equal its entry among all, and a missing peer has none', () => {
    const unknown = generateKeyPair().publicKey
    fc.assert(
      fc.property(peerStates, (peers) => {
        const [reply, dump] = [Buffer.from(uapiReply(device, peers), 'latin1'), dumpText(device, peers)]
        for (const peer of peers) {
          assert.deepEqual(readUapiPeer(reply, peer.publicKey), peer)
          assert.deepEqual(parseDumpPeer(dump, peer.publicKey), peer)
        }
        assert.equal(readUapiPeer(reply, unknown), undefined)
        assert.equal(parseDumpPeer(dump, unknown), undefined)
      }),
    )
    const refused = Buffer.from(`public_key=${hexOf(unknown)}\nerrno=-22\n\n`)
    assert.throws(() => readUapiPeer(refused, unknown), DeviceError)
  })

  test('from wg dump are parsed', () => {
    fc.assert(
      fc.property(peerStates, (peers) => {
        const state = parseDump(dumpText(device, peers))
        assert.equal(state.publicKey, publicKeyOf(device.privateKey))
        assert.deepEqual([...state.peers.values()], peers)
      }),
    )
    const bare = parseDump('(none)\t(none)\t58669\toff\n')
    assert.deepEqual(bare, { publicKey: null, listenPort: 58_669, peers: new Map() })
  })

  test('that are refused or broken produce an error without their content', () => {
    const parser = createUapiParser()
    parser.push(`private_key=${hexOf(device.privateKey)}\nerrno=-22\n\n`)
    assert.throws(
      () => parser.state(),
      (error: Error) => /-22/.test(error.message) && !error.message.includes(hexOf(device.privateKey)),
    )
    const cut = createUapiParser()
    cut.push('listen_port=1\n')
    assert.equal(cut.errno(), undefined)
    assert.throws(() => cut.state(), DeviceError)
    for (const text of ['', 'secret', 'a\tb\tc\td\nsecret\n', 'a\tb\t7\toff\nsecret\tx\tx\tx\tx\tx\tx\tx\n']) {
      assert.throws(
        () => parseDump(text),
        (error: Error) => error instanceof DeviceError && !error.message.includes('secret'),
      )
    }
  })
})

describe('messages to a device', () => {
  test('encode the model exactly', () => {
    fc.assert(
      fc.property(devicePeer, key, (peer, removed) => {
        const text = encodeUapiSet({ listenPort: 5 }, [
          { kind: 'remove', publicKey: removed },
          { kind: 'set', peer },
        ])
        const expected = [
          'set=1',
          'listen_port=5',
          `public_key=${hexOf(removed)}`,
          'remove=true',
          `public_key=${hexOf(peer.publicKey)}`,
          `preshared_key=${hexOf(peer.presharedKey ?? zeroKey)}`,
          'replace_allowed_ips=true',
          ...peer.allowedIps.map((each) => `allowed_ip=${each}`),
        ]
        assert.equal(text, `${expected.join('\n')}\n\n`)
      }),
    )
  })

  test('in addconf format parse back to the peers', () => {
    fc.assert(
      fc.property(fc.array(devicePeer, { maxLength: 4 }), (peers) => {
        const sections = encodeAddConf(peers).split('[Peer]\n').slice(1)
        const parsed = sections.map((section) => {
          const members = new Map(
            section.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' = ') as [string, string]])),
          )
          const presharedKey = members.get('PresharedKey') ?? ''
          return {
            publicKey: members.get('PublicKey'),
            presharedKey: presharedKey === zeroKey ? null : presharedKey,
            allowedIps: members.get('AllowedIPs')?.split(', ') ?? [],
          }
        })
        assert.deepEqual(parsed, peers)
      }),
    )
  })

  test('contain no text except keys and addresses', () => {
    fc.assert(
      fc.property(devicePeer, hostile, (peer, text) => {
        for (const broken of [
          { ...peer, publicKey: text },
          { ...peer, presharedKey: text },
          { ...peer, allowedIps: [text] },
        ]) {
          try {
            checkPeer(broken)
          } catch (error) {
            assert.ok(error instanceof DeviceError)
            continue
          }
          assert.equal(networkOf(text).includes('\n'), false)
        }
      }),
    )
    for (const allowedIps of [
      ['0.0.0.0/0'],
      ['::/0'],
      ['10.8.0.2/33'],
      ['10.8.0.2/032'],
      ['10.8.0.2/32/1'],
      ['fe80::1%eth0/128'],
      ['10.8.0.2/'],
    ]) {
      assert.throws(
        () => encodeAddConf([{ publicKey: generateKeyPair().publicKey, presharedKey: null, allowedIps }]),
        DeviceError,
      )
    }
    assert.throws(() => encodeUapiSet({ privateKey: 'x\nlisten_port=1' }, []), DeviceError)
  })
})

describe('addresses', () => {
  test('are written as the system prints them', () => {
    assert.equal(networkOf('10.8.3.77/22'), '10.8.0.0/22')
    assert.equal(networkOf('255.255.255.255/1'), '128.0.0.0/1')
    assert.equal(networkOf('FD13:0:0::0A/64'), 'fd13::/64')
    assert.equal(cidrOf('FD13:0::0A/64'), 'fd13::a/64')
    assert.equal(cidrOf('10.8.0.1'), '10.8.0.1/32')
    assert.deepEqual(parseNetworkAddress('::1'), { family: 6, address: '::1', prefix: 128 })
  })

  test('of a network stay unchanged', () => {
    fc.assert(fc.property(network, (each) => networkOf(each) === each))
  })
})
