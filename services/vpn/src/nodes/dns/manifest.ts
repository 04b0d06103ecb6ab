import { z } from 'zod'
import { plainText } from '../../envelope.ts'

/** Bytes of one file, and of all that a node holds, at most. */
export const maxDnsBytes = { file: 64 << 20, all: 512 << 20 } as const

/** Files of the resolver that are cut for a node; texts of lists lie beside them. */
export const cutNames = ['settings', 'clients', 'names', 'profiles', 'rules', 'lists', 'records', 'zones'] as const
/** The name of one of them, without its ending. */
export type CutName = (typeof cutNames)[number]

/** The name of a file in the folder of a resolver. */
const fileName = z.string().regex(new RegExp(`^(?:(?:${cutNames.join('|')})\\.json|lists/[0-9a-z-]{1,64}\\.txt)$`))

/** The name of the text of a list. */
export const listFileName = (id: string): string => `lists/${id}.txt`

/** True for the text of a list. */
export const isListText = ({ name }: Pick<DnsFile, 'name'>): boolean => name.startsWith('lists/')

/** A file that the resolver of a node works from. */
const DnsFile = z.object({
  name: fileName,
  /** Of its content, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Bytes. */
  size: z.int().min(0).max(maxDnsBytes.file),
})
/** A file that the resolver of a node works from. */
export type DnsFile = z.infer<typeof DnsFile>

/** The files that the resolver of a node works from; none when no interface there needs it. */
export const DnsManifest = z.object({
  files: z
    .array(DnsFile)
    .max(100)
    .refine((files) => new Set(files.map(({ name }) => name)).size === files.length, 'names a file twice')
    .refine((files) => files.reduce((sum, { size }) => sum + size, 0) <= maxDnsBytes.all, 'is too large'),
})
export type DnsManifest = z.infer<typeof DnsManifest>

/** A node asks for its files and names the revision of the manifest that it has. The answer comes when there is another, or after a while. */
export const DnsRequest = z.object({
  revision: plainText(64).nullable(),
  /** The node sends the queries that it logs. Older ones have nowhere to log to. */
  logs: z.boolean().default(false),
})

/** The manifest, null when it is still the one that the node named. The revision is the SHA-256 of its text, hex. */
export interface DnsAnswer {
  readonly revision: string
  readonly manifest: DnsManifest | null
}
