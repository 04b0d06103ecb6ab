import { OperatorError } from '@hearth/runtime'
import { DnsImport, type DnsImportPart, type DnsImportReport } from '../dns-import/schema.ts'
import type { GivenFile } from '../foreign-files/given-file.ts'
import { inOneLine } from './checked-input.ts'
import { type ReachOptions, withAccess } from './reach.ts'

export interface FilterImportOptions extends ReachOptions {
  readonly dryRun?: boolean
  readonly part?: readonly DnsImportPart[]
}

/** Takes over the settings of AdGuard Home or Pi-hole. */
export async function importFilter(files: readonly GivenFile[], options: FilterImportOptions): Promise<void> {
  const isTrial = options.dryRun === true
  const parsed = DnsImport.safeParse({
    files: files.map(({ name, content }) => ({ name, content: content.toString('base64') })),
    ...(options.part === undefined ? {} : { parts: [...options.part] }),
    dry_run: isTrial,
  })
  if (!parsed.success) throw new OperatorError(parsed.error.issues[0]?.message ?? 'the files cannot be used')
  await withAccess(options, { isReading: isTrial }, async ({ importDns }) => {
    process.stdout.write(describe(await inOneLine(importDns(parsed.data)), isTrial))
  })
}

const programs = { 'adguard-home': 'AdGuard Home', 'pi-hole': 'Pi-hole' } as const
const kinds = [
  ['lists', 'lists'],
  ['rules', 'rules'],
  ['records', 'local names'],
  ['zones', 'zones'],
  ['clients', 'profiles'],
] as const

function describe(report: DnsImportReport, isTrial: boolean): string {
  const { source, upstreams, left_out: leftOut } = report
  const lines = kinds.flatMap(([member, words]) => {
    const { found, created, existing } = report[member]
    if (found === 0) return []
    return [`${words}: ${found}${isTrial ? '' : `, ${created} created, ${existing} there already`}`]
  })
  return [
    programs[source],
    ...lines,
    ...(upstreams.length === 0 ? [] : [`upstreams: ${upstreams.join(', ')}`]),
    ...leftOut.map(({ about, reason }) => `left out: ${about}: ${reason}`),
    isTrial ? 'nothing was changed, because of --dry-run' : 'done',
  ]
    .map((line) => `${line}\n`)
    .join('')
}
