import type { components } from '../api.gen.ts'
import { blankDraft } from '../editor/blank-draft.ts'
import { isSame, wireOf } from '../editor/draft.ts'

export type SiteDiff = components['schemas']['SiteDiff']
export type FieldChange = SiteDiff['fields'][number]

const defaults: Readonly<Record<string, unknown>> = { ...wireOf(blankDraft), site_name: undefined, domains: undefined }

/** The members of a difference worth reading: of a whole site that came or went, those that are not as in every site. */
export function notableFields({ change, fields }: Pick<SiteDiff, 'change' | 'fields'>): FieldChange[] {
  if (change === 'changed') return fields
  return fields.filter(({ field, before, after }) => {
    const value = change === 'added' ? after : before
    return field === 'kind' || !isSame(value, defaults[field])
  })
}
