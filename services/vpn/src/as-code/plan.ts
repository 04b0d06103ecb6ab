import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ChangedMember, PlannedChange } from './schema.ts'
import type { AnySection, EntryValue, Held } from './section.ts'
import type { FilledSection } from './write-document.ts'

/** What changed between two states of everything. */
export function changesBetween(before: readonly FilledSection[], after: readonly FilledSection[]): PlannedChange[] {
  return after.flatMap(({ section, held }) => {
    const earlier = before.find((each) => each.section === section)?.held ?? []
    return sectionChanges(section, earlier, held)
  })
}

/** What of a plan is not among the changes that were done. New keys differ from those of the trial, so values are not compared. */
export function remaining(planned: readonly PlannedChange[], done: readonly PlannedChange[]): PlannedChange[] {
  const keyOf = ({ section, action, name }: PlannedChange) => JSON.stringify([section, action, name])
  const known = new Map(done.map((change) => [keyOf(change), new Set(change.members.map(({ member }) => member))]))
  return planned.flatMap((change) => {
    const seen = known.get(keyOf(change))
    if (seen === undefined) return [change]
    const members = change.members.filter(({ member }) => !seen.has(member))
    return members.length === 0 ? [] : [{ ...change, members }]
  })
}

/** The same text for the same changes. */
export function fingerprintOf(changes: readonly PlannedChange[]): string {
  return createHash('sha256').update(JSON.stringify(changes)).digest('hex').slice(0, 16)
}

function sectionChanges(
  section: AnySection,
  before: readonly Held<EntryValue>[],
  after: readonly Held<EntryValue>[],
): PlannedChange[] {
  const known = new Map(before.map((each) => [each.id, each]))
  const left = new Set(after.map(({ id }) => id))
  // An entry that went and came back is one that changed.
  const replaced = new Map(before.filter(({ id }) => !left.has(id)).map((each) => [each.key, each]))
  const back = new Set(after.filter(({ id }) => !known.has(id)).map(({ key }) => key))
  const gone = before.filter(({ id, key }) => !left.has(id) && !back.has(key))
  const others = after.flatMap((now): PlannedChange[] => {
    const was = known.get(now.id) ?? replaced.get(now.key)
    if (was === undefined) return [planned(section, 'create', now.name)]
    const members = changedMembers(section, was.value, now.value)
    const renamed_from = section.form === 'map' && was.name !== now.name ? was.name : null
    return members.length === 0 && renamed_from === null
      ? []
      : [{ ...planned(section, 'change', now.name), renamed_from, members }]
  })
  return [
    ...gone.map(({ name }) => planned(section, 'delete', name)),
    ...others,
    ...orderChange(section, before, after),
  ]
}

function planned({ name: section, noun }: AnySection, action: PlannedChange['action'], name: string): PlannedChange {
  return { section, noun, action, name, renamed_from: null, members: [] }
}

function changedMembers(
  { secret = [], otherwise }: AnySection,
  earlier: EntryValue,
  later: EntryValue,
): ChangedMember[] {
  const [was, now] = [earlier, later].map((value) => (name: string) => value[name] ?? otherwise) as [Reader, Reader]
  const names = [...new Set([...Object.keys(earlier), ...Object.keys(later)])]
  return names
    .filter((name) => !isDeepStrictEqual(was(name), now(name)))
    .map((name) =>
      secret.includes(name) && typeof (was(name) ?? now(name)) !== 'boolean'
        ? { member: name, from: null, to: null }
        : { member: name, from: textOf(was(name)), to: textOf(now(name)) },
    )
}

type Reader = (name: string) => unknown

function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Entries that were there before and after and stand in another order now. */
function orderChange(
  section: AnySection,
  before: readonly Held<EntryValue>[],
  after: readonly Held<EntryValue>[],
): PlannedChange[] {
  if (section.isOrdered !== true) return []
  const [was, now] = [new Set(before.map(({ id }) => id)), new Set(after.map(({ id }) => id))]
  const first = before.filter(({ id }) => now.has(id))
  const then = after.filter(({ id }) => was.has(id))
  if (first.every(({ id }, index) => id === then[index]?.id)) return []
  const text = (entries: readonly Held<EntryValue>[]) => entries.map(({ name }) => name).join('; ')
  const members = [{ member: 'order', from: text(first), to: text(then) }]
  return [{ ...planned(section, 'change', 'order'), members }]
}
