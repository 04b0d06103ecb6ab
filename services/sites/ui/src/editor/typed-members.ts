import type { components } from '../api.gen.ts'
import type { SitePatch } from '../sites/site.ts'
import { blankDraft } from './blank-draft.ts'
import { isSame, wireOf } from './draft.ts'

type FieldChange = components['schemas']['FieldChange']

/** What was typed of a new site, member by member, as far as it is not as in every site. Passwords are left out. */
export function typedMembers(changes: SitePatch): FieldChange[] {
  const { site_name: _, basic_auth: users, ...rest } = changes
  const named = users === undefined ? [] : [{ field: 'basic_auth', after: users.map(({ username }) => username) }]
  const blank: Readonly<Record<string, unknown>> = { ...wireOf(blankDraft) }
  return [...Object.entries(rest).flatMap(([name, value]) => differing(name, blank[name], value)), ...named]
}

function differing(field: string, before: unknown, after: unknown): FieldChange[] {
  if (isSame(before, after)) return []
  if (!isPlain(before) || !isPlain(after)) return [{ field, after }]
  return Object.entries(after).flatMap(([name, value]) => differing(`${field}.${name}`, before[name], value))
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
