import { z } from 'zod'
import { checkContent } from '../../foreign-files/check-content.ts'
import { FileProblem, type GivenFile } from '../../foreign-files/given-file.ts'
import type { FoundPeer, FoundServers } from '../found-server.ts'
import { baseName } from './wg-quick.ts'
import { optionalStoredKey, storedKey } from './key-schemas.ts'

/** `wg0.json` of wg-easy 4 to 14. */
const WgEasyFile = z.object({
  server: z.object({ privateKey: storedKey, address: z.ipv4() }),
  clients: z.record(
    z.string(),
    z.object({
      name: z.string(),
      address: z.ipv4(),
      publicKey: storedKey,
      privateKey: optionalStoredKey,
      preSharedKey: optionalStoredKey,
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
  const { server, clients } = checkContent(name, 'is no wg0.json of wg-easy', {
    schema: WgEasyFile,
    value: parseJson(name, content),
  })
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
