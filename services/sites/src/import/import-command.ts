import type { ImportAnswer } from './schema.ts'
import type { Imports } from './imports.ts'
import { maxNpmDatabase } from './npm/npm-database.ts'
import { maxCaddyfile } from './caddyfile/read-caddyfile.ts'
import { maxNginxFile } from './nginx/nginx-directives.ts'
import { maxTraefikFile } from './traefik/traefik-unreadable.ts'
import { maxZoraxyFile } from './zoraxy/zoraxy-files.ts'
import type { FoundCertificate } from './config/read-tls.ts'

/** Dependencies of the command. */
export interface ImportCommandDependencies {
  /** Runs the work on the data directory, whether or not the service runs. */
  readonly withImports: (work: (imports: Imports) => Promise<ImportAnswer>) => Promise<ImportAnswer>
  /** The bytes of a file. Rejects for one that is longer than `largest` bytes, or cannot be read. */
  readonly readFile: (path: string, largest: number) => Promise<Uint8Array>
  readonly print: (line: string) => void
}

/** `hearth sites import caddyfile|nginx|npm|traefik|zoraxy FILE [--dry-run]`, as the arguments were given. */
export interface ImportCommand {
  readonly kind: 'caddyfile' | 'nginx' | 'npm' | 'traefik' | 'zoraxy'
  readonly file: string
  readonly isDryRun: boolean
  /** Directory of the uploaded certificates of Nginx Proxy Manager, `data/custom_ssl`. */
  readonly customSsl?: string
}

/** Largest file of a certificate or key, bytes. */
const maxPem = 65_536

/** Imports a file and prints what became of it. Returns the exit code: 1 when a site could not be created. */
export async function runImportCommand(
  command: ImportCommand,
  dependencies: ImportCommandDependencies,
): Promise<0 | 1> {
  const request = { isDryRun: command.isDryRun, author: 'command line' }
  const largest = {
    npm: maxNpmDatabase,
    caddyfile: maxCaddyfile,
    traefik: maxTraefikFile,
    nginx: maxNginxFile,
    zoraxy: maxZoraxyFile,
  }[command.kind]
  const bytes = await dependencies.readFile(command.file, largest)
  const answer = await dependencies.withImports((imports) => {
    if (command.kind === 'npm')
      return imports.npm(bytes, request, (id) => readCustomSsl(id, command.customSsl, dependencies))
    const text = new TextDecoder().decode(bytes)
    if (command.kind === 'traefik') return imports.traefik(text, request)
    if (command.kind === 'nginx') return imports.nginx(text, request)
    if (command.kind === 'zoraxy') return imports.zoraxy(text, request)
    return imports.caddyfile(text, { ...request, isRawWanted: false })
  })
  for (const line of linesOf(answer)) dependencies.print(line)
  return answer.counts.failed + answer.counts.invalid + answer.counts.conflicting > 0 ? 1 : 0
}

async function readCustomSsl(
  id: number,
  folder: string | undefined,
  { readFile }: ImportCommandDependencies,
): Promise<FoundCertificate | undefined> {
  if (folder === undefined || !Number.isSafeInteger(id)) return undefined
  const read = async (name: string) => new TextDecoder().decode(await readFile(`${folder}/npm-${id}/${name}`, maxPem))
  try {
    return { certificate: await read('fullchain.pem'), key: await read('privkey.pem') }
  } catch {
    return undefined
  }
}

function linesOf({ dry_run: isDryRun, counts, sites, report }: ImportAnswer): string[] {
  const state = (text: string) => text.replace('left_out', 'left out').padEnd(11)
  const problems = (site: ImportAnswer['sites'][number]) =>
    site.problems.map(({ field, message }) => `${state('')} ${field === '' ? message : `${field}: ${message}`}`)
  return [
    ...sites.flatMap((site) => [
      `${state(site.status)} ${site.site_name} (${site.kind}${site.enabled ? '' : ', switched off'}): ${site.domains.join(', ')}`,
      ...problems(site),
    ]),
    ...report.map(
      ({ outcome, path, site, what }) => `${state(outcome)} ${path}${site === null ? '' : ` ${site}`}: ${what}`,
    ),
    isDryRun
      ? `${counts.new} of ${counts.found} sites can be created; nothing was changed`
      : `${counts.created} of ${counts.found} sites were created`,
  ].map((line) => line.replaceAll(/\p{Cc}/gu, '?'))
}
