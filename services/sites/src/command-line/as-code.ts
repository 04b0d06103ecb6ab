import type { AnyQuery } from '@hearth/accounts'
import { OperatorError } from '@hearth/runtime'
import { type ApplicationPlan, planApplications, type PlannedApplication } from '../as-code/application-plan.ts'
import { planGroups, type PlannedGroup } from '../as-code/group-plan.ts'
import { maxSiteFile, readSiteFile, SiteFileRefused, UploadNames, writeSiteFile } from '../as-code/site-file.ts'
import { type PlannedSite, planSites, type SitePlan } from '../as-code/site-plan.ts'
import { allClients, type Client, namedGroups } from '../openid-provider/clients/clients.ts'
import type { OpenIdClientValues } from '../openid-provider/schema.ts'
import { Problem } from '../problems.ts'
import type { SettleWanted, SharedRuleContext } from '../sites/check-wanted.ts'
import { createDomainIndex } from '../sites/domains.ts'
import { type WantedSite, wantedOfRow } from '../sites/site-change.ts'
import { allSiteRows } from '../sites/store.ts'
import { withStorage } from './data.ts'
import { groupEntries, type GroupQuery, readStoredGroups, writeGroups } from './stored-groups.ts'
import { type ApplicationQuery, checkApplications, type NewClient, writeApplications } from './stored-applications.ts'
import { problemLines } from './problem-lines.ts'
import { readBounded } from './read-bounded.ts'
import { openStoredSites } from './stored-sites.ts'

/** Options of `hearth sites apply`. */
export interface ApplyOptions {
  readonly dryRun?: boolean
  readonly prune?: boolean
}

/** Prints all sites, groups and applications as YAML, without passwords and secrets; certificates and users stand in it by their names. */
export async function exportSites(): Promise<void> {
  await withStorage(async (storage) => {
    const { db, uploads } = await openStoredSites(storage)
    const records = (await allSiteRows(db)).map((row) => wantedOfRow(row).record)
    const others = { groups: await groupEntries(db), applications: (await allClients(db)).map(valuesOf) }
    process.stdout.write(writeSiteFile(records, new UploadNames(await uploads.list()), others))
  })
}

/** Makes sites, groups and applications those of a file (`-` for standard input): says what differs, and changes all of it at once or nothing. */
export async function applySites(path: string, { dryRun = false, prune = false }: ApplyOptions): Promise<void> {
  const text = new TextDecoder().decode(await readBounded(path, maxSiteFile))
  await withStorage(async (storage) => {
    const { db, uploads, settleMany, editMany } = await openStoredSites(storage)
    const rows = await allSiteRows(db)
    const stored = rows.map((row) => ({ id: row.id, wanted: wantedOfRow(row) }))
    const file = read(text, new UploadNames(await uploads.list()))
    const plan = await planSites(file.sites, stored, prune)
    const staying = plan.staying.map(({ wanted }) => wanted.record)
    const applications = planApplications(file.applications, await allClients(db), prune)
    const present = await readStoredGroups(db, namedGroups(applications.after))
    const groups = planGroups(file.groups, present, { prune, staying })
    const names = groupsAfter(new Set(present.groups.map(({ name }) => name)), groups.changes)
    const reasons = [...groups.reasons, ...checkApplications(applications, names)]
    if (reasons.length > 0) throw new OperatorError(reasons.join('\n'))
    const around = { plan, groups: groups.changes }
    const put = await settleAll(plan, {
      // Whoever is in the plan may take what another one gives up.
      portal: settleMany((context) => contextOf(context, around, false)),
      others: settleMany((context) => contextOf(context, around, true)),
    })
    print(planLines(plan, groups.changes, applications))
    const changes = [groups.changes, applications.changes, plan.changes] as const
    if (changes.flat().length === 0) return print(['everything is as the file says'])
    let made: readonly NewClient[] = []
    if (!dryRun) {
      const changed = new Set(plan.changes.map((change) => (change.kind === 'create' ? undefined : change.id)))
      const unchanged = new Map(rows.filter(({ id }) => changed.has(id)).map(({ id, revision }) => [id, revision]))
      const remove = plan.changes.flatMap((change) => (change.kind === 'delete' ? [change.id] : []))
      const alongside = async (trx: AnyQuery) => {
        const now = Date.now()
        await writeGroups(trx as GroupQuery, groups.changes, now)
        made = await writeApplications(trx as ApplicationQuery, applications.changes, now)
      }
      const about = { author: 'command line', cause: 'import' }
      await editMany({ put, remove, unchanged, alongside }, about).catch(refused)
    }
    const counts = countWords(changes.map((all) => all.length))
    print([...made.map(clientLine), dryRun ? `${counts} would be changed; nothing was` : `${counts} changed`])
  })
}

function read(text: string, uploads: UploadNames) {
  try {
    return readSiteFile(text, uploads)
  } catch (error) {
    throw error instanceof SiteFileRefused ? new OperatorError(error.message, { cause: error }) : error
  }
}

