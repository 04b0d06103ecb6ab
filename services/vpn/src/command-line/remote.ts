import { OperatorError } from '@hearth/runtime'
import { readTokenFile } from '@hearth/service'
import { z } from 'zod'
import { ApplyReport } from '../as-code/schema.ts'
import { DnsImportReport } from '../dns-import/schema.ts'
import { Problem } from '../problems.ts'
import { DnsPeerPauses } from '../filtering/pauses/schema.ts'
import { DnsProfile } from '../filtering/profiles/schema.ts'
import { type ServerImport, ServerImportReport } from '../server-import/schema.ts'
import type { ServiceAccess } from './reach.ts'

/** Longest time for one request, milliseconds: an apply of ten thousand peers takes a while. */
const timeout = 300_000

const Failure = z.object({ message: z.string(), details: z.record(z.string(), z.unknown()).optional() })
const Applied = z.object({ data: ApplyReport })
const Profiles = z.object({ data: z.array(DnsProfile) })
const DnsImported = z.object({ data: DnsImportReport })
const ServersImported = z.object({ data: ServerImportReport })
const Pauses = z.object({ data: DnsPeerPauses })

/** A running service, which brings up the servers of an import itself. */
interface RemoteAccess extends ServiceAccess {
  importServer(input: ServerImport): Promise<ServerImportReport>
}

/** A running service over its API. */
export async function openRemote(url: string, tokenFile: string | undefined): Promise<RemoteAccess> {
  if (!URL.canParse(url)) throw new OperatorError(`--url: ${url} is no address`)
  if (tokenFile === undefined) throw new OperatorError('--token-file is needed with --url')
  const token = await readTokenFile(tokenFile)
  const send = async (path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<string> => {
    const answer = await fetch(new URL(path, url), {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeout),
    }).catch((error: Error) => {
      throw new OperatorError(`${url} does not answer: ${error.message}`, { cause: error })
    })
    const text = await answer.text()
    if (answer.ok) return text
    const failure = Failure.safeParse(parsed(text))
    if (!failure.success) throw new OperatorError(`${url} answers with status ${answer.status}`)
    const { message, details } = failure.data
    throw new Problem('conflict', message, details === undefined ? {} : { details })
  }
  const profilePath = (id: string) => `/api/dns/profiles/${encodeURIComponent(id)}`
  return {
    state: {
      export: (passphrase) => send('/api/export', passphrase === undefined ? undefined : { passphrase }),
      apply: async (request) => Applied.parse(parsed(await send('/api/apply', request))).data,
    },
    importDns: async (input) => DnsImported.parse(parsed(await send('/api/dns/import', input))).data,
    importServer: async (input) => ServersImported.parse(parsed(await send('/api/server-import', input))).data,
    profiles: {
      list: async () => Profiles.parse(parsed(await send('/api/dns/profiles?limit=100'))).data,
      pause: (id, seconds) =>
        seconds === 0
          ? send(`${profilePath(id)}/resume`, undefined, 'POST')
          : send(`${profilePath(id)}/pause`, { seconds }),
    },
    pauses: {
      list: async () => Pauses.parse(parsed(await send('/api/dns/peer-pauses'))).data,
      end: (peer) => send(`/api/dns/peer-pauses/${encodeURIComponent(peer)}`, undefined, 'DELETE'),
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
