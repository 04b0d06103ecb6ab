import type { Sealer } from '@hearth/credentials'
import type { Kysely } from 'kysely'
import type { z } from 'zod'
import type { AccessGroups } from '../access-rules/groups.ts'
import type { AccessRules } from '../access-rules/rules.ts'
import type { Filtering } from '../filtering/filtering.ts'
import type { Interfaces } from '../interfaces/interfaces.ts'
import type { Lists } from '../lists/lists.ts'
import type { Peers } from '../peers/peers.ts'
import type { Quotas } from '../quotas/quotas.ts'
import type { SettingsStore } from '../settings/settings.ts'
import type { Tables } from '../tables.ts'
import type { FileSecrets } from './secrets.ts'

/** The parts of the service that hold its wanted state, running ones or those of a trial. */
export interface Parts {
  readonly db: Kysely<Tables>
  /** Of the keys in the database. */
  readonly sealer: Sealer
  readonly settings: Pick<SettingsStore, 'current' | 'update'>
  readonly interfaces: Pick<Interfaces, 'create' | 'update' | 'remove'>
  readonly peers: Pick<Peers, 'createMany' | 'alterMany' | 'changeMany'>
  readonly quotas: Pick<Quotas, 'set' | 'remove'>
  readonly accessGroups: Pick<AccessGroups, 'create' | 'update' | 'remove'>
  readonly accessRules: Pick<AccessRules, 'arrange' | 'defaults' | 'setDefault'>
  readonly lists: Pick<Lists, 'create' | 'update' | 'remove'>
  readonly dns: Pick<Filtering, 'profiles' | 'rules' | 'records' | 'zones' | 'settings'>
}

/** What the reading and the changing of a section stand on. */
export interface SectionContext {
  readonly parts: Parts
  /** Seals and opens secrets as the file has them; undefined for a file without secrets. */
  readonly secrets: FileSecrets | undefined
  /** User name that new rules are noted with. */
  readonly by: string
  /** Take networks although this host reaches them over another device. */
  readonly allowHostOverlap: boolean
  /** Give interfaces new keys that are to be created and whose private key the file does not have. */
  readonly newKeys: boolean
}

/** Value of an entry as the file has it. */
export type EntryValue = Readonly<Record<string, unknown>>

/** An entry that is there. */
export interface Held<V> {
  /** Stays the same when the entry is renamed. */
  readonly id: string
  /** What it is found by. */
  readonly key: string
  /** The name for people. */
  readonly name: string
  readonly value: V
}

/** Place in the file: members and numbers of list items from its top. */
export type FilePath = readonly (string | number)[]

/** An entry of the file. */
export interface Wanted<V> {
  readonly key: string
  readonly name: string
  readonly value: V
  /** Path of the entry. */
  readonly path: FilePath
}

/** An entry that is there, as the file wants it. */
export interface Change<V> {
  readonly held: Held<V>
  readonly wanted: Wanted<V>
  /** Members that differ, as wanted. */
  readonly members: Partial<V>
}

/** Work on one section. */
export interface Work<V> {
  readonly create: readonly Wanted<V>[]
  readonly change: readonly Change<V>[]
  /** Entries that go although nothing is pruned: others of the file stand in their place. */
  readonly replaced: readonly Held<V>[]
  /** Entries that the file does not have and that stay. */
  readonly stay: readonly Held<V>[]
  /** All entries of the file in its order, with what they are matched with. */
  readonly all: readonly { readonly wanted: Wanted<V>; readonly held: Held<V> | undefined }[]
}

/** What cannot be, and where in the file that stands. */
export interface Fault {
  readonly path: FilePath
  readonly message: string
}

/**
 * A kind of wanted state: how it stands in the file, how it is read, and how it is brought to what the file says. To add one,
 * write it in a file of `sections/` and name it in `all-sections.ts`.
 */
export interface Section<V> {
  /** The member of the file. */
  readonly name: string
  /** What an entry is, in words: `peer`. */
  readonly noun: string
  /** Entries stand under their names, in a list, or there is one whose members stand in the section itself. */
  readonly form: 'map' | 'list' | 'members'
  /** One entry; a `members` section has all of them optional, and those left out stay as they are. */
  readonly schema: z.ZodType<V>
  /** Names that entries stand under, in a map. */
  readonly names?: z.ZodType<string>
  /** Values of members that the file leaves out. */
  readonly defaults: Partial<V>
  /** What a member says that is not there, in a plan. */
  readonly otherwise?: string
  /** Members whose values are shown nowhere. */
  readonly secret?: readonly string[]
  /** Sections whose entries this one names: a trial that fails there ends here. */
  readonly needs?: readonly string[]
  /** The order of its entries means something. */
  readonly isOrdered?: boolean
  /** Whether what the file does not have goes before everything is brought to the file, or after that. */
  readonly prunes?: 'first' | 'last'
  /** Names an entry of the file; `name` is the one it stands under. */
  readonly identify: (value: V, name: string) => { readonly key: string; readonly name: string }
  /** A second way to be the same entry, which wins: one under another name was renamed. */
  readonly identity?: (value: V) => string | undefined
  /** True when entries of the file stand in the place of one that it does not have. */
  readonly replaces?: (held: Held<V>, wanted: readonly Wanted<V>[]) => boolean
  /** Entries that others name, to be found missing before anything is tried. */
  readonly references?: (value: V) => readonly Reference[]
  readonly read: (context: SectionContext) => Promise<Held<V>[]>
  readonly apply: (context: SectionContext, work: Work<V>) => Promise<Fault[]>
  readonly remove?: (context: SectionContext, extra: readonly Held<V>[]) => Promise<void>
}

/** A name of an entry of another section. */
export interface Reference {
  readonly section: string
  readonly key: string
  /** Member of the entry that has the name. */
  readonly path: FilePath
  readonly message: string
}

// oxlint-disable-next-line typescript/no-explicit-any -- sections of all kinds stand in one list
export type AnySection = Section<any>
