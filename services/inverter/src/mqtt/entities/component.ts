import type { Catalog } from '../../catalog/catalog.ts'
import type { Topics } from './topics.ts'

/** One component of a discovery message: an entity of Home Assistant. */
export type Component = Readonly<Record<string, unknown>> & { readonly platform: string }

/** Components by their keys in the discovery message. */
export type Components = Readonly<Record<string, Component>>

/** What an entity is made for. */
export interface EntityContext {
  readonly catalog: Catalog
  readonly topics: Topics
  readonly deviceId: string
}
