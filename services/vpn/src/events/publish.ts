import type { ServiceEvent } from './schema.ts'

/** Tells everyone who listens that something happened. Never fails and never waits. */
export type Publish = (event: ServiceEvent) => void
