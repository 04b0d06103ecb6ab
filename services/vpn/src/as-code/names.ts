import { nameKey } from '../envelope.ts'
import { invalidField } from '../problems.ts'
import type { Reference, SectionContext } from './section.ts'
import { peerNameRows } from './store.ts'

/** Names by id. */
export type Names = ReadonlyMap<string, string>

/** Ids by names as these are compared. */
export type Ids = ReadonlyMap<string, string>

/** The names of rows, by id. */
export const namesOf = (rows: readonly { readonly id: string; readonly name: string }[]): Names =>
  new Map(rows.map(({ id, name }) => [id, name]))

/** The ids of rows, by name. */
export const idsOf = (rows: readonly { readonly id: string; readonly name_key: string }[]): Ids =>
  new Map(rows.map((row) => [row.name_key, row.id]))

/** Ids of all peers. */
export const peerIds = async ({ parts }: SectionContext): Promise<Ids> => idsOf(await peerNameRows(parts.db))

/** A member that names entries of another section. */
export interface Naming {
  readonly member: string
  readonly section: string
  /** What such an entry is: `peer`. */
  readonly noun: string
}

/** The references of a list of names. */
export const referencesTo = ({ member, section, noun }: Naming, names: readonly string[]): Reference[] =>
  names.map((name, index) => ({ section, key: nameKey(name), path: [member, index], message: `is no ${noun}` }))

/** The ids of a list of names. Throws a `Problem` at the first that is not there. */
export function idsNamed(
  { member, noun }: Pick<Naming, 'member' | 'noun'>,
  names: readonly string[],
  ids: Ids,
): string[] {
  return names.map((name, index) => {
    const id = ids.get(nameKey(name))
    if (id === undefined) throw invalidField(`${member}.${index}`, `is no ${noun}`)
    return id
  })
}
