import { z } from 'zod'
import { plainText, Timestamp, wholeNumber } from '../envelope.ts'

/** Bytes of a file, at most. */
export const maxBytes = 1_048_576
/** Peers in one file. */
export const maxLines = 1000

/** Peers to create from a file of comma-separated values. */
export const PeerImport = z
  .strictObject({
    csv: z
      .string()
      .refine((text) => Buffer.byteLength(text) <= maxBytes, 'must be at most 1 MiB')
      .meta({
        description:
          'Text of the file. Its first line names the columns: `name`, and any of `interface`, `tags`, `expires`, `ip`, `ipv6`, `routing_mode`, `allowed_ips`, `networks`, `persistent_keepalive`, `public_key`, `enabled`, `client_isolation`, `limit_down`, `limit_up`, `use_adblocker`, `dns_logging_enabled`, `use_preshared_key`. Tags and networks are separated by semicolons',
      }),
    interface: plainText(64).optional().meta({ description: 'Interface of peers whose line names none' }),
    dry_run: z.boolean().default(false).meta({ description: 'Check only; nothing is created' }),
    setup_links_hours: z
      .int()
      .min(1)
      .max(720)
      .optional()
      .meta({ description: 'Make a set-up link for each peer that works for so many hours' }),
  })
  .meta({ id: 'PeerImport' })
export type PeerImport = z.infer<typeof PeerImport>

/** One line of a file: the peer that it describes, and what is wrong with it. */
export const ImportedPeer = z
  .object({
    line: wholeNumber.meta({ description: 'Line of the file, counted from 1' }),
    name: z.string(),
    interface: z.string(),
    tags: z.array(z.string()),
    expires_at: Timestamp.nullable(),
    ip: z.string().nullable().meta({ description: 'Its address; in a dry run the one it would get now' }),
    problems: z.array(z.object({ column: z.string(), message: z.string() })),
    id: z.uuid().nullable().meta({ description: 'Null when it was not created' }),
    setup_url: z.string().nullable().meta({ description: 'A secret, shown this once; null without a set-up link' }),
  })
  .meta({ id: 'ImportedPeer' })
export type ImportedPeer = z.infer<typeof ImportedPeer>

/** What became, or would become, of the peers of a file. */
export const PeerImportReport = z
  .object({
    created: wholeNumber.meta({ description: 'Number of peers created: all, or none in a dry run' }),
    faulty: wholeNumber.meta({ description: 'Number of lines with problems' }),
    peers: z.array(ImportedPeer),
  })
  .meta({ id: 'PeerImportReport' })
export type PeerImportReport = z.infer<typeof PeerImportReport>
