import { randomInt } from 'node:crypto'
import { connect } from 'node:net'
import { OutboundFailed, OutboundRefused, pinnedLookup, type Destination } from '@hearth/outbound'
import { z } from 'zod'
import {
  encodeUpdate,
  readUpdateAnswer,
  signMessage,
  tsigAlgorithms,
  type TsigKey,
  type TxtUpdate,
  type UpdateAnswer,
} from '../dns/update-message.ts'
import { type DnsProvider, ProviderFailed, providerKind, type ProviderContext } from './provider.ts'

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const dnsName = /^(?=.{1,253}$)[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*$/

const Settings = z.strictObject({
  server: z
    .string()
    .regex(
      /^(?:[A-Za-z0-9.-]{1,253}|\[[0-9a-fA-F:.]{2,45}\])(?::\d{1,5})?$/,
      'must be a host, with a port after a colon',
    ),
  key_name: z.string().regex(dnsName, 'must be the name of a TSIG key'),
  algorithm: z.enum(tsigAlgorithms).default('hmac-sha256'),
  key: z.string().min(1).max(500).regex(base64, 'must be the secret of the key in base64'),
  zone: z.union([z.literal(''), z.string().regex(dnsName, 'must be the name of a zone')]).default(''),
})
type Settings = z.infer<typeof Settings>

const about = {
  kind: 'rfc2136',
  label: 'Own name server (RFC 2136)',
  fields: [
    {
      name: 'server',
      isDestination: true,
      label: 'Server',
      placeholder: 'ns1.example.org',
      hint: 'The primary server; a port may follow a colon',
    },
    { name: 'key_name', label: 'Key name', placeholder: 'hearth' },
    { name: 'algorithm', label: 'Algorithm', choices: tsigAlgorithms, isOptional: true },
    { name: 'key', label: 'Key', isSecret: true, hint: 'The TSIG secret in base64' },
    { name: 'zone', label: 'Zone', isOptional: true, hint: 'Found by DNS when it is empty' },
  ],
} as const

/** A name server of one's own that takes updates (RFC 2136) signed with a key (TSIG, RFC 8945), by TCP. */
export const rfc2136 = providerKind(about, Settings, createRfc2136)

const timeoutMs = 10_000
const ttl = 60

function createRfc2136(settings: Settings, context: ProviderContext): DnsProvider {
  const key: TsigKey = {
    name: settings.key_name,
    algorithm: settings.algorithm,
    secret: Buffer.from(settings.key, 'base64'),
  }
  const update = async (change: TxtUpdate) => {
    const id = randomInt(65_536)
    const { signed, mac } = signMessage(encodeUpdate(id, change), key, Math.floor(context.now() / 1000))
    const answer = readUpdateAnswer(await exchange(settings.server, signed, context), id, { key, mac })
    checkAnswer(answer, { server: settings.server, zone: change.zone })
  }
  return {
    findZone: async (name) => {
      const zone = settings.zone.toLowerCase()
      if (zone === '') return context.zoneOf(name)
      if (name !== zone && !name.endsWith(`.${zone}`))
        throw new ProviderFailed('wrong-zone', `${name} is not in the zone ${zone}`)
      return zone
    },
    addTxt: (record) => update({ action: 'add', ttl, ...record }),
    removeTxt: (record) => update({ action: 'remove', ttl, ...record }),
  }
}

/** What the codes of an answer mean, with the failure that each is. */
const refusals: Readonly<Record<number, readonly ['wrong-zone' | 'wrong-credentials' | 'refused' | 'away', string]>> = {
  2: ['away', 'failed to make the change (SERVFAIL)'],
  4: ['refused', 'takes no updates (NOTIMP)'],
  5: ['wrong-credentials', 'does not let the key change this zone (REFUSED)'],
  9: ['wrong-zone', 'is not the server of this zone, or does not know the key (NOTAUTH)'],
  10: ['wrong-zone', 'says that the name is not in this zone (NOTZONE)'],
}
const signatureErrors: Readonly<Record<number, string>> = {
  16: 'says that the signature is wrong; check the key and its algorithm',
  17: 'does not know the key; check its name and algorithm',
  18: 'says that the time is wrong; check the clocks of both machines',
  22: 'wants a longer signature; choose another algorithm',
}

function checkAnswer(answer: UpdateAnswer | undefined, { server, zone }: { server: string; zone: string }): void {
  const fail = (failure: ProviderFailed['failure'], text: string) => {
    throw new ProviderFailed(failure, `The name server ${server} ${text}. Zone: ${zone}.`)
  }
  if (answer === undefined) return fail('away', 'gave an answer that cannot be read')
  const { code, tsigError, isSigned } = answer
  if (tsigError !== 0)
    return fail('wrong-credentials', signatureErrors[tsigError] ?? `refused the signature (${tsigError})`)
  if (code !== 0) return fail(...(refusals[code] ?? (['refused', `refused the change (code ${code})`] as const)))
  if (!isSigned) return fail('wrong-credentials', 'answered without a valid signature')
}

/** Sends a message by TCP and returns the answer. */
async function exchange(server: string, message: Buffer, { policy }: ProviderContext): Promise<Buffer> {
  const { hostname, port } = new URL(`dns://${server}`)
  const host = hostname.replace(/^\[|\]$/g, '')
  const unreachable = (text: string, cause: unknown) =>
    new ProviderFailed('away', `The name server ${server} ${text}`, { cause })
  let destination: Destination
  try {
    destination = await policy.resolve(host, port === '' ? 53 : Number(port))
  } catch (cause) {
    if (cause instanceof OutboundRefused)
      throw new ProviderFailed(
        'refused',
        `The name server ${server} may not be reached: ${cause.message}; see OUTBOUND_ALLOW`,
        { cause },
      )
    if (cause instanceof OutboundFailed) throw unreachable('has no address', cause)
    throw cause
  }
  return new Promise((resolve, reject) => {
    const socket = connect({ host: destination.host, port: destination.port, lookup: pinnedLookup(destination) })
    const timer = setTimeout(() => socket.destroy(new Error('timeout')), timeoutMs)
    let received = Buffer.alloc(0)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const length = received.length < 2 ? undefined : received.readUInt16BE(0)
      if (length === undefined || received.length < length + 2) return
      resolve(received.subarray(2, length + 2))
      socket.destroy()
    })
    socket.on('error', (error) => reject(unreachable(`does not answer (${error.message.slice(0, 100)})`, error)))
    socket.on('close', () => {
      clearTimeout(timer)
      reject(unreachable('closed the connection', undefined))
    })
    const length = Buffer.alloc(2)
    length.writeUInt16BE(message.length)
    socket.write(Buffer.concat([length, message]))
  })
}
