import { z } from 'zod'
import { plainText, Timestamp, wholeNumber } from '../envelope.ts'
import { InterfaceName } from '../interfaces/schema.ts'
import { ForeignFiles, LeftOutEntry } from '../foreign-files/schema.ts'
import { serverSources } from './found-server.ts'

/** Files of another program whose WireGuard servers are to run here. */
export const ServerImport = z
  .strictObject({
    files: ForeignFiles.meta({
      description:
        'Of wg-easy: `wg0.json` or `wg-easy.db`; of WGDashboard: `wgdashboard.db` with the `.conf` of each interface; of PiVPN and plain `wg-quick`: the server’s `.conf`, and those of devices where they are kept',
    }),
    names: z
      .record(plainText(255), InterfaceName)
      .default({})
      .meta({ description: 'Other names for interfaces, by the name that the files give them' }),
    start: z.boolean().default(true).meta({ description: 'Start the interfaces that ran; false leaves all stopped' }),
    dry_run: z.boolean().default(false).meta({ description: 'Check only; nothing is created' }),
  })
  .meta({ id: 'ServerImport' })
export type ServerImport = z.infer<typeof ServerImport>

const ImportProblem = z.object({ field: z.string(), message: z.string() })

export const ImportedServerPeer = z
  .object({
    name: z.string(),
    ip: z.string().nullable(),
    ipv6: z.string().nullable(),
    public_key: z.string(),
    has_private_key: z.boolean().meta({ description: 'Its configuration can be shown again' }),
    enabled: z.boolean(),
    expires_at: Timestamp.nullable(),
    problems: z.array(ImportProblem),
    id: z.uuid().nullable().meta({ description: 'Null when it was not created' }),
  })
  .meta({ id: 'ImportedServerPeer' })
export type ImportedServerPeer = z.infer<typeof ImportedServerPeer>

export const ImportedServer = z
  .object({
    source: z.enum(serverSources),
    found_as: z.string().meta({ description: 'The name that the files give it' }),
    name: z.string(),
    address: z.string().nullable(),
    address6: z.string().nullable(),
    listen_port: z.int().nullable(),
    public_key: z.string(),
    enabled: z.boolean(),
    is_running: z
      .boolean()
      .meta({ description: 'Runs on this host now, and would be taken over without an interruption' }),
    problems: z.array(ImportProblem),
    peers: z.array(ImportedServerPeer),
  })
  .meta({ id: 'ImportedServer' })
export type ImportedServer = z.infer<typeof ImportedServer>

/** What became, or would become, of the servers of an import. */
export const ServerImportReport = z
  .object({
    created: wholeNumber.meta({ description: 'Number of peers created: all, or none in a dry run' }),
    problems: wholeNumber.meta({ description: 'Number of problems; nothing is created while there is one' }),
    interfaces: z.array(ImportedServer),
    left_out: z.array(LeftOutEntry).meta({ description: 'What does not come along' }),
  })
  .meta({ id: 'ServerImportReport' })
export type ServerImportReport = z.infer<typeof ServerImportReport>