function refused(error: unknown): never {
  throw error instanceof Problem ? new OperatorError(problemLines(error).join('\n'), { cause: error }) : error
}

/** The context of the rules with the sites that stay as they are, and with the portal and the groups that there will be. */
function contextOf(
  context: SharedRuleContext,
  { plan, groups }: { readonly plan: SitePlan; readonly groups: readonly PlannedGroup[] },
  hasPortal: boolean,
): SharedRuleContext {
  const staying = plan.staying.map(({ id, wanted }) => Object.assign({ id }, wanted.record))
  const ids = new Map(staying.map(({ id, site_name: name }) => [name.toLowerCase(), id]))
  const isPortal = ({ kind, enabled }: WantedSite['record']) => kind === 'portal' && enabled
  const present = staying.find(isPortal)?.id
  const isPlanned = plan.changes.some((change) => change.kind !== 'delete' && isPortal(change.wanted.record))
  return {
    ...context,
    domains: createDomainIndex(staying),
    siteOfName: (name) => ids.get(name.toLowerCase()),
    // A site that is to be created has no number yet; the rules only ask whether there is one.
    portal: {
      ...context.portal,
      siteId: hasPortal && isPlanned ? 0 : present,
      groups: groupsAfter(context.portal.groups, groups),
    },
  }
}

/** Holds every site to the rules, and refuses the file with all reasons. */
async function settleAll(
  { changes }: SitePlan,
  settle: { readonly portal: SettleWanted; readonly others: SettleWanted },
) {
  const reasons: string[] = []
  const put: { id?: number; wanted: WantedSite }[] = []
  for (const change of changes) {
    if (change.kind === 'delete') continue
    const id = change.kind === 'change' ? { id: change.id } : {}
    const { kind } = change.wanted.record
    try {
      put.push({ ...id, wanted: await settle[kind === 'portal' ? 'portal' : 'others'](change.wanted, id.id) })
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      for (const line of problemLines(error)) reasons.push(`${change.name}: ${line}`)
    }
  }
  if (reasons.length > 0) throw new OperatorError(reasons.join('\n'))
  return put
}

function print(lines: readonly string[]): void {
  for (const line of lines) process.stdout.write(`${line.replaceAll(/\p{Cc}/gu, '?')}\n`)
}

function groupsAfter(before: ReadonlySet<string>, changes: readonly PlannedGroup[]): Set<string> {
  const names = new Set(before)
  for (const { kind, name } of changes)
    if (kind === 'delete') names.delete(name)
    else names.add(name)
  return names
}

/** Says how many groups, applications and sites there are. */
function countWords(counts: readonly number[]): string {
  const words = ['group', 'application', 'site'].flatMap((noun, index) => {
    const count = counts[index] ?? 0
    return count === 0 ? [] : [`${count} ${noun}${count === 1 ? '' : 's'}`]
  })
  return [words.slice(0, -1).join(', '), words.at(-1) ?? ''].filter((text) => text !== '').join(' and ')
}

function planLines(plan: SitePlan, groups: readonly PlannedGroup[], applications: ApplicationPlan): string[] {
  return [
    ...groups.map(groupLine),
    ...applications.changes.map(applicationLine),
    ...plan.changes.map(lineOf),
    ...applications.unlisted.map((name) => `not in the file, stays: application ${name}`),
    ...plan.unlisted.map(unlistedLine),
  ]
}

function applicationLine(change: PlannedApplication): string {
  const { kind, name } = change
  const members = kind === 'change' ? `: ${change.members.join(', ')}` : ''
  return `${kind} application ${name}${members}${secretWords(change)}`
}

function secretWords(change: PlannedApplication): string {
  if (change.kind === 'delete') return ''
  const hadSecret = change.kind === 'change' && change.before.secretHash !== null
  if (change.values.is_public) return hadSecret ? '; its secret ends' : ''
  return hadSecret ? '' : '; gets a secret'
}

const clientLine = ({ name, id, secret }: NewClient): string =>
  `application ${name}: client id ${id}${secret === null ? '' : `, client secret ${secret}, shown this once`}`

const valuesOf = ({ id: _id, secretHash: _hash, ...values }: Client): OpenIdClientValues => values

function groupLine({ kind, name, joining, leaving }: PlannedGroup): string {
  const users = [...joining.map((user) => `+${user}`), ...leaving.map((user) => `-${user}`)]
  return `${kind} group ${name}${users.length === 0 ? '' : `: ${users.join(', ')}`}`
}

const unlistedLine = ({ wanted }: SitePlan['unlisted'][number]) => `not in the file, stays: ${wanted.record.site_name}`

function lineOf(change: PlannedSite): string {
  const members = change.kind === 'change' ? `: ${change.members.join(', ')}` : ''
  return `${change.kind} ${change.name}${members}`
}
