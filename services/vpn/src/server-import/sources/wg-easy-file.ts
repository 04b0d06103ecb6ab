import { z } from 'zod'
import { isKey } from '../../wireguard/keys.ts'
import { FileProblem, type GivenFile } from '../../foreign-files/given-file.ts'
import type { FoundPeer, FoundServers } from '../found-server.ts'
import { baseName } from './wg-quick.ts'

const key = z.string().refine(isKey, 'is not 32 bytes of base64')

/** An empty text stands for a value that there is not. */
const optionalKey = z
  .union([z.literal('').transform(() => null), key])
  .nullish()
  .transform((value) => value ?? null)

/** `wg0.json` of wg-easy 4 to 14. */
const WgEasyFile = z.object({
  server: z.object({ privateKey: key, address: z.ipv4() }),
  clients: z.record(
    z.string(),
    z.object({
      name: z.string(),
      address: z.ipv4(),
      publicKey: key,
      privateKey: optionalKey,
      preSharedKey: optionalKey,
      enabled: z.boolean().default(true),
      expiredAt: z.string().nullish(),
      oneTimeLink: z.string().nullish(),
    }),
  ),
})

/** The prefix and port of every server of wg-easy up to 14: its own configuration file has no others. */
const prefix = 24
const port = 51_820

/** Reads `wg0.json` of wg-easy up to version 14. Its other settings were variables of the container and stand in no file. */
export function readWgEasyFile({ name, content }: GivenFile): FoundServers {
  const parsed = WgEasyFile.safeParse(parseJson(name, content))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    // Never the value: it may be a private key.
    throw new FileProblem(name, `is no wg0.json of wg-easy: ${issue?.path.join('.')} ${issue?.message ?? ''}`)
  }
  const { server, clients } = parsed.data
  const peers = Object.values(clients).map((client): FoundPeer => ({
    name: client.name,
    publicKey: client.publicKey,
    privateKey: client.privateKey,
    presharedKey: client.preSharedKey,
    addresses: [`${client.address}/32`],
    routed: undefined,
    keepalive: undefined,
    enabled: client.enabled,
    expiresAt: client.expiredAt ?? null,
  }))
  const about = baseName(name)
  const links = Object.values(clients).some((client) => typeof client.oneTimeLink === 'string')
  return {
    servers: [
      {
        source: 'wg-easy',
        name: about,
        privateKey: server.privateKey,
        addresses: [`${server.address}/${prefix}`],
        listenPort: port,
        mtu: undefined,
        dns: undefined,
        enabled: true,
        peers,
      },
    ],
    leftOut: [
      {
        about,
        reason:
          'WG_PORT, WG_MTU, WG_DEFAULT_DNS and WG_ALLOWED_IPS stand in no file: where you set them, change the interface and its peers here too',
      },
      ...(links ? [{ about, reason: 'one-time links: make set-up links instead' }] : []),
    ],
  }
}

function parseJson(name: string, content: Buffer): unknown {
  try {
    return JSON.parse(content.toString('utf8'))
  } catch {
    throw new FileProblem(name, 'is not valid JSON')
  }
}
